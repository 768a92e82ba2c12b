import type { CallProgress } from '../../preload/contract/tasks.ts';
import { classes } from './classes.ts';
import { VisibleText } from './VisibleText.tsx';

/** How far a server says that it is. Without a total it only shows that something goes on. */
export function ProgressBar({ progress: { progress, total, message }, label }: { progress: CallProgress; label: string }) {
  const part = total === undefined || total <= 0 ? undefined : Math.max(0, Math.min(1, progress / total));
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label={label}
        {...(part === undefined ? {} : { 'aria-valuenow': Math.round(part * 100), 'aria-valuemin': 0, 'aria-valuemax': 100 })}
        data-outline
        className="h-1 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={classes('h-full origin-left bg-accent-fill', part === undefined && 'w-full animate-shimmer')}
          {...(part === undefined ? {} : { style: { transform: `scaleX(${part})` } })}
        />
      </div>
      {message === undefined && part === undefined ? (
        <p className="text-caption text-ink-3 tabular-nums">{progress}</p>
      ) : (
        <p className="truncate text-caption text-ink-3 tabular-nums">
          {part === undefined ? '' : `${Math.round(part * 100)} % `}
          {message === undefined ? '' : <VisibleText text={message} />}
        </p>
      )}
    </div>
  );
}
