import { MessagesSquare } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { waitingElsewhere } from '../../state/approvals.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** Most chats that are named in the line. */
const mostNamed = 2;

/** Names the other chats in which something waits. Their cards stand there, beside what they are about; here nothing of them is answered. */
export function ElsewhereLine({ conversationId }: { conversationId: ConversationId | null }) {
  const { t } = useTranslation('approval');
  const { approvals, history, app } = useStores();
  const state = useStore(approvals.store);
  const chats = useStore(history.store, ({ conversations }) => conversations);
  const waiting = useMemo(() => waitingElsewhere(state, conversationId), [state, conversationId]);
  if (waiting.length === 0) return null;
  const titleOf = (id: ConversationId) => chats.find((chat) => chat.id === id)?.title || t('elsewhere.untitled');
  return (
    <div
      role="status"
      data-outline
      className="flex flex-wrap items-center gap-x-2 rounded-control bg-sunken py-1 pr-1 pl-3 text-ui text-ink-2"
    >
      <MessagesSquare size={16} aria-hidden className="shrink-0 text-write" />
      <span className="flex-1 whitespace-nowrap">{t('elsewhere.waits')}</span>
      {waiting.slice(0, mostNamed).map(({ conversationId: id, cards }) => (
        <Button
          key={id}
          className="min-h-7 max-w-60 min-w-0 shrink"
          aria-label={t('elsewhere.go', { title: titleOf(id) })}
          onClick={() => app.show({ page: 'chat', conversationId: id })}
        >
          <span className="truncate">
            <VisibleText text={titleOf(id)} />
          </span>
          {cards > 1 ? <span className="text-ink-3 tabular-nums">{cards}</span> : null}
        </Button>
      ))}
      {waiting.length > mostNamed ? (
        <span className="pr-2 text-caption text-ink-3">{t('elsewhere.more', { count: waiting.length - mostNamed })}</span>
      ) : null}
    </div>
  );
}
