import type { ReactNode } from 'react';

/** One sentence, one action, at most three suggestions. */
export function EmptyState({ title, text, action, children }: { title: string; text?: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-120 flex-col items-center gap-4 px-6 py-12 text-center">
      <h2 className="text-display text-balance">{title}</h2>
      {text === undefined ? null : <p className="text-prose text-balance text-ink-2">{text}</p>}
      {action}
      {children}
    </div>
  );
}
