import { type ReactNode, useMemo } from 'react';
import { Virtuoso } from 'react-virtuoso';
import type { TextMark } from '../text/markedPieces.ts';
import { rowsOfText } from '../text/rowsOfText.ts';
import { classes } from './classes.ts';
import { MarkedText } from './MarkedText.tsx';

/** From this many characters on only the lines in view are elements of the page. */
export const virtualFrom = 50_000;

const noMarks: readonly TextMark[] = [];

/** Text of somebody else in code type, whole, however long it is. `end` stands behind its last character. */
export function PlainText({
  text,
  label,
  end,
  marks = noMarks,
  className,
}: {
  text: string;
  label: string;
  end?: ReactNode;
  marks?: readonly TextMark[];
  className?: string;
}) {
  const virtual = text.length > virtualFrom;
  const rows = useMemo(() => (virtual ? withOffsets(rowsOfText(text)) : []), [text, virtual]);
  const look = 'rounded-control bg-sunken font-code text-ui wrap-anywhere whitespace-pre-wrap';
  if (!virtual) {
    return (
      <div tabIndex={0} role="group" aria-label={label} data-outline className={classes(look, 'overflow-auto px-3 py-2', className)}>
        <MarkedText text={text} marks={marks} />
        {end}
      </div>
    );
  }
  return (
    <div role="group" aria-label={label} data-outline className={classes(look, 'h-100 py-2', className)}>
      <Virtuoso
        data={rows}
        itemContent={(index, row) => (
          <div className="min-h-5 px-3">
            <MarkedText text={row.text} marks={marks} offset={row.offset} />
            {/* In the last row, not in a footer, which is in view for a moment before the rows are measured. */}
            {index === rows.length - 1 ? end : null}
          </div>
        )}
      />
    </div>
  );
}

function withOffsets(rows: readonly { text: string; endsLine: boolean }[]): { text: string; offset: number }[] {
  let next = 0;
  return rows.map(({ text, endsLine }) => {
    const offset = next;
    next += text.length + (endsLine ? 1 : 0);
    return { text, offset };
  });
}
