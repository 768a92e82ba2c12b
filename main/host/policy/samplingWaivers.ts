import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { Clock } from '../ports.ts';
import type { Db } from '../store/database.ts';
import { addWaiver, hasWaiver, listWaivers, removeWaiver } from '../store/samplingRows.ts';

/**
 * Where the person does not look again at what the model says to a server, before that gets it: one chat and one server each. Kept with
 * the chat; outside of a stored chat until the application ends.
 */
export interface SamplingWaivers {
  has(serverId: ServerId, conversationId: ConversationId | undefined): boolean;
  add(serverId: ServerId, conversationId: ConversationId | undefined): void;
  /** Those of stored chats, oldest first. */
  list(serverId: ServerId): { conversationId: ConversationId; title: string }[];
  remove(serverId: ServerId, conversationId: ConversationId): void;
}

export function createSamplingWaivers(db: Db, clock: Pick<Clock, 'now'>): SamplingWaivers {
  const unstored = new Set<string>();
  const keyOf = (serverId: ServerId, conversationId: ConversationId | undefined): string => `${serverId} ${conversationId ?? ''}`;
  return {
    has: (serverId, conversationId) =>
      unstored.has(keyOf(serverId, conversationId)) || (conversationId !== undefined && hasWaiver(db, serverId, conversationId)),
    add(serverId, conversationId) {
      if (conversationId !== undefined) addWaiver(db, serverId, conversationId, clock.now());
      if (conversationId === undefined || !hasWaiver(db, serverId, conversationId)) unstored.add(keyOf(serverId, conversationId));
    },
    list: (serverId) => listWaivers(db, serverId),
    remove(serverId, conversationId) {
      removeWaiver(db, serverId, conversationId);
      unstored.delete(keyOf(serverId, conversationId));
    },
  };
}
