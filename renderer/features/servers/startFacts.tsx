import { TriangleAlert } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** One row of what a start would run. */
export function Fact({ name, mark, hint, children }: { name: string; mark: ReactNode; hint?: string | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-3">
      <dt className="flex w-28 shrink-0 flex-wrap content-start items-start gap-2 pt-1 text-ui text-ink-3">
        {name}
        {mark}
      </dt>
      <dd className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        {children}
        {hint === undefined ? null : <p className="text-caption text-ink-3">{hint}</p>}
      </dd>
    </div>
  );
}

/** One value in a frame of its own, so that its blanks and its end can be seen. Never cut. */
export function Exact({ text }: { text: string }) {
  const { t } = useTranslation('servers');
  return (
    <code
      data-outline
      className="block w-fit max-w-full min-w-0 rounded-control bg-sunken px-2 py-1 text-ui wrap-anywhere whitespace-pre-wrap"
    >
      {text === '' ? <i className="text-ink-3">{t('consent.emptyArgument')}</i> : null}
      {/* A line end inside of one value must not look like the end of the value. */}
      {text.split('\n').map((line, index) => (
        <Fragment key={index}>
          {index === 0 ? null : (
            <>
              <span
                role="img"
                aria-label={t('consent.lineEnd')}
                className="rounded-[4px] border border-line-strong px-1 font-ui text-caption text-ink-2"
              >
                ↵
              </span>
              {'\n'}
            </>
          )}
          <VisibleText text={line} />
        </Fragment>
      ))}
    </code>
  );
}

export function Nothing() {
  const { t } = useTranslation('servers');
  return <span className="py-1 text-ui text-ink-3">{t('consent.noArguments')}</span>;
}

export function Warning({ children }: { children: ReactNode }) {
  return (
    <p role="alert" data-outline className="flex items-start gap-2 rounded-control bg-write-soft px-3 py-2 text-ui text-write">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      {children}
    </p>
  );
}
