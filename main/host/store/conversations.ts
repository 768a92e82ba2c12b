import type { ConversationId, MessageId, ServerId } from '../../../preload/contract/ids.ts';
import type { Conversation } from '../../../preload/contract/conversations.ts';
import { type Db, prepared } from './database.ts';
import { deleteConversationsOfViews } from './views.ts';

/** A conversation as stored; its activity is known to the running turns only. */
export type StoredConversation = Omit<Conversation, 'activity'>;

interface Row {
  id: string;
  title: string;
  titled_by_user: number;
  model: string | null;
  leaf_id: string | null;
  created_at: number;
  updated_at: number;
}

const fromRow = (row: Row): StoredConversation => ({
  id: row.id as ConversationId,
  title: row.title,
  titledByUser: row.titled_by_user === 1,
  ...(row.model === null ? {} : { model: row.model }),
  ...(row.leaf_id === null ? {} : { leafId: row.leaf_id as MessageId }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function insertConversation(db: Db, conversation: { id: ConversationId; model: string | undefined; at: number }): void {
  prepared(db, 'INSERT INTO conversations (id, title, model, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
    conversation.id,
    '',
    conversation.model ?? null,
    conversation.at,
    conversation.at,
  );
}

const benchPrefix = 'bench-';

/** The conversation of the calls that were tried by hand on a server's page. One a server; it is no chat and has no model. */
export const benchOf = (serverId: ServerId): ConversationId => `${benchPrefix}${serverId}` as ConversationId;

export const isBench = (id: ConversationId): boolean => id.startsWith(benchPrefix);

/** The conversation of calls tried by hand, made where there is none yet. It is no chat: no list and no search holds it. */
export function ensureBench(db: Db, id: ConversationId, at: number): StoredConversation {
  prepared(db, "INSERT OR IGNORE INTO conversations (id, kind, title, created_at, updated_at) VALUES (?, 'bench', '', ?, ?)").run(
    id,
    at,
    at,
  );
  const bench = getConversation(db, id);
  if (!bench) throw new Error('A conversation that was just made is not there.');
  return bench;
}

export function getConversation(db: Db, id: ConversationId): StoredConversation | undefined {
  const row = prepared<[string], Row>(db, 'SELECT * FROM conversations WHERE id = ?').get(id);
  return row && fromRow(row);
}

/** Newest first; `before` is the `updatedAt` of the last one already known. */
export function listConversations(db: Db, page: { before?: number | undefined; limit: number }): StoredConversation[] {
  return prepared<[number, number], Row>(
    db,
    "SELECT * FROM conversations WHERE kind = 'chat' AND updated_at < ? ORDER BY updated_at DESC, id DESC LIMIT ?",
  )
    .all(page.before ?? Number.MAX_SAFE_INTEGER, page.limit)
    .map(fromRow);
}

export function setTitle(db: Db, id: ConversationId, title: string, byUser: boolean): void {
  prepared(db, 'UPDATE conversations SET title = ?, titled_by_user = ? WHERE id = ?').run(title, byUser ? 1 : 0, id);
}

export function setConversationModel(db: Db, id: ConversationId, model: string): void {
  prepared(db, 'UPDATE conversations SET model = ? WHERE id = ?').run(model, id);
}

/** Makes `leafId` the end of the branch that is shown. */
export function setLeaf(db: Db, id: ConversationId, leafId: MessageId, at: number): void {
  prepared(db, 'UPDATE conversations SET leaf_id = ?, updated_at = max(updated_at, ?) WHERE id = ?').run(leafId, at, id);
}

export function deleteConversation(db: Db, id: ConversationId): void {
  deleteConversationsOfViews(db, id);
  prepared(db, 'DELETE FROM conversations WHERE id = ?').run(id);
}
