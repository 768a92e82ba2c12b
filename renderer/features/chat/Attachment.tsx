import { Paperclip } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Part } from '../../../preload/contract/conversations.ts';
import { resourceKey } from '../../state/attachments.ts';
import { useStores } from '../../state/storesContext.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { useBlocksSize } from '../../ui/useBlocksSize.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** A resource that went along with a message, as it was read then. Name, address and content are the server's words. */
export function Attachment({ part, sentAt }: { part: Extract<Part, { kind: 'attachment' }>; sentAt: number }) {
  const { t } = useTranslation('chat');
  const size = useBlocksSize();
  const { attachments } = useStores();
  const changedSince = useStore(attachments.store, (state) => (state.changedAt[resourceKey(part)] ?? 0) > sentAt);
  const contentId = useId();
  const [open, setOpen] = useState(false);
  return (
    <div data-attached className="flex w-full min-w-0 flex-col items-end gap-1">
      <button
        type="button"
        data-outline
        aria-expanded={open}
        aria-controls={open ? contentId : undefined}
        className="flex min-h-7 max-w-[80%] items-center gap-2 rounded-control border border-line bg-surface px-2 text-left text-caption text-ink-2 hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <Paperclip size={16} aria-hidden className="shrink-0" />
        <span className="truncate font-strong">
          <VisibleText text={part.title} />
        </span>
        <span className="max-w-40 shrink-0 truncate text-ink-3">{t('attachment.from', { server: part.serverName })}</span>
        <span className="shrink-0 text-ink-3 tabular-nums">{size(part.content)}</span>
        {changedSince ? <span className="shrink-0 text-write">{t('attachment.changedSince')}</span> : null}
      </button>
      {open ? (
        <div id={contentId} className="flex w-full flex-col gap-2 rounded-card border border-line bg-surface px-4 py-3">
          <code className="text-caption wrap-anywhere text-ink-3">
            <VisibleText text={part.uri} />
          </code>
          {part.content.map((block, index) => (
            <ResultBlockView key={index} block={block} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
