import { useMemo } from 'react';
import { markedPieces, type TextMark } from '../text/markedPieces.ts';
import { classes } from './classes.ts';
import { Tooltip } from './Tooltip.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Above this many the marks of a text are no stops of the Tab key: what they say stands beside the text anyway. */
const mostStops = 12;

/** Text of somebody else with stretches marked. What a mark says comes on hover and focus, and must stand beside the text as well. */
export function MarkedText({ text, marks, offset = 0 }: { text: string; marks: readonly TextMark[]; offset?: number }) {
  const pieces = useMemo(() => markedPieces(text, marks, offset), [text, marks, offset]);
  if (!pieces.some(({ mark }) => mark !== undefined)) return <VisibleText text={text} />;
  return pieces.map(({ text: piece, mark }, index) =>
    mark === undefined ? (
      <VisibleText key={index} text={piece} />
    ) : (
      <Tooltip key={index} text={mark.label}>
        <mark
          {...(marks.length <= mostStops ? { tabIndex: 0 } : {})}
          className={classes(
            'rounded-[2px] border-b text-ink',
            mark.tone === 'danger' ? 'border-danger bg-danger-soft' : 'border-write bg-write-soft',
          )}
        >
          <VisibleText text={piece} />
        </mark>
      </Tooltip>
    ),
  );
}
