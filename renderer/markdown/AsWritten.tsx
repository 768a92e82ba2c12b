import { memo } from 'react';
import { rowsOfText } from '../text/rowsOfText.ts';
import { VisibleText } from '../ui/VisibleText.tsx';

/** So many rows are one element, which is made and measured once while more is written below it. */
const rowsAtOnce = 40;

/** Text that is not read as markdown, with every character that hides made visible. */
export function AsWritten({ text }: { text: string }) {
  const rows = rowsOfText(text);
  return (
    // Spans: it may stand in the place of one piece of a paragraph.
    <span className="block max-h-100 overflow-auto whitespace-pre-wrap">
      {Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, n) => {
        const together = rows.slice(n * rowsAtOnce, (n + 1) * rowsAtOnce);
        return <Rows key={n} text={together.map((row) => (row.endsLine ? `${row.text}\n` : row.text)).join('')} />;
      })}
    </span>
  );
}

const Rows = memo(function Rows({ text }: { text: string }) {
  return (
    <span className="block">
      <VisibleText text={text} />
    </span>
  );
});
