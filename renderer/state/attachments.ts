import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ResultBlock } from '../../preload/contract/content.ts';
import type { ConversationId, ServerId } from '../../preload/contract/ids.ts';
import type { Failure } from '../../preload/contract/result.ts';
import type { Bridge } from '../../preload/contract/bridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { Mirror } from './mirror.ts';

type Place = ConversationId | 'new';

/** A resource of one server, as the person picked it. */
export interface PickedResource {
  serverId: ServerId;
  serverName: string;
  uri: string;
  title: string;
}

/** A resource that will go along with the next message. `blocks` are what stood in it when it was read last. */
export interface Attached extends PickedResource {
  status: 'reading' | 'ready' | 'failed';
  blocks: readonly ResultBlock[];
  failure: Failure | undefined;
  /** The server has told of a change since. The host reads anew when the message is sent. */
  changed: boolean;
}

/** As the contract's `maxAttachments`, which cannot be imported here: its file brings the schemas along. */
export const mostAttachments = 20;

export type AttachmentLists = Readonly<Partial<Record<Place, readonly Attached[]>>>;
const none: readonly Attached[] = [];
export const attachedIn = (lists: AttachmentLists, conversationId: ConversationId | null): readonly Attached[] =>
  lists[conversationId ?? 'new'] ?? none;

const isSame = (one: { serverId: ServerId; uri: string }, other: { serverId: ServerId; uri: string }) =>
  one.serverId === other.serverId && one.uri === other.uri;

/** The lists with a change to one resource, wherever it is attached. */
export function changeAttached(
  lists: AttachmentLists,
  which: { serverId: ServerId; uri: string },
  change: Partial<Attached>,
): AttachmentLists {
  const places = Object.keys(lists) as Place[];
  return Object.fromEntries(
    places.map((place) => [place, (lists[place] ?? none).map((each) => (isSame(each, which) ? { ...each, ...change } : each))]),
  );
}

export interface AttachmentsState {
  lists: AttachmentLists;
  /** When the last change of a resource was told, by {@link resourceKey}. */
  changedAt: Readonly<Record<string, number>>;
}

export const resourceKey = ({ serverId, uri }: { serverId: ServerId; uri: string }): string => `${serverId} ${uri}`;

export interface AttachmentsStore extends Mirror {
  store: StoreApi<AttachmentsState>;
  /** Shows it at once and reads it, so that its size and content are known, and what cannot be read is told before sending. */
  attach(conversationId: ConversationId | null, resource: PickedResource): Promise<void>;
  readAgain(resource: PickedResource): Promise<void>;
  remove(conversationId: ConversationId | null, resource: PickedResource): void;
  /** What was attached to a chat that was not begun belongs to the chat that it became. */
  begin(conversationId: ConversationId): void;
  /** The message was sent. What went along is watched on by the host. */
  clear(conversationId: ConversationId): void;
}

/** What goes along with the message that stands in the field of each chat. */
export function createAttachmentsStore(bridge: Bridge): AttachmentsStore {
  const store = createStore<AttachmentsState>(() => ({ lists: {}, changedAt: {} }));
  /** The newest reading of each resource: an older answer that comes late is dropped. */
  const readings = new Map<string, number>();
  const setList = (conversationId: ConversationId | null, list: readonly Attached[]) =>
    store.setState(({ lists }) => ({ lists: { ...lists, [conversationId ?? 'new']: list } }));
  const everywhere = () => Object.values(store.getState().lists).flatMap((list) => list ?? []);

  const subscribe = ({ serverId, uri }: PickedResource) =>
    // Whether the server tells of changes is a comfort: without it the content is still read anew when the message is sent.
    void bridge.invoke('resource.subscribe', { commandId: newCommandId(), serverId, uri });
  const unsubscribeUnused = (before: readonly Attached[]) => {
    for (const each of before) {
      if (everywhere().some((other) => isSame(other, each))) continue;
      void bridge.invoke('resource.unsubscribe', { commandId: newCommandId(), serverId: each.serverId, uri: each.uri });
    }
  };

  const read = async (resource: PickedResource) => {
    const mine = (readings.get(resourceKey(resource)) ?? 0) + 1;
    readings.set(resourceKey(resource), mine);
    store.setState(({ lists }) => ({ lists: changeAttached(lists, resource, { status: 'reading', changed: false, failure: undefined }) }));
    const result = await bridge.invoke('resource.read', { serverId: resource.serverId, uri: resource.uri });
    if (readings.get(resourceKey(resource)) !== mine) return;
    const change: Partial<Attached> = result.ok
      ? { status: 'ready', blocks: result.value.blocks }
      : { status: 'failed', failure: result.error, blocks: [] };
    store.setState(({ lists }) => ({ lists: changeAttached(lists, resource, change) }));
  };

  return {
    store,
    load: () => everywhere().forEach(subscribe),
    apply(message) {
      if (message.topic !== 'servers' || message.event.type !== 'resource.updated') return;
      const { event } = message;
      store.setState(({ lists, changedAt }) => ({
        lists: changeAttached(lists, event, { changed: true }),
        changedAt: { ...changedAt, [resourceKey(event)]: Date.now() },
      }));
    },
    async attach(conversationId, resource) {
      const list = attachedIn(store.getState().lists, conversationId);
      if (list.some((each) => isSame(each, resource))) return;
      setList(conversationId, [...list, { ...resource, status: 'reading', blocks: [], failure: undefined, changed: false }]);
      subscribe(resource);
      await read(resource);
    },
    readAgain: read,
    remove(conversationId, resource) {
      const list = attachedIn(store.getState().lists, conversationId);
      setList(
        conversationId,
        list.filter((each) => !isSame(each, resource)),
      );
      unsubscribeUnused(list.filter((each) => isSame(each, resource)));
    },
    begin(conversationId) {
      const { new: list, ...others } = store.getState().lists;
      store.setState({ lists: { ...others, ...(list === undefined ? {} : { [conversationId]: list }) } });
    },
    clear(conversationId) {
      setList(conversationId, []);
    },
  };
}
