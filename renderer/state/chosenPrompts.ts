import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { ConversationId, ServerId } from '../../preload/contract/ids.ts';

type Place = ConversationId | 'new';

/** A prompt that will go along with the next message. `messages`: what the server made of it when it was looked at. */
export interface ChosenPrompt {
  serverId: ServerId;
  serverName: string;
  name: string;
  title: string;
  values: Readonly<Record<string, string>>;
  messages: CommandOutput<'prompt.get'>['messages'];
}

export type PromptsByPlace = Readonly<Partial<Record<Place, ChosenPrompt>>>;

export const promptIn = (chosen: PromptsByPlace, conversationId: ConversationId | null): ChosenPrompt | undefined =>
  chosen[conversationId ?? 'new'];

/** The prompt of the message that stands in the field of each chat; one a message. */
export interface ChosenPromptsStore {
  store: StoreApi<{ chosen: PromptsByPlace }>;
  choose(conversationId: ConversationId | null, prompt: ChosenPrompt): void;
  /** It was taken off, or the message was sent. */
  remove(conversationId: ConversationId | null): void;
  /** What was chosen for a chat that was not begun belongs to the chat that it became. */
  begin(conversationId: ConversationId): void;
}

export function createChosenPromptsStore(): ChosenPromptsStore {
  const store = createStore<{ chosen: PromptsByPlace }>(() => ({ chosen: {} }));
  const without = (place: Place): PromptsByPlace => {
    const { [place]: _taken, ...others } = store.getState().chosen;
    return others;
  };
  return {
    store,
    choose: (conversationId, prompt) => store.setState(({ chosen }) => ({ chosen: { ...chosen, [conversationId ?? 'new']: prompt } })),
    remove: (conversationId) => store.setState({ chosen: without(conversationId ?? 'new') }),
    begin(conversationId) {
      const prompt = store.getState().chosen.new;
      store.setState({ chosen: { ...without('new'), ...(prompt === undefined ? {} : { [conversationId]: prompt }) } });
    },
  };
}
