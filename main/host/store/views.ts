import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

/** The page of this address that was agreed to, by its hash. */
export function agreedView(db: Db, serverId: ServerId, uri: string): string | undefined {
  return prepared<[string, string], { seen: string }>(db, 'SELECT seen FROM agreed_views WHERE server_id = ? AND uri = ?').get(
    serverId,
    uri,
  )?.seen;
}

export function setAgreedView(db: Db, serverId: ServerId, uri: string, seen: string, at: number): void {
  prepared(
    db,
    `INSERT INTO agreed_views (server_id, uri, seen, agreed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (server_id, uri) DO UPDATE SET seen = excluded.seen, agreed_at = excluded.agreed_at`,
  ).run(serverId, uri, seen, at);
}

export function removeAgreedViews(db: Db, serverId: ServerId): void {
  prepared(db, 'DELETE FROM agreed_views WHERE server_id = ?').run(serverId);
}

/** Whether views of the server are shown. */
export const showsViews = (db: Db, serverId: ServerId): boolean =>
  prepared<[string], unknown>(db, 'SELECT 1 FROM views_off WHERE server_id = ?').get(serverId) === undefined;

export function setShowsViews(db: Db, serverId: ServerId, shows: boolean): void {
  prepared(db, shows ? 'DELETE FROM views_off WHERE server_id = ?' : 'INSERT OR IGNORE INTO views_off (server_id) VALUES (?)').run(
    serverId,
  );
}

/** What only a view reads of the result of a call. To be written before the call has ended. */
export function setForView(db: Db, callId: CallId, json: string): void {
  prepared(db, 'UPDATE calls SET for_view = ? WHERE id = ?').run(json, callId);
}

export function getForView(db: Db, callId: CallId): string | undefined {
  return prepared<[string], { for_view: string | null }>(db, 'SELECT for_view FROM calls WHERE id = ?').get(callId)?.for_view ?? undefined;
}

const prefix = 'view-';

/** The conversation of the calls that the view of a call makes. It is no chat and has no model. */
export const conversationOfView = (callId: CallId): ConversationId => `${prefix}${callId}` as ConversationId;

export const isOfView = (id: ConversationId): boolean => id.startsWith(prefix);

/** The chat that the view stands in; undefined where it is gone, and for what is no conversation of a view. */
export function chatOfView(db: Db, id: ConversationId): ConversationId | undefined {
  if (!isOfView(id)) return undefined;
  return prepared<[string], { conversation_id: string }>(
    db,
    'SELECT t.conversation_id FROM calls c JOIN turns t ON t.id = c.turn_id WHERE c.id = ?',
  ).get(id.slice(prefix.length))?.conversation_id as ConversationId | undefined;
}

/** The conversations of views go with the chat that they stand in. */
export function deleteConversationsOfViews(db: Db, chat: ConversationId): void {
  prepared(
    db,
    `DELETE FROM conversations WHERE id IN
       (SELECT '${prefix}' || c.id FROM calls c JOIN turns t ON t.id = c.turn_id WHERE t.conversation_id = ?)`,
  ).run(chat);
}
