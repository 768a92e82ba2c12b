import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import { type Db, prepared } from './database.ts';

/** What one server has used of the user's model in one turn. `tokens` counts both directions. */
export interface SamplingUsed {
  requests: number;
  tokens: number;
}

export function hasWaiver(db: Db, serverId: ServerId, conversationId: ConversationId): boolean {
  return (
    prepared(db, 'SELECT 1 FROM sampling_waivers WHERE server_id = ? AND conversation_id = ?').get(serverId, conversationId) !== undefined
  );
}

/** Without effect where the chat has no row. */
export function addWaiver(db: Db, serverId: ServerId, conversationId: ConversationId, at: number): void {
  prepared(
    db,
    'INSERT OR IGNORE INTO sampling_waivers (server_id, conversation_id, created_at) SELECT ?, id, ? FROM conversations WHERE id = ?',
  ).run(serverId, at, conversationId);
}

/** Oldest first, with the titles of the chats. */
export function listWaivers(db: Db, serverId: ServerId): { conversationId: ConversationId; title: string }[] {
  return prepared<[string], { id: string; title: string }>(
    db,
    'SELECT c.id, c.title FROM sampling_waivers w JOIN conversations c ON c.id = w.conversation_id WHERE w.server_id = ? ORDER BY w.created_at, c.id',
  )
    .all(serverId)
    .map(({ id, title }) => ({ conversationId: id as ConversationId, title }));
}

export function removeWaiver(db: Db, serverId: ServerId, conversationId: ConversationId): void {
  prepared(db, 'DELETE FROM sampling_waivers WHERE server_id = ? AND conversation_id = ?').run(serverId, conversationId);
}

export function getSamplingUsed(db: Db, serverId: ServerId, turnId: string): SamplingUsed | undefined {
  return prepared<[string, string], SamplingUsed>(db, 'SELECT requests, tokens FROM sampling_used WHERE server_id = ? AND turn_id = ?').get(
    serverId,
    turnId,
  );
}

/** Without effect where `turnId` is no turn. */
export function setSamplingUsed(db: Db, serverId: ServerId, turnId: string, { requests, tokens }: SamplingUsed): void {
  prepared(
    db,
    `INSERT INTO sampling_used (server_id, turn_id, requests, tokens) SELECT ?, id, ?, ? FROM turns WHERE id = ?
     ON CONFLICT (server_id, turn_id) DO UPDATE SET requests = excluded.requests, tokens = excluded.tokens`,
  ).run(serverId, requests, tokens, turnId);
}

/** With the server. */
export function removeSamplingRows(db: Db, serverId: ServerId): void {
  prepared(db, 'DELETE FROM sampling_waivers WHERE server_id = ?').run(serverId);
  prepared(db, 'DELETE FROM sampling_used WHERE server_id = ?').run(serverId);
}
