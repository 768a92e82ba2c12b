import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import type { HttpEnvelope, TraceEntryId, TracePurpose } from '../../../preload/contract/trace.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { PlainText, virtualFrom } from '../../ui/PlainText.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { useTimes } from '../../ui/useTimes.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { indented, requestText, traceIdOf } from './requestText.ts';
import { useTraceWords } from './traceWords.ts';

type Read = CommandOutput<'trace.read'>;
export type ServedCall = Extract<TracePurpose, { kind: 'call' }>;

/** One message: what it was, what carried it, and its text, indented or as it came. */
export function MessageDetail({
  entryId,
  onChoose,
  onClose,
  onResend,
  onShowCard,
}: {
  entryId: TraceEntryId;
  onChoose(id: TraceEntryId): void;
  onClose(): void;
  onResend(json: string): void;
  onShowCard(call: ServedCall): void;
}) {
  const { t } = useTranslation('inspector');
  const bridge = useBridge();
  const words = useTraceWords();
  const { duration, size } = useTimes();
  const [read, setRead] = useState<Read>();
  const [failure, setFailure] = useState<Failure>();
  const [view, setView] = useState<'pretty' | 'raw'>('pretty');
  useEffect(() => {
    let current = true;
    setFailure(undefined);
    void bridge.invoke('trace.read', { entryId }).then((result) => {
      if (!current) return;
      if (result.ok) setRead(result.value);
      else setFailure(result.error);
    });
    return () => {
      current = false;
    };
  }, [bridge, entryId]);

  if (failure !== undefined) return <FailureNote failure={failure} />;
  // The one before stays until the next is there: nothing jumps.
  if (read === undefined) return null;
  const { entry, http, text, isCut } = read;
  const pretty = indented(text);
  const shown = view === 'pretty' ? (pretty ?? text) : text;
  const title = [words.kind(entry), entry.method ?? '', entry.subject ?? ''].filter((each) => each !== '').join(' ');
  const facts = [
    words.time(entry.at),
    words.direction(entry),
    entry.direction === 'here' ? '' : size(entry.bytes),
    entry.tookMs === undefined ? '' : t('detail.took', { time: duration(entry.tookMs) }),
    entry.era === undefined ? '' : t(`detail.${entry.era}`),
    http === undefined ? '' : t('detail.http', { method: http.method }),
    http?.status === undefined ? '' : t('detail.status', { status: http.status }),
    http?.eventId === undefined ? '' : t('detail.event', { id: http.eventId }),
  ].filter((fact) => fact !== '');
  const traceId = entry.direction === 'toServer' ? traceIdOf(text) : undefined;
  const pair = entry.pairId;
  const served = entry.purpose?.kind === 'call' ? entry.purpose : undefined;
  return (
    <section
      aria-label={t('detail.label')}
      data-outline
      className="flex flex-col gap-3 rounded-card border border-line bg-surface px-4 py-3"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-label wrap-anywhere">
            <VisibleText text={entry.direction === 'here' ? words.kind(entry) : title} />
          </h2>
          <p className="text-caption text-ink-3 tabular-nums">{facts.join(' · ')}</p>
        </div>
        <IconButton small label={t('detail.close')} icon={<X size={16} aria-hidden />} onClick={onClose} />
      </div>
      {entry.problem === undefined ? null : <p className="text-ui wrap-anywhere text-danger">{entry.problem}</p>}
      <div className="-ml-3 flex flex-wrap items-center gap-1 empty:hidden">
        {pair === undefined ? null : (
          <Button kind="quiet" onClick={() => onChoose(pair)}>
            {pair > entry.id ? t('detail.showAnswer') : t('detail.showRequest')}
          </Button>
        )}
        {entry.aboutId === undefined ? null : (
          <Button kind="quiet" onClick={() => onChoose(entry.aboutId ?? entryId)}>
            {t('detail.showAbout')}
          </Button>
        )}
        {entry.canResend === true ? (
          <Button kind="quiet" onClick={() => onResend(requestText(text))}>
            {t('detail.resend')}
          </Button>
        ) : null}
        {served === undefined ? null : (
          <Button kind="quiet" onClick={() => onShowCard(served)}>
            {t('detail.showCard')}
          </Button>
        )}
      </div>
      {traceId === undefined ? null : (
        <p className="flex flex-wrap items-center gap-x-2 text-caption text-ink-3">
          {t('detail.traceId')}
          <code className="wrap-anywhere text-ink-2">{traceId}</code>
          <CopyButton text={() => traceId} label={t('detail.copyTraceId')} />
        </p>
      )}
      {text === '' ? (
        <p className="text-ui text-ink-3">{t('detail.noText')}</p>
      ) : (
        <div className="flex flex-col gap-2">
          <div className="flex min-h-7 flex-wrap items-center gap-2">
            {pretty === undefined ? null : (
              <Segments<'pretty' | 'raw'>
                label={t('detail.view')}
                value={view}
                onChange={setView}
                options={[
                  { value: 'pretty', label: t('detail.pretty') },
                  { value: 'raw', label: t('detail.raw') },
                ]}
              />
            )}
            <span className="flex-1" />
            <CopyButton text={() => shown} />
          </div>
          <PlainText
            key={entry.id}
            text={shown}
            label={t('detail.message')}
            {...(shown.length > virtualFrom ? {} : { className: 'max-h-100' })}
          />
          {isCut ? (
            <p className="text-caption text-ink-3">{t('detail.cut', { kept: size(text.length), bytes: size(entry.bytes) })}</p>
          ) : null}
        </div>
      )}
      {http === undefined ? null : <Envelope http={http} />}
    </section>
  );
}

function Envelope({ http }: { http: HttpEnvelope }) {
  const { t } = useTranslation('inspector');
  return (
    <details className="text-ui">
      <summary className="w-fit rounded-control py-1 wrap-anywhere text-ink-2 hover:text-ink">
        <code>
          {http.method} <VisibleText text={http.url} />
        </code>
      </summary>
      <Headers label={t('detail.requestHeaders')} headers={http.requestHeaders} />
      {http.responseHeaders === undefined ? null : <Headers label={t('detail.responseHeaders')} headers={http.responseHeaders} />}
    </details>
  );
}

function Headers({ label, headers }: { label: string; headers: HttpEnvelope['requestHeaders'] }) {
  return (
    <div className="mt-2">
      <p className="text-caption text-ink-3">{label}</p>
      <dl className="grid grid-cols-[minmax(0,200px)_minmax(0,1fr)] gap-x-3">
        {headers.map(([name, value], index) => (
          <div key={index} className="contents">
            <dt className="text-caption wrap-anywhere text-ink-2">
              <VisibleText text={name} />
            </dt>
            <dd className="text-caption wrap-anywhere">
              <code>
                <VisibleText text={value} />
              </code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
