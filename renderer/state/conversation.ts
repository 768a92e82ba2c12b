import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation, Message, Part } from '../../preload/contract/conversations.ts';
import type { LongText } from '../../preload/contract/content.ts';
import type { ConversationEvent, EventMessage } from '../../preload/contract/events.ts';
import type { ConversationId, MessageId } from '../../preload/contract/ids.ts';
import type { Failure } from '../../preload/contract/result.ts';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';

/** The shown branch of one conversation, oldest message first. */
export interface Branch {
  messages: readonly Message[];
  /** Where older messages go on; absent at the beginning. */
  before?: MessageId | undefined;
  /** How many messages were put before the first ones, for a list that must keep its place. */
  prepended?: number;
  revision: number;
}

const changeMessage = (branch: Branch, id: MessageId, change: (message: Message) => Message): Branch => ({
  ...branch,
  messages: branch.messages.map((message) => (message.id === id ? change(message) : message)),
});

const changeParts = (message: Message, change: (part: Part) => Part): Message => ({ ...message, parts: message.parts.map(change) });

const isText = (part: Part) => part.kind === 'text' || part.kind === 'reasoning';

/** A long text comes with its head only. When the whole of it was streamed before, what was streamed stays. */
function keepStreamed(known: Part | undefined, next: Part): Part {
  if (known === undefined || !isText(known) || !isText(next) || next.text.text.length === next.text.length) return next;
  const streamed = known.text.text;
  return streamed.length === next.text.length && streamed.startsWith(next.text.text)
    ? { ...next, text: { ...next.text, text: streamed } }
    : next;
}

/** Of a text whose head alone is known, only the length can grow. */
const grow = (known: LongText, text: string): LongText => ({
  ...known,
  text: known.text.length === known.length ? known.text + text : known.text,
  length: known.length + text.length,
});

/**
 * The branch after one event, or `reload` when the event does not follow on what is known: a message with an unknown
 * parent, a part of an unknown message, or a piece of text that does not begin where the known text ends.
 */
export function applyConversationEvent(branch: Branch, event: ConversationEvent): Branch | 'reload' {
  switch (event.type) {
    case 'message.added': {
      const { message } = event;
      if (branch.messages.some(({ id }) => id === message.id)) return changeMessage(branch, message.id, () => message);
      const parent = branch.messages.findIndex(({ id }) => id === message.parentId);
      if (parent === -1 && !(message.parentId === undefined && branch.before === undefined)) return 'reload';
      return { ...branch, messages: [...branch.messages.slice(0, parent + 1), message] };
    }
    case 'part.changed': {
      const message = branch.messages.find(({ id }) => id === event.messageId);
      if (message === undefined) return branch.before === undefined ? 'reload' : branch;
      const known = message.parts.find(({ id }) => id === event.part.id);
      const next = keepStreamed(known, event.part);
      return changeMessage(branch, message.id, (changed) =>
        known === undefined
          ? { ...changed, parts: [...changed.parts, next] }
          : changeParts(changed, (part) => (part.id === next.id ? next : part)),
      );
    }
    case 'text.delta': {
      const message = branch.messages.find(({ id }) => id === event.messageId);
      const part = message?.parts.find(({ id }) => id === event.partId);
      if (message === undefined || part === undefined || (part.kind !== 'text' && part.kind !== 'reasoning')) return 'reload';
      if (part.text.length !== event.offset) return 'reload';
      return changeMessage(branch, message.id, (changed) =>
        changeParts(changed, (each) => (each.id === part.id ? { ...part, text: grow(part.text, event.text) } : each)),
      );
    }
    case 'call.progress':
      return changeMessage(branch, event.messageId, (message) =>
        changeParts(message, (part) =>
          part.kind === 'call' && part.call.id === event.callId && part.call.state === 'running'
            ? { ...part, call: { ...part.call, progress: event.progress } }
            : part,
        ),
      );
    case 'turn.changed':
      return changeMessage(branch, event.turn.assistantMessageId, (message) => ({ ...message, turn: event.turn }));
    case 'branch.changed':
      return 'reload';
  }
}

export interface ConversationState {
  id: ConversationId | null;
  status: 'none' | 'loading' | 'ready' | 'failed';
  error: Failure | null;
  conversation: Conversation | null;
  branch: Branch;
  loadingOlder: boolean;
  olderError: Failure | null;
  /** The message that somebody looked for, once it is among the messages. It stays marked until the chat goes on or is left. */
  found: MessageId | null;
}

const empty: ConversationState = {
  id: null,
  status: 'none',
  error: null,
  conversation: null,
  branch: { messages: [], revision: 0 },
  loadingOlder: false,
  olderError: null,
  found: null,
};

export interface ConversationStore {
  store: StoreApi<ConversationState>;
  /** Shows another conversation, or none. */
  open(id: ConversationId | null): Promise<void>;
  reload(): Promise<void>;
  loadOlder(): Promise<void>;
  /** Shows the chat where a message stands in it: reads back to it, and turns to another version of the chat when it stands there. */
  find(id: ConversationId, messageId: MessageId): Promise<void>;
  apply(message: EventMessage): void;
}

/** The one conversation that the window shows. Events that come while it loads wait for it. */
export function createConversationStore(bridge: ConnectedBridge): ConversationStore {
  const store = createStore<ConversationState>(() => empty);
  /** Rises with every load, so that an answer that comes too late is known as such. */
  let load = 0;
  let loading = false;
  let queue: EventMessage[] = [];

  /** The newest load, whoever began it. */
  let newest = Promise.resolve();
  const reload = () => (newest = readNewest());
  const settled = async () => {
    for (let awaited: Promise<void> | null = null; awaited !== newest; await awaited) awaited = newest;
  };

  const readNewest = async () => {
    const { id } = store.getState();
    if (id === null) return;
    load += 1;
    const mine = load;
    loading = true;
    const result = await bridge.invoke('conversation.open', { conversationId: id });
    if (mine !== load) return;
    loading = false;
    if (!result.ok) {
      store.setState({ status: 'failed', error: result.error });
      return;
    }
    const { conversation, messages, before, revision } = result.value;
    store.setState({
      status: 'ready',
      error: null,
      conversation,
      branch: { messages, before, revision },
      loadingOlder: false,
      olderError: null,
    });
    const waiting = queue;
    queue = [];
    for (const message of waiting) apply(message);
  };

  const apply = (message: EventMessage) => {
    const { id, branch, status } = store.getState();
    if (message.topic !== 'conversation' || message.conversationId !== id) return;
    if (loading) {
      queue.push(message);
      return;
    }
    if (status !== 'ready' || message.revision <= branch.revision) return;
    const next = message.revision === branch.revision + 1 ? applyConversationEvent(branch, message.event) : 'reload';
    if (next === 'reload') void reload();
    else
      store.setState(({ found }) => ({
        branch: { ...next, revision: message.revision },
        found: message.event.type === 'message.added' ? null : found,
      }));
  };

  const open = async (id: ConversationId | null) => {
    if (id === store.getState().id && store.getState().status !== 'failed') return;
    load += 1;
    loading = false;
    queue = [];
    store.setState({ ...empty, id, status: id === null ? 'none' : 'loading' });
    await reload();
  };

  const readOlder = async () => {
    const { id, branch } = store.getState();
    if (id === null || branch.before === undefined) return;
    const mine = load;
    store.setState({ loadingOlder: true, olderError: null });
    const result = await bridge.invoke('conversation.messages', { conversationId: id, before: branch.before });
    if (mine !== load) return;
    if (!result.ok) {
      store.setState({ loadingOlder: false, olderError: result.error });
      return;
    }
    store.setState((state) => ({
      loadingOlder: false,
      branch: {
        ...state.branch,
        messages: [...result.value.messages, ...state.branch.messages],
        before: result.value.before,
        prepended: (state.branch.prepended ?? 0) + result.value.messages.length,
      },
    }));
  };
  let older: Promise<void> | null = null;
  const loadOlder = () =>
    (older ??= readOlder().finally(() => {
      older = null;
    }));

  /** Reads back until the message is there; false when it is not on this branch, or the branch cannot be read. */
  const readBackTo = async (id: ConversationId, messageId: MessageId): Promise<boolean> => {
    for (;;) {
      const state = store.getState();
      if (state.id !== id || state.status !== 'ready') return false;
      if (state.branch.messages.some((message) => message.id === messageId)) return true;
      if (state.branch.before === undefined || state.olderError !== null) return false;
      await loadOlder();
    }
  };

  return {
    store,
    reload,
    apply,
    open,
    loadOlder,
    async find(id, messageId) {
      await open(id);
      await settled();
      store.setState({ found: null, olderError: null });
      let there = await readBackTo(id, messageId);
      if (!there && store.getState().id === id && store.getState().olderError === null) {
        const turned = await bridge.invoke('conversation.showBranch', { commandId: newCommandId(), conversationId: id, messageId });
        if (!turned.ok || store.getState().id !== id) return;
        await reload();
        await settled();
        there = await readBackTo(id, messageId);
      }
      if (there) store.setState({ found: messageId });
    },
  };
}
