import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ModelRef } from '../../preload/contract/conversations.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import type { Failure } from '../../preload/contract/result.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { ConnectedBridge, ConnectionState } from '../bridge/connectedBridge.ts';
import { type AppSnapshot, type Followed, followedAfter, type Mirror, placeOf } from './mirror.ts';

export type SettingsPage = 'general' | 'models' | 'servers' | 'permissions' | 'toReview' | 'audit' | 'data' | 'keyboard';

/** `conversationId` null is a chat that is not begun yet. `card`: the waiting card to go to, by its name. */
export interface ChatView {
  page: 'chat';
  conversationId: ConversationId | null;
  card?: string;
}

/** `part` names a place in a settings page, such as a server's id, and `tool` one of that server. `back`: where it was come from. */
export interface SettingsView {
  page: 'settings';
  settings: SettingsPage;
  part?: string;
  tool?: string;
  back?: ChatView;
}

/** What the window shows. */
export type View = ChatView | SettingsView;

/** Facts of the running host. Only the keychain's answer may come late. */
export type HostInfo = Pick<AppSnapshot, 'version' | 'platform' | 'shell' | 'dataDir' | 'keychain' | 'hasFolderDialog' | 'managed'>;

export interface AppState {
  phase: { kind: 'opening' } | { kind: 'ready' } | { kind: 'failed'; error: Failure };
  info: HostInfo | null;
  view: View;
  /** Chosen for a chat that is not begun yet. */
  newChatModel: ModelRef | undefined;
  connection: ConnectionState;
}

export interface AppStore {
  store: StoreApi<AppState>;
  /** Loads everything again; also the first load. Resolves when it is shown or has failed. */
  open(): Promise<void>;
  show(view: View): void;
  /** Ends the subscription to the host. */
  close(): void;
}

/**
 * Follows the host: one snapshot, then events in revision order. What arrives while a snapshot is on its way waits for it;
 * after a gap, another host or a broken line everything is loaded again.
 * `conversation` gets the messages of its topic as they come and counts their revisions itself.
 */
export function createAppStore(
  bridge: ConnectedBridge,
  mirrors: readonly Mirror[],
  conversation: { apply(message: EventMessage): void; reload(): void },
): AppStore {
  const store = createStore<AppState>(() => ({
    phase: { kind: 'opening' },
    info: null,
    view: { page: 'chat', conversationId: null },
    newChatModel: undefined,
    connection: bridge.connection?.current() ?? 'connected',
  }));
  let followed: Followed | null = null;
  let queue: EventMessage[] = [];
  let opening: Promise<void> | null = null;

  const receive = (message: EventMessage) => {
    if (followed === null) {
      queue.push(message);
      return;
    }
    const place = placeOf(followed, message);
    if (place === 'missed') {
      void open();
      if (message.topic !== 'resync') queue.push(message);
    } else if (place === 'next') {
      if (message.topic === 'conversation') conversation.apply(message);
      else if (message.topic !== 'resync') {
        if (message.topic !== 'trace') followed.revisions[message.topic] = message.revision;
        for (const mirror of mirrors) mirror.apply(message);
        if (message.topic === 'settings' && message.event.type === 'keychain.changed') {
          const { keychain } = message.event;
          store.setState(({ info }) => ({ info: info && { ...info, keychain } }));
        }
      }
    }
  };

  const load = async () => {
    const again = store.getState().info !== null;
    followed = null;
    const result = await bridge.invoke('app.open', {});
    if (!result.ok) {
      store.setState({ phase: { kind: 'failed', error: result.error } });
      return;
    }
    const snapshot = result.value;
    followed = followedAfter(snapshot);
    for (const mirror of mirrors) mirror.load(snapshot);
    const { version, platform, shell, dataDir, keychain, hasFolderDialog, managed } = snapshot;
    const info = { version, platform, shell, dataDir, keychain, hasFolderDialog, ...(managed && { managed }) };
    store.setState({ phase: { kind: 'ready' }, info });
    if (again) conversation.reload();
  };

  const open = (): Promise<void> => {
    opening ??= load().finally(() => {
      opening = null;
      const waiting = queue;
      queue = [];
      // Of another host than the one that has just answered, nothing can be used any more. A hole among them opens anew, and the rest waits again.
      const startId = followed?.startId;
      for (const message of waiting) if (message.startId === startId) receive(message);
    });
    return opening;
  };

  const endEvents = bridge.on(receive);
  const endConnection = bridge.connection?.on((connection) => {
    const before = store.getState().connection;
    store.setState({ connection });
    if (connection === 'connected' && before === 'reconnecting' && store.getState().phase.kind !== 'opening') void open();
  });

  return {
    store,
    open,
    show: (view) => store.setState({ view }),
    close() {
      endEvents();
      endConnection?.();
    },
  };
}
