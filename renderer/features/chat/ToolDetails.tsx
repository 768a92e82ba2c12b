import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { readImage } from './readImage.ts';
import { ArgumentRows } from '../../ui/ArgumentRows.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { LongTextView } from '../../ui/LongTextView.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { useTimes } from '../../ui/useTimes.ts';

/** What was sent and what came back, as it was. */
export function ToolDetails({ call }: { call: ToolCall }) {
  const { t } = useTranslation('chat');
  const [raw, setRaw] = useState(false);
  const whole = call.arguments.text.length === call.arguments.length;
  const content = call.state === 'succeeded' || call.state === 'failed' ? call.content : null;
  return (
    <div className="flex flex-col gap-4 border-t border-line px-4 py-3">
      <section className="flex flex-col gap-2">
        <div className="flex min-h-7 items-center justify-between">
          <span className="text-caption text-ink-3">{t('call.input')}</span>
          {whole ? (
            <Button kind="quiet" aria-pressed={raw} onClick={() => setRaw(!raw)}>
              {raw ? t('call.asRows') : t('call.rawJson')}
            </Button>
          ) : null}
        </div>
        {raw || !whole ? (
          <LongTextView text={call.arguments} label={t('call.rawJson')} />
        ) : (
          <ArgumentRows json={call.arguments.text} empty={t('call.noInput')} />
        )}
      </section>
      {call.reason === undefined ? null : (
        <p className="text-caption text-ink-3">
          {t('call.reason')}: {call.reason.text}
        </p>
      )}
      {content === null ? null : (
        <section className="flex flex-col gap-2">
          <span className="text-caption text-ink-3">{t('call.result')}</span>
          {content.length === 0 ? <p className="text-ink-3">{t('call.empty')}</p> : null}
          {content.map((block, index) => (
            <Block key={index} block={block} />
          ))}
        </section>
      )}
      <MessagesLink call={call} />
    </div>
  );
}

/** The way to what really went over the wire. A call that never went out has none. */
function MessagesLink({ call }: { call: ToolCall }) {
  const { t } = useTranslation('chat');
  const { app } = useStores();
  const { serverId } = call;
  if (serverId === undefined || call.state === 'proposed' || call.state === 'awaitingApproval' || call.state === 'denied') return null;
  return (
    <Button
      kind="quiet"
      className="-ml-3 self-start"
      onClick={() => app.show({ page: 'settings', settings: 'servers', part: `${serverId}/trace/${call.id}` })}
    >
      {t('call.showMessages')}
    </Button>
  );
}

function Block({ block }: { block: ResultBlock }) {
  const { t } = useTranslation('chat');
  const { size } = useTimes();
  switch (block.type) {
    case 'text':
      return <LongTextView text={block.text} label={t('call.text')} />;
    case 'structured':
      return <LongTextView text={block.json} label={t('call.structured')} />;
    case 'resourceText':
      return <LongTextView text={block.text} label={t('call.resource', { uri: block.uri })} />;
    case 'image':
      return <ImageBlock block={block} />;
    case 'audio':
      return <p className="text-ink-2">{t('call.audio', { type: block.mimeType, size: size(block.bytes) })}</p>;
    case 'resourceBlob':
      return (
        <p className="wrap-anywhere text-ink-2">
          <VisibleText text={block.uri} /> · {t('call.bytes', { type: block.mimeType ?? t('call.unknownType'), size: size(block.bytes) })}
        </p>
      );
    case 'resourceLink':
      return (
        <p className="wrap-anywhere text-ink-2">
          {t('call.link')}: <VisibleText text={block.title ?? block.name} /> · <code>{<VisibleText text={block.uri} />}</code>
        </p>
      );
    case 'unreadable':
      return <p className="text-write">{t('call.unreadable', { reason: block.reason })}</p>;
  }
}

/** A picture that a tool returned. It lies in a blob of ours; nothing is fetched from anywhere. */
function ImageBlock({ block }: { block: Extract<ResultBlock, { type: 'image' }> }) {
  const { t } = useTranslation('chat');
  const { size } = useTimes();
  const bridge = useBridge();
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  const show = useAction(async () => {
    const result = await readImage(bridge, block);
    if (result.ok) setUrl(URL.createObjectURL(result.value));
    return result;
  });
  const words = t('call.image', { type: block.mimeType, size: size(block.bytes) });
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-ink-2">{words}</span>
        <Button kind="quiet" disabled={show.busy} onClick={() => (url === null ? void show.run() : setUrl(null))}>
          {url === null ? t('call.showImage') : t('call.hideImage')}
        </Button>
      </div>
      {url === null ? null : <img src={url} alt={words} className="max-h-120 max-w-full rounded-control border border-line" />}
      <FailureNote failure={show.failure} />
    </div>
  );
}
