import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** A question or a short list over the page. Escape and a click beside it close it and decide nothing. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-1/2 left-1/2 z-40 flex max-h-[85vh] w-[min(480px,calc(100vw-32px))] -translate-x-1/2 -translate-y-1/2 animate-appear flex-col rounded-dialog border border-line bg-floating shadow-float"
        >
          <div className="px-6 pt-6">
            <Radix.Title className="text-title wrap-anywhere">{title}</Radix.Title>
            {description === undefined ? null : (
              <Radix.Description className="mt-2 text-ui wrap-anywhere text-ink-2">{description}</Radix.Description>
            )}
          </div>
          {children === undefined ? null : <div className="min-h-0 overflow-auto px-6 pt-4">{children}</div>}
          <div className="flex flex-wrap justify-end gap-2 p-6 pt-4">{footer}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
