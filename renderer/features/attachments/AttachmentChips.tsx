import { CircleAlert, Paperclip, RefreshCw, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { type Attached, attachedIn } from '../../state/attachments.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { ResultBlockView } from '../../ui/ResultBlockView.tsx';
import { useBlocksSize } from '../../ui/useBlocksSize.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** What goes along with the next message: each can be looked at, read anew and taken off. */
export function AttachmentChips({ conversationId, onRemoved }: { conversationId: ConversationId | null; onRemoved(): void }) {
  const { t } = useTranslation('attachments');
  const { attachments } = useStores();
  const list = useStore(attachments.store, (state) => attachedIn(state.lists, conversationId));
  const contentId = useId();
  const [shown, setShown] = useState<string | null>(null);
  if (list.length === 0) return null;
  const opened = list.find((each) => keyOf(each) === shown);
  return (
    <div className="flex flex-col gap-2 pb-2">
      <ul aria-label={t('list')} className="flex flex-wrap gap-2">
        {list.map((each) => (
          <Chip
            key={keyOf(each)}
            attached={each}
            open={each === opened}
            contentId={contentId}
            onOpen={() => setShown(each === opened ? null : keyOf(each))}
            onRemove={() => {
              attachments.remove(conversationId, each);
              onRemoved();
            }}
          />
        ))}
      </ul>
      {opened === undefined ? null : (
        <div id={contentId} className="flex max-h-[min(240px,20vh)] flex-col gap-2 overflow-auto border-t border-line pt-2">
          <p className="text-caption wrap-anywhere text-ink-3">
            <VisibleText text={opened.uri} />
          </p>
          {opened.changed ? (
            <p className="flex flex-wrap items-center gap-2 text-ui text-write">
              {t('changedWords')}
              <Button kind="quiet" className="min-h-7" onClick={() => void attachments.readAgain(opened)}>
                <RefreshCw size={16} aria-hidden />
                {t('readAgain')}
              </Button>
            </p>
          ) : null}
          <FailureNote
            failure={opened.failure}
            action={<Button onClick={() => void attachments.readAgain(opened)}>{t('tryAgain')}</Button>}
          />
          {opened.status === 'ready' && opened.blocks.length === 0 ? <p className="text-ui text-ink-3">{t('empty')}</p> : null}
          {opened.blocks.map((block, index) => (
            <ResultBlockView key={index} block={block} />
          ))}
        </div>
      )}
    </div>
  );
}

const keyOf = ({ serverId, uri }: Attached) => `${serverId} ${uri}`;

function Chip({
  attached,
  open,
  contentId,
  onOpen,
  onRemove,
}: {
  attached: Attached;
  open: boolean;
  contentId: string;
  onOpen(): void;
  onRemove(): void;
}) {
  const { t } = useTranslation('attachments');
  const size = useBlocksSize();
  const fact = attached.status === 'reading' ? t('reading') : attached.status === 'failed' ? t('failed') : size(attached.blocks);
  const bad = attached.status === 'failed';
  return (
    <li
      data-outline
      data-attachment={attached.status}
      className={`flex min-h-8 max-w-full items-center rounded-control border ${bad ? 'border-transparent bg-danger-soft text-danger' : 'border-line bg-sunken text-ink-2'}`}
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? contentId : undefined}
        className="flex min-h-8 min-w-0 items-center gap-2 rounded-control pr-1 pl-2 text-left text-caption -outline-offset-2"
        onClick={onOpen}
      >
        {bad ? <CircleAlert size={16} aria-hidden className="shrink-0" /> : <Paperclip size={16} aria-hidden className="shrink-0" />}
        <span className="max-w-60 truncate font-strong">
          <VisibleText text={attached.title} />
        </span>
        <span className={`shrink-0 tabular-nums ${bad ? '' : 'text-ink-3'}`}>{fact}</span>
        {attached.changed ? <span className="shrink-0 font-strong text-write">{t('changed')}</span> : null}
      </button>
      <IconButton small label={t('remove', { name: attached.title })} icon={<X size={16} aria-hidden />} onClick={onRemove} />
    </li>
  );
}
