import { DropdownMenu as Radix } from 'radix-ui';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { landmarkOf } from './landmarkOf.ts';
import { VisibleText } from './VisibleText.tsx';

export type MenuItem =
  | {
      kind?: 'item';
      label: string;
      caption?: string;
      icon?: ReactNode;
      danger?: boolean;
      disabled?: boolean;
      checked?: boolean;
      onSelect(): void;
    }
  | { kind: 'heading'; label: string }
  | { kind: 'separator' };

/** A list of choices behind a control. `children` is the control. */
export function Menu({
  items,
  align = 'start',
  children,
}: {
  items: readonly MenuItem[];
  align?: 'start' | 'end';
  children: ReactElement;
}) {
  const control = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  return (
    <Radix.Root
      modal={false}
      onOpenChange={(isOpen) => {
        if (isOpen) setLandmark(landmarkOf(control.current));
      }}
    >
      <Radix.Trigger ref={control} asChild>
        {children}
      </Radix.Trigger>
      <Radix.Portal container={landmark}>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[min(480px,var(--radix-dropdown-menu-content-available-height))] max-w-90 min-w-48 animate-appear overflow-auto rounded-card border border-line bg-floating p-1 shadow-float"
        >
          {items.map((item, index) =>
            item.kind === 'separator' ? (
              <Radix.Separator key={index} className="my-1 h-px bg-line" />
            ) : item.kind === 'heading' ? (
              <Radix.Label key={index} className="px-2 pt-2 pb-1 text-caption text-ink-3">
                {item.label}
              </Radix.Label>
            ) : (
              <Radix.Item
                key={index}
                disabled={item.disabled === true}
                onSelect={item.onSelect}
                className={classes(
                  'flex min-h-8 items-center gap-2 rounded-control px-2 py-1 text-ui outline-none data-disabled:opacity-50 data-highlighted:bg-hover',
                  item.danger === true ? 'text-danger' : 'text-ink',
                )}
              >
                {item.icon}
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{item.label}</span>
                  {item.caption === undefined ? null : (
                    <span className="block text-caption text-ink-3">
                      <VisibleText text={item.caption} />
                    </span>
                  )}
                </span>
                {item.checked === true ? <Check size={16} aria-hidden className="shrink-0 text-accent" /> : null}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
