import { Switch as Radix } from 'radix-ui';

export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}) {
  return (
    <Radix.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      className="group flex h-7 w-9 shrink-0 items-center justify-center disabled:opacity-50"
    >
      <span
        data-outline
        className="relative h-[18px] w-8 rounded-full bg-line-strong transition-colors duration-[120ms] group-data-[state=checked]:bg-accent-fill"
      >
        <Radix.Thumb
          data-outline
          className="absolute top-[2px] left-[2px] size-[14px] rounded-full bg-on-accent transition-transform duration-[120ms] data-[state=checked]:translate-x-[14px]"
        />
      </span>
    </Radix.Root>
  );
}
