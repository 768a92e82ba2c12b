import { RadioGroup as Radix } from 'radix-ui';
import { SteadyLabel } from './SteadyLabel.tsx';

/** A choice of two or three, all in sight. */
export function Segments<Value extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  options: readonly { value: Value; label: string }[];
}) {
  return (
    <Radix.Root
      aria-label={label}
      value={value}
      onValueChange={(next) => onChange(options.find((option) => option.value === next)?.value ?? value)}
      className="inline-flex max-w-full flex-wrap gap-0.5 self-start rounded-control border border-line bg-sunken p-px"
    >
      {options.map((option) => (
        <Radix.Item
          key={option.value}
          value={option.value}
          className="min-h-7 rounded-[4px] border border-transparent px-3 text-ui text-ink-2 hover:text-ink data-[state=checked]:border-line data-[state=checked]:bg-surface data-[state=checked]:font-strong data-[state=checked]:text-ink"
        >
          <SteadyLabel text={option.label} />
        </Radix.Item>
      ))}
    </Radix.Root>
  );
}
