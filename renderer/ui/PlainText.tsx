import { type ReactNode, useMemo } from 'react';
import { Virtuoso } from 'react-virtuoso';
import { rowsOfText } from '../text/rowsOfText.ts';
import { classes } from './classes.ts';
import { VisibleText } from './VisibleText.tsx';

/** From this many characters on only the lines in view are elements of the page. */
export const virtualFrom = 50_000;

/** Text of somebody else in code type, whole, however long it is. `end` stands behind its last character. */
export function PlainText({ text, label, end, className }: { text: string; label: string; end?: ReactNode; className?: string }) {
  const virtual = text.length > virtualFrom;
  const rows = useMemo(() => (virtual ? rowsOfText(text) : []), [text, virtual]);
  const look = 'rounded-control bg-sunken font-code text-ui wrap-anywhere whitespace-pre-wrap';
  if (!virtual) {
    return (
      <div tabIndex={0} role="group" aria-label={label} data-outline className={classes(look, 'overflow-auto px-3 py-2', className)}>
        <VisibleText text={text} />
        {end}
      </div>
    );
  }
  return (
    <div role="group" aria-label={label} data-outline className={classes(look, 'h-100 py-2', className)}>
      <Virtuoso
        data={rows}
        itemContent={(_, row) => (
          <div className="min-h-5 px-3">
            <VisibleText text={row.text} />
          </div>
        )}
        components={{ Footer: () => <>{end}</> }}
      />
    </div>
  );
}
