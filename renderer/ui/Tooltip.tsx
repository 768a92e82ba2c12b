import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { Kbd } from './Kbd.tsx';

export const TooltipProvider = Radix.Provider;

/** A short name for the control under the pointer or focus. Never the only place where something is said. */
export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactElement }) {
  return (
    <Radix.Root delayDuration={500}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-80 items-center gap-2 rounded-control border border-line bg-floating px-2 py-1 text-caption wrap-anywhere text-ink shadow-float"
        >
          {text}
          {keys === undefined ? null : <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
