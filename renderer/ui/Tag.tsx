import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Tone = 'read' | 'write' | 'danger' | 'plain';

const tones: Record<Tone, string> = {
  read: 'bg-read-soft text-read',
  write: 'bg-write-soft text-write',
  danger: 'bg-danger-soft text-danger',
  plain: 'bg-sunken text-ink-2',
};

/** A word on a coloured ground. The icon and the word carry the meaning; the colour only repeats it. */
export function Tag({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      data-outline
      className={classes('inline-flex h-6 shrink-0 items-center gap-1.5 rounded-control px-2 text-caption font-strong', tones[tone])}
    >
      {icon}
      {children}
    </span>
  );
}
