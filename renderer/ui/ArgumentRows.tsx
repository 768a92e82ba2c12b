import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { argumentRows, isLongValue } from '../text/argumentRows.ts';
import { countLines } from '../text/rowsOfText.ts';
import { PlainText, virtualFrom } from './PlainText.tsx';
import { VisibleText } from './VisibleText.tsx';

/**
 * Every value of a call's arguments, never cut: a long one scrolls in a box of its own under its line count.
 * `endOf` is put behind the last character of each long value.
 */
export function ArgumentRows({ json, empty, endOf }: { json: string; empty: string; endOf?: (name: string) => ReactNode }) {
  const { t } = useTranslation('app');
  const rows = useMemo(() => argumentRows(json), [json]);
  if (rows.length === 0) return <p className="text-ink-3">{empty}</p>;
  return (
    <dl className="grid grid-cols-1 gap-x-4 gap-y-2 min-[520px]:grid-cols-[minmax(96px,auto)_minmax(0,1fr)]">
      {rows.map(({ name, value, kind }) => (
        <div key={name} className="contents">
          <dt className="max-w-40 text-ink-3 wrap-anywhere max-[519px]:-mb-2">
            <VisibleText text={name} />
          </dt>
          <dd className="min-w-0">
            {value === '' ? (
              <span className="text-ink-3">{t('emptyText')}</span>
            ) : isLongValue(value) ? (
              <>
                <PlainText
                  text={value}
                  label={name}
                  end={endOf?.(name)}
                  {...(value.length > virtualFrom ? {} : { className: 'max-h-[120px]' })}
                />
                <p className="mt-1 text-caption text-ink-3">{t('longText.lines', { count: countLines(value) })}</p>
              </>
            ) : (
              <code className={`wrap-anywhere whitespace-pre-wrap ${kind === 'json' ? 'text-accent' : ''}`}>
                <VisibleText text={value} />
              </code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
