import { type ReactNode, useId, useState } from 'react';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** Something of a server that went along with a message, as it was then: its name and server, and what it holds when it is opened. */
export function SentAlong({
  kind,
  icon,
  title,
  from,
  facts,
  children,
}: {
  kind: 'attachment' | 'prompt';
  icon: ReactNode;
  title: string;
  from: string;
  facts?: ReactNode;
  children: ReactNode;
}) {
  const contentId = useId();
  const [open, setOpen] = useState(false);
  return (
    <div data-sent={kind} className="flex w-full min-w-0 flex-col items-end gap-1">
      <button
        type="button"
        data-outline
        aria-expanded={open}
        aria-controls={open ? contentId : undefined}
        className="flex min-h-7 max-w-[80%] items-center gap-2 rounded-control border border-line bg-surface px-2 text-left text-caption text-ink-2 hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <span className="shrink-0">{icon}</span>
        <span className="truncate font-strong">
          <VisibleText text={title} />
        </span>
        <span className="max-w-40 shrink-0 truncate text-ink-3">{from}</span>
        {facts}
      </button>
      {open ? (
        <div id={contentId} className="flex w-full flex-col gap-3 rounded-card border border-line bg-surface px-4 py-3 text-ui">
          {children}
        </div>
      ) : null}
    </div>
  );
}
