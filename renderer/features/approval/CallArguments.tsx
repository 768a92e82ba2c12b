import type { ReactNode } from 'react';
import { Virtuoso } from 'react-virtuoso';
import type { Effects } from '../../../preload/contract/policy.ts';
import { destinationOf } from '../../text/destinationOf.ts';
import type { TextMark } from '../../text/markedPieces.ts';
import { ArgumentValue, argumentListClasses } from '../../ui/ArgumentValue.tsx';
import { classes } from '../../ui/classes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { ArgumentNotes, toneOfMark, useOrigin } from './ArgumentNotes.tsx';
import { isInText, type NotedRow } from './notedRows.ts';

/** From this many on only the rows in view are elements of the page. */
export const mostRowsAtOnce = 60;

const alignedClasses = 'grid grid-cols-1 gap-x-4 min-[520px]:grid-cols-[144px_minmax(0,1fr)]';

interface RowsProps {
  rows: readonly NotedRow[];
  effects: Effects;
  /** Stands behind the last character of a long value. */
  endOf(at: string): ReactNode;
}

/** Every value of a call's arguments, never cut, each with what is known of it. A long one scrolls in a box of its own under its line count. */
export function CallArguments({ rows, effects, endOf }: RowsProps) {
  return (
    <dl className={argumentListClasses}>
      {rows.map((row) => (
        <div key={row.at} className="contents">
          <RowParts row={row} effects={effects} end={endOf(row.at)} />
        </div>
      ))}
    </dl>
  );
}

/** The same for thousands of values, in a box that it fills. `after` stands behind the last one. */
export function ManyArguments({ rows, effects, endOf, after }: RowsProps & { after: ReactNode }) {
  return (
    <Virtuoso
      data={rows}
      computeItemKey={(_, row) => row.at}
      itemContent={(index, row) => (
        <>
          <dl className={classes(alignedClasses, 'px-4 pb-2', index === 0 && 'pt-3')}>
            <RowParts row={row} effects={effects} end={endOf(row.at)} />
          </dl>
          {/* In the last item, not in a footer, which is in view for a moment before the items are measured. */}
          {index === rows.length - 1 ? after : null}
        </>
      )}
    />
  );
}

function RowParts({ row, effects, end }: { row: NotedRow; effects: Effects; end: ReactNode }) {
  const origin = useOrigin();
  const marks = row.marks
    .filter((mark) => isInText(row, mark))
    .map((mark): TextMark => ({ from: mark.from, to: mark.to, label: origin(mark), tone: toneOfMark(mark, effects) }));
  return (
    <>
      <dt className="max-w-40 text-ink-3 wrap-anywhere">
        <VisibleText text={row.name} />
      </dt>
      <dd className="min-w-0">
        <ArgumentValue row={row} marks={marks} end={end}>
          {row.isDestination && marks.length === 0 ? <Destination text={row.value} /> : undefined}
        </ArgumentValue>
        <ArgumentNotes row={row} effects={effects} />
      </dd>
    </>
  );
}

/** An address with the part apart that somebody owns. */
function Destination({ text }: { text: string }) {
  const found = destinationOf(text);
  if (found?.kind !== 'host' || found.from === undefined || found.to === undefined)
    return (
      <b className="font-strong">
        <VisibleText text={text} />
      </b>
    );
  return (
    <>
      <span className="text-ink-2">
        <VisibleText text={text.slice(0, found.from)} />
      </span>
      <b className="font-strong">
        <VisibleText text={text.slice(found.from, found.to)} />
      </b>
      <span className="text-ink-2">
        <VisibleText text={text.slice(found.to)} />
      </span>
    </>
  );
}
