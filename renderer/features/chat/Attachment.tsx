import { Paperclip } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Part } from '../../../preload/contract/conversations.ts';
import { resourceKey } from '../../state/attachments.ts';
import { useStores } from '../../state/storesContext.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { useBlocksSize } from '../../ui/useBlocksSize.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { SentAlong } from './SentAlong.tsx';

/** A resource that went along with a message, as it was read then. Name, address and content are the server's words. */
export function Attachment({ part, sentAt }: { part: Extract<Part, { kind: 'attachment' }>; sentAt: number }) {
  const { t } = useTranslation('chat');
  const size = useBlocksSize();
  const { attachments } = useStores();
  const changedSince = useStore(attachments.store, (state) => (state.changedAt[resourceKey(part)] ?? 0) > sentAt);
  return (
    <SentAlong
      kind="attachment"
      icon={<Paperclip size={16} aria-hidden />}
      title={part.title}
      from={t('attachment.from', { server: part.serverName })}
      facts={
        <>
          <span className="shrink-0 text-ink-3 tabular-nums">{size(part.content)}</span>
          {changedSince ? <span className="shrink-0 text-write">{t('attachment.changedSince')}</span> : null}
        </>
      }
    >
      <code className="text-caption wrap-anywhere text-ink-3">
        <VisibleText text={part.uri} />
      </code>
      {part.content.map((block, index) => (
        <ResultBlockView key={index} block={block} />
      ))}
    </SentAlong>
  );
}
