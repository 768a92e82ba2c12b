import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

const kinds: Record<ButtonKind, string> = {
  primary: 'bg-accent-fill text-on-accent border-transparent hover:not-disabled:brightness-110',
  secondary: 'bg-surface text-ink border-line hover:not-disabled:bg-hover',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:not-disabled:bg-hover hover:not-disabled:text-ink',
  danger: 'bg-danger text-on-danger border-transparent hover:not-disabled:brightness-110',
};

export interface ButtonProps extends ComponentProps<'button'> {
  kind?: ButtonKind;
}

export function Button({ kind = 'secondary', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={classes(
        'inline-flex min-h-8 shrink-0 items-center justify-center gap-2 rounded-control border px-3 py-1 text-label whitespace-nowrap transition-colors duration-[120ms] disabled:opacity-50',
        kinds[kind],
        className,
      )}
      {...rest}
    />
  );
}
