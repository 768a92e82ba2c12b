import { PanelLeftOpen } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId, MessageId } from '../../preload/contract/ids.ts';
import { ApprovalDock } from '../features/approval/ApprovalDock.tsx';
import { ElsewhereLine } from '../features/approval/ElsewhereLine.tsx';
import { EmptyChat } from '../features/chat/EmptyChat.tsx';
import { Transcript } from '../features/chat/Transcript.tsx';
import { Sidebar } from '../features/history/Sidebar.tsx';
import { ReviewLine } from '../features/review/ReviewLine.tsx';
import { SigningInLines } from '../features/signin/SigningInLines.tsx';
import { TasksTray } from '../features/tasks/TasksTray.tsx';
import { useStores } from '../state/storesContext.tsx';
import { useChatActions } from '../state/useChatActions.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { ModelPicker } from '../ui/ModelPicker.tsx';
import { VisibleText } from '../ui/VisibleText.tsx';
import { ChatComposer } from './ChatComposer.tsx';
import { LiveStatus } from './LiveStatus.tsx';
import { ServersLine } from './ServersLine.tsx';
import { useShortcuts } from './useShortcuts.ts';
import { useWide } from './useWide.ts';

/** Sidebar, header, transcript, what waits, composer: the features put together, in the order in which they are read. */
export function ChatPage({ onSearch }: { onSearch(): void }) {
  const { t } = useTranslation(['chat', 'app', 'history']);
  const stores = useStores();
  const { app, settings, notices, drafts } = stores;
  const actions = useChatActions();
  const conversationId = useStore(app.store, (state) => (state.view.page === 'chat' ? state.view.conversationId : null));
  const wantedCard = useStore(app.store, (state) => (state.view.page === 'chat' ? state.view.card : undefined));
  const collapsed = useStore(settings.store, (state) => state.settings?.sidebarCollapsed ?? false);
  const running = useStore(stores.conversation.store, (state) => {
    const turn = state.branch.messages.at(-1)?.turn;
    return turn?.state === 'running' ? turn.id : null;
  });
  const lastUserMessage = useStore(stores.conversation.store, (state) => state.branch.messages.findLast(({ role }) => role === 'user')?.id);
  const wide = useWide();
  const [overlay, setOverlay] = useState(false);
  const [editing, setEditing] = useState<MessageId | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const card = useRef<HTMLElement>(null);
  const focusBefore = useRef<Element | null>(null);

  const { show } = actions;
  useEffect(() => {
    void show(conversationId);
    setEditing(null);
  }, [conversationId, show]);

  const { onRemoved } = stores.history;
  useEffect(
    () =>
      onRemoved((removed) => {
        const { view } = app.store.getState();
        if (view.page === 'chat' && view.conversationId === removed) app.show({ page: 'chat', conversationId: null });
      }),
    [app, onRemoved],
  );

  const toComposer = useCallback(() => field.current?.focus(), []);
  const toCard = useCallback(() => {
    if (card.current === null || card.current.contains(document.activeElement)) return;
    focusBefore.current = document.activeElement;
    card.current.focus();
  }, []);
  useEffect(() => {
    if (wantedCard !== undefined) toCard();
  }, [wantedCard, toCard]);
  const afterDecision = () => {
    // The card has the focus only when the person went there; then it goes back where it was.
    const inCard = card.current?.contains(document.activeElement) === true || document.activeElement === document.body;
    if (!inCard) return;
    const before = focusBefore.current;
    focusBefore.current = null;
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    else toComposer();
  };
  const sidebarShown = wide ? !collapsed : overlay;
  const toggleSidebar = () => {
    if (!wide) setOverlay(!overlay);
    else void settings.set({ sidebarCollapsed: !collapsed }).then((result) => notices.valueOf(result));
  };
  const open = (id: ConversationId | null) => {
    setOverlay(false);
    app.show({ page: 'chat', conversationId: id });
    toComposer();
  };
  useShortcuts({
    'Mod+N': () => open(null),
    'Mod+B': toggleSidebar,
    'Mod+J': toCard,
    'Mod+.': () => (running === null ? undefined : void actions.stop(running).then((result) => notices.valueOf(result))),
    Escape: () => (overlay ? setOverlay(false) : toComposer()),
  });

  return (
    <div className="relative flex h-full min-h-0">
      <a
        href="#composer"
        className="sr-only rounded-control border border-line bg-floating text-label focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-1"
        onClick={(event) => {
          event.preventDefault();
          toComposer();
        }}
      >
        {t('app:skipToChat')}
      </a>
      {sidebarShown ? (
        <div className={wide ? 'shrink-0' : 'absolute inset-y-0 left-0 z-30 animate-appear shadow-float'}>
          <Sidebar
            current={conversationId}
            servers={<ServersLine />}
            onOpen={open}
            onSearch={onSearch}
            onSettings={() => app.show({ page: 'settings', settings: 'general' })}
            onHide={toggleSidebar}
          />
        </div>
      ) : null}
      {!wide && overlay ? <div className="absolute inset-0 z-20 bg-scrim" onClick={() => setOverlay(false)} /> : null}
      <div className="flex min-w-0 flex-1 flex-col">
        <ChatHeader sidebarShown={sidebarShown && wide} onShowSidebar={toggleSidebar} />
        <main className="flex min-h-0 flex-1 flex-col">
          <section data-region="transcript" tabIndex={-1} aria-label={t('conversation')} className="min-h-0 flex-1 outline-none">
            {conversationId === null ? (
              <div className="h-full overflow-auto">
                <Begin
                  onSuggest={(text) => {
                    drafts.set(null, text);
                    toComposer();
                  }}
                />
              </div>
            ) : (
              <Transcript editing={editing} onEdit={setEditing} onShowWaiting={toCard} />
            )}
          </section>
          <div className="flex flex-col gap-3 px-6 pb-4 max-[519px]:px-3">
            <div data-region="approval" tabIndex={-1} className="mx-auto w-full max-w-180 outline-none empty:hidden">
              <ApprovalDock
                conversationId={conversationId}
                wanted={wantedCard}
                card={card}
                onDecided={afterDecision}
                onLeave={toComposer}
              />
            </div>
            <div className="mx-auto flex w-full max-w-180 flex-col gap-2 empty:hidden">
              <ElsewhereLine conversationId={conversationId} />
              <SigningInLines />
              <ReviewLine />
            </div>
            <div id="composer" data-region="composer" className="mx-auto w-full max-w-180">
              <ChatComposer field={field} running={running} facts={<Facts />} onEditLast={() => setEditing(lastUserMessage ?? null)} />
            </div>
          </div>
        </main>
      </div>
      <LiveStatus key={conversationId} />
    </div>
  );
}

/** The model of what is shown, or of the next chat. */
function useModel() {
  const stores = useStores();
  const chosen = useStore(stores.app.store, (state) => state.newChatModel);
  const fallback = useStore(stores.settings.store, (state) => state.settings?.defaultModel);
  const id = useStore(stores.conversation.store, (state) => state.id);
  const opened = useStore(stores.conversation.store, (state) => state.conversation);
  // The history follows every change of a chat; a chat too old to be listed there is known from its opening.
  const listed = useStore(stores.history.store, (state) => state.conversations.find((each) => each.id === id));
  const conversation = id === null ? undefined : (listed ?? opened ?? undefined);
  return { conversation, model: id === null ? (chosen ?? fallback) : (conversation?.model ?? fallback) };
}

function ChatHeader({ sidebarShown, onShowSidebar }: { sidebarShown: boolean; onShowSidebar(): void }) {
  const { t } = useTranslation(['chat', 'app', 'history']);
  const { app, providers, notices } = useStores();
  const list = useStore(providers.store, (state) => state.providers);
  const { setModel } = useChatActions();
  const { conversation, model } = useModel();
  const title = conversation === undefined || conversation.title === '' ? t('newChatTitle') : conversation.title;
  return (
    <header data-region="header" tabIndex={-1} className="flex min-h-11 items-center gap-3 border-b border-line px-4 outline-none">
      {sidebarShown ? null : (
        <IconButton
          small
          className="-ml-2"
          label={t('app:showSidebar')}
          keys="Mod+B"
          icon={<PanelLeftOpen size={16} aria-hidden />}
          onClick={onShowSidebar}
        />
      )}
      <h1 className="min-w-0 flex-1 truncate text-label">
        <VisibleText text={title} />
      </h1>
      <TasksTray onOpenChat={(id) => app.show({ page: 'chat', conversationId: id })} />
      <ModelPicker
        compact
        providers={list}
        value={model}
        onChange={(ref) => (ref === undefined ? undefined : void setModel(ref).then((result) => notices.valueOf(result)))}
        onManage={() => app.show({ page: 'settings', settings: 'models' })}
      />
    </header>
  );
}

function Begin({ onSuggest }: { onSuggest(text: string): void }) {
  const { model } = useModel();
  return (
    <div className="flex min-h-full flex-col justify-center">
      <EmptyChat hasModel={model !== undefined} onSuggest={onSuggest} />
    </div>
  );
}

/** What the model may use, beside the field. */
function Facts() {
  const { t } = useTranslation('chat');
  const { app, servers } = useStores();
  const count = useStore(servers.store, (state) =>
    state.servers
      .filter(({ status, toReview }) => status.state === 'ready' && toReview?.isFirst !== true)
      .reduce((sum, { counts }) => sum + (counts?.tools ?? 0), 0),
  );
  if (count === 0) return null;
  return (
    <button
      type="button"
      data-outline
      className="inline-flex min-h-7 items-center rounded-full border border-line px-2 text-caption text-ink-2 hover:bg-hover"
      onClick={() => app.show({ page: 'settings', settings: 'servers' })}
    >
      {t('composer.tools', { count })}
    </button>
  );
}
