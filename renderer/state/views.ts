import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CallId, ConversationId } from '../../preload/contract/ids.ts';
import type { ViewWords } from '../../preload/contract/views.ts';

/** What a view wants said with the next message of its chat. The words themselves are at the host. */
export interface WordsOfView extends ViewWords {
  serverName: string;
  tool: string;
}

export interface ViewsState {
  words: Readonly<Partial<Record<ConversationId, readonly WordsOfView[]>>>;
  /** Calls whose view was closed by the person: they are text. */
  closed: ReadonlySet<CallId>;
}

const none: readonly WordsOfView[] = [];

export const wordsIn = (words: ViewsState['words'], conversationId: ConversationId | null): readonly WordsOfView[] =>
  conversationId === null ? none : (words[conversationId] ?? none);

const isSame = (one: ViewWords, other: ViewWords): boolean => one.callId === other.callId && one.kind === other.kind;

export interface ViewsStore {
  store: StoreApi<ViewsState>;
  /** In the place of what the same view said before. */
  say(conversationId: ConversationId, words: WordsOfView): void;
  takeOff(conversationId: ConversationId, words: ViewWords): void;
  /** The message that carried these was sent. */
  sent(conversationId: ConversationId, words: readonly ViewWords[]): void;
  setClosed(callId: CallId, closed: boolean): void;
}

export function createViewsStore(): ViewsStore {
  const store = createStore<ViewsState>(() => ({ words: {}, closed: new Set() }));
  const change = (conversationId: ConversationId, next: (now: readonly WordsOfView[]) => readonly WordsOfView[]) =>
    store.setState(({ words }) => ({ words: { ...words, [conversationId]: next(wordsIn(words, conversationId)) } }));
  return {
    store,
    say: (conversationId, words) => change(conversationId, (now) => [...now.filter((each) => !isSame(each, words)), words]),
    takeOff: (conversationId, words) => change(conversationId, (now) => now.filter((each) => !isSame(each, words))),
    sent: (conversationId, words) => change(conversationId, (now) => now.filter((each) => !words.some((gone) => isSame(gone, each)))),
    setClosed: (callId, closed) =>
      store.setState((state) => {
        const next = new Set(state.closed);
        if (closed) next.add(callId);
        else next.delete(callId);
        return { closed: next };
      }),
  };
}
