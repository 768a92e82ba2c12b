import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResultBlock } from '../../preload/contract/content.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { useAction } from '../bridge/useAction.ts';
import { Button } from './Button.tsx';
import { FailureNote } from './FailureNote.tsx';
import { LongTextView } from './LongTextView.tsx';
import { readImage } from './readImage.ts';
import { useTimes } from './useTimes.ts';
import { VisibleText } from './VisibleText.tsx';

/** One block of what a server returned: its words as plain text, its bytes on demand. */
export function ResultBlockView({ block }: { block: ResultBlock }) {
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
