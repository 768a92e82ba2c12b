import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type ArgumentRow, isLongValue } from '../text/argumentRows.ts';
import type { TextMark } from '../text/markedPieces.ts';
import { countLines } from '../text/rowsOfText.ts';
import { MarkedText } from './MarkedText.tsx';
import { PlainText, virtualFrom } from './PlainText.tsx';

/** The columns of names and values. */
export const argumentListClasses =
  'grid grid-cols-1 gap-x-4 gap-y-2 min-[520px]:grid-cols-[minmax(96px,auto)_minmax(0,1fr)] max-[519px]:[&_dt]:-mb-2';

/** The same list on every rendering. */
const noMarks: readonly TextMark[] = [];

/**
 * One value of a call's arguments, never cut: a long one scrolls in a box of its own under its line count. `end` stands behind the last
 * character of a long value; `children` in the place of a short one.
 */
export function ArgumentValue({
  row: { name, value, kind },
  marks = noMarks,
  end,
  children,
}: {
  row: ArgumentRow;
  marks?: readonly TextMark[];
  end?: ReactNode;
  children?: ReactNode;
}) {
  const { t } = useTranslation('app');
  if (value === '') return <span className="text-ink-3">{t('emptyText')}</span>;
  if (!isLongValue(value))
    return (
      <code className={`wrap-anywhere whitespace-pre-wrap ${kind === 'json' ? 'text-accent' : ''}`}>
        {children ?? <MarkedText text={value} marks={marks} />}
      </code>
    );
  return (
    <>
      <PlainText
        text={value}
        label={name}
        end={end}
        marks={marks}
        {...(value.length > virtualFrom ? {} : { className: 'max-h-[120px]' })}
      />
      <p className="mt-1 text-caption text-ink-3">{t('longText.lines', { count: countLines(value) })}</p>
    </>
  );
}
