import { ArrowDown } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { useStore } from 'zustand';
import type { Message } from '../../../preload/contract/conversations.ts';
import type { MessageId } from '../../../preload/contract/ids.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { Fallback } from '../../ui/Fallback.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { AssistantMessage } from './AssistantMessage.tsx';
import { useBottom } from './useBottom.ts';
import { UserMessage } from './UserMessage.tsx';

/** Where the numbering begins, so that older messages can be put before the first. */
const numbering = 1_000_000;
/** The shown branch, newest at the bottom, older pages on the way up. */
export function Transcript({
  editing,
  onEdit,
  onShowWaiting,
}: {
  editing: MessageId | null;
  onEdit(id: MessageId | null): void;
  onShowWaiting(): void;
}) {
  const { t } = useTranslation(['chat', 'app']);
  const { conversation } = useStores();
  const { status, error, branch, id, found } = useStore(conversation.store);
  const list = useRef<VirtuosoHandle>(null);
  const { messages } = branch;
  const bottom = useBottom();
  const last = messages.at(-1);
  const { stick, leave } = bottom;
  useEffect(() => {
    // Whoever has just sent something wants to see the answer to it.
    if (last?.role === 'user') stick();
  }, [last?.id, last?.role, stick]);

  const foundAt = useRef(-1);
  foundAt.current = found === null ? -1 : messages.findIndex((message) => message.id === found);
  useEffect(() => {
    if (found === null || foundAt.current === -1) return;
    leave();
    list.current?.scrollToIndex({ index: foundAt.current, align: 'center' });
  }, [found, leave]);

  if (status === 'failed' && error !== null) {
    return (
      <div className="mx-auto w-full max-w-180 p-6">
        <InlineError
          message={`${t('loadFailed')} ${error.message}`}
          detail={error.detail}
          action={<Button onClick={() => void conversation.reload()}>{t('app:tryAgain')}</Button>}
        />
      </div>
    );
  }
  if (status !== 'ready') {
    return (
      <div className="mx-auto w-full max-w-180 p-6">
        <Skeleton label={t('app:loading')} />
      </div>
    );
  }

  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const from = event.target instanceof HTMLElement ? event.target.dataset['message'] : undefined;
    if (from === undefined) return;
    const steps: Record<string, number> = { ArrowUp: Number(from) - 1, ArrowDown: Number(from) + 1, Home: 0, End: messages.length - 1 };
    const to = steps[event.key];
    if (to === undefined || to < 0 || to >= messages.length) return;
    event.preventDefault();
    const { currentTarget } = event;
    const focus = () => currentTarget.querySelector<HTMLElement>(`[data-message="${to}"]`)?.focus();
    list.current?.scrollIntoView({ index: to, done: focus });
  };

  const before = branch.prepended ?? 0;
  return (
    <div
      className="relative h-full"
      onKeyDown={move}
      onClickCapture={({ target }) => {
        // What is opened stays under the pointer.
        if (target instanceof Element && target.closest('[aria-expanded], summary') !== null) bottom.hold();
      }}
    >
      <Virtuoso
        key={id}
        ref={list}
        // Its column stays over that of the composer, whether or not there is something to scroll.
        className="h-full [scrollbar-gutter:stable_both-edges]"
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
        tabIndex={-1}
        data={messages}
        firstItemIndex={numbering - before}
        initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
        computeItemKey={(_, message) => message.id}
        scrollerRef={bottom.scrollerRef}
        totalListHeightChanged={bottom.follow}
        increaseViewportBy={600}
        startReached={() => void conversation.loadOlder()}
        components={components}
        itemContent={(number, message) => {
          const index = number - numbering + before;
          return (
            <Item
              message={message}
              index={index}
              place={index === messages.length - 1 ? 'last' : index === messages.length - 2 ? 'latest' : 'earlier'}
              found={found === message.id}
              editing={editing === message.id}
              onEdit={onEdit}
              onShowWaiting={onShowWaiting}
            />
          );
        }}
      />
      {bottom.near ? null : (
        <Button className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-floating shadow-float" onClick={bottom.stick}>
          <ArrowDown size={16} aria-hidden />
          {t('jumpToLatest')}
        </Button>
      )}
    </div>
  );
}

/** One message. It is drawn again only when something of its own has changed: not with every piece of the answer below it. */
const Item = memo(function Item({
  message,
  index,
  place,
  found,
  editing,
  onEdit,
  onShowWaiting,
}: {
  message: Message;
  index: number;
  place: 'last' | 'latest' | 'earlier';
  found: boolean;
  editing: boolean;
  onEdit(id: MessageId | null): void;
  onShowWaiting(): void;
}) {
  const { t } = useTranslation('chat');
  const shown = place !== 'earlier';
  return (
    <article
      data-message={index}
      data-found={found || undefined}
      tabIndex={place === 'last' ? 0 : -1}
      aria-label={message.role === 'user' ? t('you') : t('assistant')}
      aria-current={found || undefined}
      className={classes(
        'mx-auto max-w-180 rounded-card px-6 max-[519px]:px-3',
        place === 'last' ? 'pb-6' : 'pb-2',
        found && 'border-l-2 border-accent bg-sunken pt-2',
      )}
    >
      <Fallback of={message} instead={<InlineError message={t('cannotBeShown')} />}>
        {message.role === 'user' ? (
          <UserMessage message={message} last={shown} editing={editing} onEdit={(edit) => onEdit(edit ? message.id : null)} />
        ) : (
          <AssistantMessage message={message} last={shown} onShowWaiting={onShowWaiting} />
        )}
      </Fallback>
    </article>
  );
});

/** What stands over the first message that is there: that older ones are on their way, or why they are not. */
function Older() {
  const { t } = useTranslation(['chat', 'app']);
  const { conversation } = useStores();
  const loading = useStore(conversation.store, (state) => state.loadingOlder);
  const error = useStore(conversation.store, (state) => state.olderError);
  return (
    <div className="mx-auto max-w-180 px-6 pt-6">
      {loading ? <Skeleton label={t('older')} /> : null}
      {error === null ? null : (
        <InlineError
          message={`${t('olderFailed')} ${error.message}`}
          detail={error.detail}
          action={<Button onClick={() => void conversation.loadOlder()}>{t('app:tryAgain')}</Button>}
        />
      )}
    </div>
  );
}

const components = { Header: Older };
