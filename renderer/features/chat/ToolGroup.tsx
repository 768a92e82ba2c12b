import { Check, ChevronDown } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import { classes } from '../../ui/classes.ts';
import { ToolRow } from './ToolRow.tsx';
import { useTimes } from '../../ui/useTimes.ts';

/** Several finished reads in one line. */
export function ToolGroup({ calls, onShowWaiting }: { calls: readonly ToolCall[]; onShowWaiting(): void }) {
  const { t } = useTranslation('chat');
  const { duration } = useTimes();
  const id = useId();
  const [open, setOpen] = useState(false);
  const total = calls.reduce((sum, call) => sum + ('durationMs' in call ? call.durationMs : 0), 0);
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        data-outline
        className="flex min-h-8 w-full items-center gap-2 rounded-card border border-line bg-surface px-3 text-left"
        onClick={() => setOpen(!open)}
      >
        <Check size={16} aria-hidden className="shrink-0 text-read" />
        <span className="flex-1">{t('group.calls', { count: calls.length })}</span>
        <span className="text-caption text-ink-3 tabular-nums">{duration(total)}</span>
        <ChevronDown size={16} aria-hidden className={classes('text-ink-3 transition-transform duration-[180ms]', open && 'rotate-180')} />
      </button>
      <div id={id} className={classes(open && 'mt-2 flex flex-col gap-2 pl-4')}>
        {open ? calls.map((call) => <ToolRow key={call.id} call={call} onShowWaiting={onShowWaiting} />) : null}
      </div>
    </div>
  );
}
