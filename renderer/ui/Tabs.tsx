import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { SteadyLabel } from './SteadyLabel.tsx';

/** Parts of one page, one shown at a time. Arrow keys move between them. */
export function Tabs<Value extends string>({
  label,
  value,
  onChange,
  tabs,
  children,
}: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  tabs: readonly { value: Value; label: string; count?: number | undefined }[];
  /** The part that is shown. */
  children: ReactNode;
}) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(tabs.find((tab) => tab.value === next)?.value ?? value)}>
      <Radix.List aria-label={label} className="flex flex-wrap gap-x-4 border-b border-line px-0.5">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex min-h-9 items-center gap-1.5 border-b-2 border-transparent text-ui whitespace-nowrap text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-strong data-[state=active]:text-ink"
          >
            <SteadyLabel text={tab.label} />
            {tab.count === undefined ? null : <span className="text-caption font-normal text-ink-3 tabular-nums">{tab.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} tabIndex={-1} className="pt-4">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
