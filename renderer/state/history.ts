import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation } from '../../preload/contract/conversations.ts';
import type { HistoryEvent } from '../../preload/contract/events.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import type { Failure } from '../../preload/contract/result.ts';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import type { Mirror } from './mirror.ts';

export interface HistoryState {
  /** Newest first. */
  conversations: readonly Conversation[];
  hasMore: boolean;
  loadingMore: boolean;
  error: Failure | null;
}

const newestFirst = (a: Conversation, b: Conversation) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

export function applyHistoryEvent(conversations: readonly Conversation[], event: HistoryEvent): readonly Conversation[] {
  const others = conversations.filter(
    ({ id }) => id !== (event.type === 'conversation.changed' ? event.conversation.id : event.conversationId),
  );
  return event.type === 'conversation.changed' ? [...others, event.conversation].sort(newestFirst) : others;
}

export type HistoryGroup = 'today' | 'yesterday' | 'lastWeek' | 'lastMonth' | 'older';

/** Conversations by the day of their last change, in the order given; a group without any is left out. */
export function groupByDay(conversations: readonly Conversation[], now: Date): { group: HistoryGroup; conversations: Conversation[] }[] {
  const midnight = (daysAgo: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  const groupOf = (at: number): HistoryGroup =>
    at >= midnight(0)
      ? 'today'
      : at >= midnight(1)
        ? 'yesterday'
        : at >= midnight(7)
          ? 'lastWeek'
          : at >= midnight(30)
            ? 'lastMonth'
            : 'older';
  const groups = new Map<HistoryGroup, Conversation[]>();
  for (const conversation of conversations) {
    const group = groupOf(conversation.updatedAt);
    groups.set(group, [...(groups.get(group) ?? []), conversation]);
  }
  return [...groups].map(([group, inGroup]) => ({ group, conversations: inGroup }));
}

export interface HistoryStore extends Mirror {
  store: StoreApi<HistoryState>;
  loadMore(): Promise<void>;
  /** Calls the listener with each chat that is deleted, by whatever window. Returns the function that ends it. */
  onRemoved(listener: (id: ConversationId) => void): () => void;
}

const pageSize = 100;

export function createHistoryStore(bridge: ConnectedBridge): HistoryStore {
  const removed = new Set<(id: ConversationId) => void>();
  const store = createStore<HistoryState>(() => ({ conversations: [], hasMore: false, loadingMore: false, error: null }));
  return {
    store,
    load: ({ conversations }) =>
      store.setState({ conversations: [...conversations].sort(newestFirst), hasMore: conversations.length >= pageSize, error: null }),
    apply(message) {
      if (message.topic !== 'history') return;
      const { event } = message;
      store.setState(({ conversations }) => ({ conversations: applyHistoryEvent(conversations, event) }));
      if (event.type === 'conversation.removed') for (const listener of removed) listener(event.conversationId);
    },
    onRemoved(listener) {
      removed.add(listener);
      return () => removed.delete(listener);
    },
    async loadMore() {
      const { conversations, loadingMore } = store.getState();
      const last = conversations.at(-1);
      if (loadingMore || last === undefined) return;
      store.setState({ loadingMore: true, error: null });
      const result = await bridge.invoke('conversation.list', { before: last.updatedAt, limit: pageSize });
      if (!result.ok) {
        store.setState({ loadingMore: false, error: result.error });
        return;
      }
      store.setState(({ conversations: known }) => {
        const ids = new Set(known.map(({ id }) => id));
        const older = result.value.conversations.filter(({ id }) => !ids.has(id));
        return { loadingMore: false, hasMore: result.value.hasMore, conversations: [...known, ...older].sort(newestFirst) };
      });
    },
  };
}
