import { classes } from './classes.ts';

const looks = {
  good: 'bg-read',
  waiting: 'bg-write',
  bad: 'bg-danger',
  off: 'border border-line-strong',
  busy: 'bg-ink-3 animate-shimmer',
} as const;

/** Always beside a word that says the same; `label` is for where no room is left for one. */
export function StatusDot({ look, label }: { look: keyof typeof looks; label?: string }) {
  return (
    <span
      data-outline
      className={classes('inline-block size-2 shrink-0 rounded-full', looks[look])}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label, title: label })}
    />
  );
}
