import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConversationId } from '../../preload/contract/ids.ts';

type Place = ConversationId | 'new';

/** What stands in the message field of each chat. It outlives a look into the settings or another chat. */
export interface DraftsStore {
  store: StoreApi<{ texts: Readonly<Partial<Record<Place, string>>> }>;
  set(conversationId: ConversationId | null, text: string): void;
}

export const draftOf = (texts: Readonly<Partial<Record<Place, string>>>, conversationId: ConversationId | null): string =>
  texts[conversationId ?? 'new'] ?? '';

export function createDraftsStore(): DraftsStore {
  const store = createStore<{ texts: Readonly<Partial<Record<Place, string>>> }>(() => ({ texts: {} }));
  return {
    store,
    set: (conversationId, text) => store.setState(({ texts }) => ({ texts: { ...texts, [conversationId ?? 'new']: text } })),
  };
}
