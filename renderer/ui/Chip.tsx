import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

/** A small fact beside something: a server, a model, a count. */
export function Chip({
  tone = 'plain',
  small = false,
  className,
  ...rest
}: ComponentProps<'span'> & { tone?: 'plain' | 'write'; small?: boolean }) {
  return (
    <span
      className={classes(
        'inline-flex max-w-full items-center gap-1.5 truncate rounded-full border px-2 text-caption whitespace-nowrap',
        small ? 'h-5' : 'h-6',
        tone === 'plain' ? 'border-line bg-surface text-ink-2' : 'border-transparent bg-write-soft text-write',
        className,
      )}
      {...rest}
    />
  );
}
