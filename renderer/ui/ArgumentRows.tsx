import { useMemo } from 'react';
import { argumentRows } from '../text/argumentRows.ts';
import { ArgumentValue, argumentListClasses } from './ArgumentValue.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Every value of a call's arguments, with its name. */
export function ArgumentRows({ json, empty }: { json: string; empty: string }) {
  const rows = useMemo(() => argumentRows(json), [json]);
  if (rows.length === 0) return <p className="text-ink-3">{empty}</p>;
  return (
    <dl className={argumentListClasses}>
      {rows.map((row) => (
        <div key={row.at} className="contents">
          <dt className="max-w-40 text-ink-3 wrap-anywhere">
            <VisibleText text={row.name} />
          </dt>
          <dd className="min-w-0">
            <ArgumentValue row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
