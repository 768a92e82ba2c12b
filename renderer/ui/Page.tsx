import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** A page of settings: one column, its title first. */
export function Page({
  title,
  intro,
  before,
  actions,
  children,
}: {
  title: ReactNode;
  intro?: ReactNode;
  /** Stands above the title: the way back. */
  before?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto flex w-full max-w-220 min-w-0 flex-col p-6">
      {before}
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="min-w-40 flex-1 text-display wrap-anywhere">{title}</h1>
        {actions}
      </div>
      {intro === undefined ? null : <p className="mt-1 max-w-180 text-ui text-pretty text-ink-2">{intro}</p>}
      {children}
    </div>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  hint,
  actions,
  children,
}: {
  title: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="mt-8 flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-40 flex-1 text-title wrap-anywhere">{title}</h2>
        {actions}
      </div>
      {hint === undefined ? null : <p className="mt-1 max-w-180 text-ui text-pretty text-ink-2">{hint}</p>}
      <div className="mt-3 flex min-w-0 flex-col">{children}</div>
    </section>
  );
}

export const panelClasses = 'rounded-card border border-line bg-surface';

/** Rows in one frame with a line between them. */
export function Rows({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className={classes(panelClasses, 'overflow-hidden [&>*+*]:border-t [&>*]:border-line', className)}>
      {children}
    </ul>
  );
}
