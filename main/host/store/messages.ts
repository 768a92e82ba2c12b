import type { ConversationId, MessageId, PartId } from '../../../preload/contract/ids.ts';
import type { BlobId } from '../../../preload/contract/ids.ts';
import type { Labels, LongText } from '../../../preload/contract/content.ts';
import { type Db, prepared } from './database.ts';

export interface StoredMessage {
  id: MessageId;
  conversationId: ConversationId;
  parentId: MessageId | undefined;
  role: 'user' | 'assistant';
  createdAt: number;
}

export interface StoredPart {
  id: PartId;
  messageId: MessageId;
  position: number;
  /** The model request of the turn that it belongs to, from 0. */
  step: number;
  kind: 'text' | 'reasoning' | 'call' | 'attachment' | 'prompt';
  text: LongText;
  /** What an attachment or a prompt holds, as JSON. */
  content?: string | undefined;
  open: boolean;
  durationMs: number | undefined;
  labels: Labels;
}

interface MessageRow {
  id: string;
  conversation_id: string;
  parent_id: string | null;
  role: 'user' | 'assistant';
  created_at: number;
}

interface PartRow {
  id: string;
  message_id: string;
  position: number;
  step: number;
  /** A prompt stands in the row of an attachment; its source tells it apart. */
  kind: Exclude<StoredPart['kind'], 'prompt'>;
  text: string;
  text_length: number;
  text_blob: string | null;
  content: string | null;
  open: number;
  duration_ms: number | null;
  source_kind: string;
  source: string | null;
  untrusted: number;
  private: number;
}

const messageFromRow = (row: MessageRow): StoredMessage => ({
  id: row.id as MessageId,
  conversationId: row.conversation_id as ConversationId,
  parentId: (row.parent_id ?? undefined) as MessageId | undefined,
  role: row.role,
  createdAt: row.created_at,
});

function sourceFromRow(row: PartRow): Labels['source'] {
  switch (row.source_kind) {
    case 'user':
    case 'model':
    case 'host':
      return { kind: row.source_kind };
    case 'tool':
      return { kind: 'tool', ...(JSON.parse(row.source ?? '{}') as Omit<Extract<Labels['source'], { kind: 'tool' }>, 'kind'>) };
    case 'resource':
      return { kind: 'resource', ...(JSON.parse(row.source ?? '{}') as Omit<Extract<Labels['source'], { kind: 'resource' }>, 'kind'>) };
    case 'prompt':
      return { kind: 'prompt', ...(JSON.parse(row.source ?? '{}') as Omit<Extract<Labels['source'], { kind: 'prompt' }>, 'kind'>) };
    default:
      return { kind: 'unknown' };
  }
}

const partFromRow = (row: PartRow): StoredPart => ({
  id: row.id as PartId,
  messageId: row.message_id as MessageId,
  position: row.position,
  step: row.step,
  kind: row.kind === 'attachment' && row.source_kind === 'prompt' ? 'prompt' : row.kind,
  text: { text: row.text, length: row.text_length, ...(row.text_blob === null ? {} : { blobId: row.text_blob as BlobId }) },
  ...(row.content === null ? {} : { content: row.content }),
  open: row.open === 1,
  durationMs: row.duration_ms ?? undefined,
  labels: { source: sourceFromRow(row), untrusted: row.untrusted === 1, private: row.private === 1 },
});

export function insertMessage(db: Db, message: StoredMessage): void {
  prepared(db, 'INSERT INTO messages (id, conversation_id, parent_id, role, created_at) VALUES (?, ?, ?, ?, ?)').run(
    message.id,
    message.conversationId,
    message.parentId ?? null,
    message.role,
    message.createdAt,
  );
}

export function getMessage(db: Db, id: MessageId): StoredMessage | undefined {
  const row = prepared<[string], MessageRow>(db, 'SELECT * FROM messages WHERE id = ?').get(id);
  return row && messageFromRow(row);
}

/** The branch that ends with `leafId`, oldest first, at most `limit` messages. */
export function branchTo(db: Db, leafId: MessageId, limit: number): StoredMessage[] {
  return prepared<[string, number], MessageRow>(
    db,
    `WITH RECURSIVE up (id, depth) AS (
         SELECT id, 0 FROM messages WHERE id = ?
         UNION ALL
         SELECT m.parent_id, up.depth + 1 FROM up JOIN messages m ON m.id = up.id WHERE m.parent_id IS NOT NULL AND up.depth < ?
       )
       SELECT m.* FROM up JOIN messages m ON m.id = up.id ORDER BY up.depth DESC`,
  )
    .all(leafId, limit - 1)
    .map(messageFromRow);
}

/** The versions at the place of this message, oldest first, itself included: by the order in which they came, since the clock may have been set back. */
export function siblingsOf(db: Db, message: Pick<StoredMessage, 'id' | 'conversationId' | 'parentId' | 'role'>): MessageId[] {
  return prepared<[string, string | null, string], { id: string }>(
    db,
    'SELECT id FROM messages WHERE conversation_id = ? AND parent_id IS ? AND role = ? ORDER BY rowid',
  )
    .all(message.conversationId, message.parentId ?? null, message.role)
    .map((row) => row.id as MessageId);
}

/** Follows the newest answers down from a message to the end of its branch. Calls of views hang on messages too, apart from the chat. */
export function newestLeafUnder(db: Db, id: MessageId): MessageId {
  const next = prepared<[string], { id: string }>(
    db,
    `SELECT m.id FROM messages m JOIN messages p ON p.id = m.parent_id AND p.conversation_id = m.conversation_id
     WHERE m.parent_id = ? ORDER BY m.rowid DESC LIMIT 1`,
  );
  let leaf = id;
  for (let child = next.get(leaf); child; child = next.get(leaf)) leaf = child.id as MessageId;
  return leaf;
}

export function insertPart(db: Db, part: Omit<StoredPart, 'position'>): void {
  const { kind, ...source } = part.labels.source;
  prepared(
    db,
    `INSERT INTO parts (id, message_id, position, step, kind, text, text_length, text_blob, content, open, duration_ms, source_kind, source, untrusted, private)
     VALUES (?, ?, (SELECT coalesce(max(position) + 1, 0) FROM parts WHERE message_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    part.id,
    part.messageId,
    part.messageId,
    part.step,
    part.kind === 'prompt' ? 'attachment' : part.kind,
    part.text.text,
    part.text.length,
    part.text.blobId ?? null,
    part.content ?? null,
    part.open ? 1 : 0,
    part.durationMs ?? null,
    kind,
    kind === 'tool' || kind === 'resource' || kind === 'prompt' ? JSON.stringify(source) : null,
    part.labels.untrusted ? 1 : 0,
    part.labels.private ? 1 : 0,
  );
}

export function updatePart(db: Db, id: PartId, change: { text: LongText; open: boolean; durationMs?: number | undefined }): void {
  prepared(db, 'UPDATE parts SET text = ?, text_length = ?, text_blob = ?, open = ?, duration_ms = ? WHERE id = ?').run(
    change.text.text,
    change.text.length,
    change.text.blobId ?? null,
    change.open ? 1 : 0,
    change.durationMs ?? null,
    id,
  );
}

/** To be written in one transaction with what the part now holds. */
export function setPartLabels(db: Db, id: PartId, labels: Pick<Labels, 'untrusted' | 'private'>): void {
  prepared(db, 'UPDATE parts SET untrusted = ?, private = ? WHERE id = ?').run(Number(labels.untrusted), Number(labels.private), id);
}

/** What an attachment or a prompt holds, in another form: where its texts stand may change, the texts do not. */
export function setPartContent(db: Db, id: PartId, content: string): void {
  db.prepare('UPDATE parts SET content = ? WHERE id = ?').run(content, id);
}

/** In order of position. */
export function partsOf(db: Db, messageId: MessageId): StoredPart[] {
  return prepared<[string], PartRow>(db, 'SELECT * FROM parts WHERE message_id = ? ORDER BY position').all(messageId).map(partFromRow);
}

export function getPart(db: Db, id: PartId): StoredPart | undefined {
  const row = prepared<[string], PartRow>(db, 'SELECT * FROM parts WHERE id = ?').get(id);
  return row && partFromRow(row);
}

export function deletePart(db: Db, id: PartId): void {
  prepared(db, 'DELETE FROM parts WHERE id = ?').run(id);
}

/** Closes what a crash left open. */
export function closeOpenParts(db: Db): void {
  prepared(db, 'UPDATE parts SET open = 0 WHERE open = 1').run();
}
