import type { ReactNode } from 'react';

export function Checkbox({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}) {
  return (
    <label className="flex min-h-7 min-w-0 items-center gap-2 text-ui text-ink">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent-fill"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">{label}</span>
    </label>
  );
}
