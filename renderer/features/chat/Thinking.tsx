import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Part } from '../../../preload/contract/conversations.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { classes } from '../../ui/classes.ts';
import { useTimes } from '../../ui/useTimes.ts';

/** A model's thoughts: one grey line that opens. */
export function Thinking({ part }: { part: Extract<Part, { kind: 'reasoning' }> }) {
  const { t } = useTranslation('chat');
  const { seconds } = useTimes();
  const id = useId();
  const [open, setOpen] = useState(false);
  const line = part.open
    ? t('thinking.now')
    : part.durationMs === undefined
      ? t('thinking.done')
      : t('thinking.past', { time: seconds(part.durationMs) });
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        className={classes('flex min-h-7 items-center gap-1 rounded-control text-ui text-ink-3', part.open && 'animate-shimmer')}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={16} aria-hidden className={classes('transition-transform duration-[180ms]', open && 'rotate-90')} />
        {line}
      </button>
      <div id={id}>
        {open ? (
          <div className="mt-1 border-l border-line pl-4 text-ink-2">
            <Markdown text={part.text.text} growing={part.open} />
          </div>
        ) : null}
      </div>
    </div>
  );
}
