import { CircleAlert } from 'lucide-react';
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import type { TraceEntry, TraceEntryId } from '../../../preload/contract/trace.ts';
import { classes } from '../../ui/classes.ts';
import { useTimes } from '../../ui/useTimes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { arrows, useTraceWords } from './traceWords.ts';

/** Where the numbering begins, so that newer messages can be put before the first. */
const numbering = 10_000_000;
const rowHeight = 32;
const columns =
  'grid grid-cols-[96px_20px_minmax(0,1fr)] wide:grid-cols-[96px_20px_minmax(0,1fr)_80px_72px_176px] items-center gap-x-4 px-3';

/** The messages, newest first. Arrow keys move, Enter opens; the top follows what comes, any other place stays where it is. */
export function TraceList({
  label,
  entries,
  prepended,
  chosen,
  onChoose,
  onEnd,
}: {
  label: string;
  entries: readonly TraceEntry[];
  prepended: number;
  chosen: TraceEntryId | undefined;
  onChoose(id: TraceEntryId): void;
  onEnd(): void;
}) {
  const { t } = useTranslation('inspector');
  const list = useRef<VirtuosoHandle>(null);
  const grid = useRef<HTMLDivElement>(null);
  const atTop = useRef(true);
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const [current, setCurrent] = useState<TraceEntryId>();
  useLayoutEffect(() => {
    if (atTop.current && prepended > 0) list.current?.scrollTo({ top: 0 });
  }, [prepended]);

  // What was chosen elsewhere, by a link or as the other half of an exchange, is shown in its place too.
  const chosenPlace = entries.findIndex(({ id }) => id === chosen);
  const isChosenThere = chosenPlace >= 0;
  const showChosen = useEffectEvent(() => list.current?.scrollIntoView({ index: chosenPlace }));
  // Not when newer messages move it.
  useEffect(() => {
    if (isChosenThere) showChosen();
  }, [chosen, isChosenThere]);
  const place = entries.findIndex(({ id }) => id === (current ?? chosen));
  const offset = numbering - prepended;
  // One row takes part in the order of the tab key; it must be one that is there.
  const tabbable = place >= visible.first && place <= visible.last ? place : visible.first;

  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const from = tabbable;
    const steps: Record<string, number> = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: Math.max(0, from - 10),
      PageDown: Math.min(entries.length - 1, from + 10),
      Home: 0,
      End: entries.length - 1,
    };
    const to = steps[event.key];
    const entry = to === undefined ? undefined : entries[to];
    if (to === undefined || entry === undefined) return;
    event.preventDefault();
    setCurrent(entry.id);
    const focus = () => grid.current?.querySelector<HTMLElement>(`[data-entry="${entry.id}"]`)?.focus();
    list.current?.scrollIntoView({ index: to, done: focus });
  };

  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={entries.length + 1}
      tabIndex={-1}
      data-outline
      className="overflow-hidden rounded-card border border-line bg-surface"
      onKeyDown={move}
    >
      <div role="row" aria-rowindex={1} className={classes(columns, 'h-8 border-b border-line text-caption text-ink-3')}>
        <span role="columnheader">{t('column.time')}</span>
        <span role="columnheader">
          <span className="sr-only">{t('column.direction')}</span>
        </span>
        <span role="columnheader">{t('column.method')}</span>
        <span role="columnheader" className="hidden text-right wide:block">
          {t('column.size')}
        </span>
        <span role="columnheader" className="hidden text-right wide:block">
          {t('column.took')}
        </span>
        <span role="columnheader" className="hidden wide:block">
          {t('column.purpose')}
        </span>
      </div>
      <Virtuoso
        ref={list}
        style={{ height: Math.min(entries.length, 12) * rowHeight }}
        role="rowgroup"
        tabIndex={-1}
        data={entries}
        fixedItemHeight={rowHeight}
        firstItemIndex={offset}
        computeItemKey={(_, entry) => entry.id}
        rangeChanged={({ startIndex, endIndex }) => setVisible({ first: Math.max(0, startIndex - offset), last: endIndex - offset })}
        atTopStateChange={(top) => (atTop.current = top)}
        endReached={onEnd}
        increaseViewportBy={rowHeight * 6}
        itemContent={(number, entry) => (
          <Row
            entry={entry}
            index={number - offset}
            tabbable={number - offset === tabbable}
            chosen={entry.id === chosen}
            onChoose={() => {
              setCurrent(entry.id);
              onChoose(entry.id);
            }}
          />
        )}
      />
    </div>
  );
}

function Row({
  entry,
  index,
  tabbable,
  chosen,
  onChoose,
}: {
  entry: TraceEntry;
  index: number;
  tabbable: boolean;
  chosen: boolean;
  onChoose(): void;
}) {
  const { t } = useTranslation('inspector');
  const words = useTraceWords();
  const { duration, size } = useTimes();
  const wrong = entry.problem !== undefined;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-entry={entry.id}
      tabIndex={tabbable ? 0 : -1}
      className={classes(
        columns,
        'h-8 text-ui -outline-offset-2 transition-colors duration-[120ms]',
        chosen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
      onClick={onChoose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onChoose();
      }}
    >
      <span role="gridcell" className="text-caption text-ink-2 tabular-nums">
        {words.time(entry.at)}
      </span>
      <span role="gridcell" className="text-ink-2">
        <span aria-hidden>{arrows[entry.direction]}</span>
        <span className="sr-only">{words.direction(entry)}</span>
      </span>
      <span role="gridcell" className="flex min-w-0 items-center gap-2">
        {wrong ? <CircleAlert size={12} aria-hidden className="shrink-0 text-danger" /> : null}
        {wrong ? <span className="sr-only">{t('wrong')}.</span> : null}
        <span className={classes('truncate', wrong ? 'text-danger' : 'text-ink')}>
          {entry.kind === 'request' || entry.kind === 'notification' ? null : (
            <span className={classes('mr-1', wrong ? '' : 'text-ink-3')}>{words.kind(entry)}</span>
          )}
          {entry.method === undefined ? null : <code>{<VisibleText text={entry.method} />}</code>}
          {entry.kind === 'http' && entry.httpStatus !== undefined ? ` ${entry.httpStatus}` : ''}
          {entry.subject === undefined ? null : (
            <span className={classes('ml-1', entry.direction !== 'here' && 'font-code', wrong ? '' : 'text-ink-2')}>
              <VisibleText text={entry.subject.slice(0, 200)} />
            </span>
          )}
        </span>
      </span>
      <span role="gridcell" className="hidden text-right text-caption text-ink-2 tabular-nums wide:block">
        {entry.direction === 'here' ? '' : size(entry.bytes)}
      </span>
      <span role="gridcell" className="hidden text-right text-caption text-ink-2 tabular-nums wide:block">
        {entry.kind === 'request' && entry.tookMs !== undefined ? duration(entry.tookMs) : ''}
      </span>
      <span role="gridcell" className="hidden truncate text-caption text-ink-2 wide:block">
        <VisibleText text={words.purpose(entry)} />
      </span>
    </div>
  );
}
