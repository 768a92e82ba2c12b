import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BlobId, type ConversationId } from '../../../preload/contract/ids.ts';
import type { Clock, Ids } from '../ports.ts';
import { refuse } from '../refusal.ts';
import type { Db } from './database.ts';

/** A piece of a blob, as `blob.read` answers it. Offsets and `bytes` (of the whole blob) count bytes. */
export interface BlobRange {
  data: string;
  /** Absent when the end is reached. */
  nextOffset?: number;
  bytes: number;
}

/** Bytes too large for rows and messages: one file each under `blobs/`, one row each. */
export interface Blobs {
  /** The bytes are on the disk when this returns. A string is written as UTF-8. Without a conversation it lasts until the next start. */
  put(content: Uint8Array | string, mimeType: string, conversationId: ConversationId | undefined): BlobId;
  /** Refuses with `notFound`. */
  read(id: BlobId): { mimeType: string; bytes: Buffer };
  /**
   * Text (UTF-8) is never cut inside a character: a piece begins at the first character that begins at or after `offset` and
   * holds at least one. Refuses with `notFound`.
   */
  readRange(id: BlobId, offset: number, length: number, as: 'text' | 'base64'): BlobRange;
  /** Another conversation needs it too (a fork). */
  own(id: BlobId, conversationId: ConversationId): void;
  /** The conversation needs it no longer. It goes at the next start if nobody else does. */
  release(id: BlobId, conversationId: ConversationId): void;
  /** Removes blobs that no conversation owns, and files that a crash left without a row. Call at the start only. */
  removeUnowned(): number;
}

/** Reads blobs through any connection, for workers too. */
export function blobFiles(db: Db, dataDir: string) {
  const dir = path.join(dataDir, 'blobs');
  const find = db.prepare<[string], { mime_type: string; bytes: number }>('SELECT mime_type, bytes FROM blobs WHERE id = ?');

  // Ids come from rows and from the renderer: one that is not an id never becomes part of a path.
  const fileOf = (id: string): string =>
    BlobId.safeParse(id).success ? path.join(dir, id) : refuse('notFound', 'There is no such content.');

  const rowOf = (id: BlobId): { mime_type: string; bytes: number } =>
    find.get(id) ?? refuse('notFound', 'This content is not stored any more; its conversation may have been deleted.');

  return {
    fileOf,
    rowOf,
    read(id: BlobId): ReturnType<Blobs['read']> {
      const file = fileOf(id);
      const row = rowOf(id);
      try {
        return { mimeType: row.mime_type, bytes: readFileSync(file) };
      } catch (error) {
        return missingFile(error, id);
      }
    },
  };
}

const missingFile = (error: unknown, id: BlobId): never => {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  return refuse('notFound', 'The stored file of this content is missing from the data folder, so it cannot be shown.', {
    detail: `blobs/${id}`,
  });
};

export function createBlobs(db: Db, dataDir: string, ids: Ids, clock: Clock): Blobs {
  const dir = path.join(dataDir, 'blobs');
  mkdirSync(dir, { recursive: true, mode: 0o700 });

  const { fileOf, rowOf, read } = blobFiles(db, dataDir);
  const insert = db.prepare('INSERT INTO blobs (id, mime_type, bytes, created_at) VALUES (?, ?, ?, ?)');
  const insertOwner = db.prepare('INSERT OR IGNORE INTO blob_owners (blob_id, conversation_id) VALUES (?, ?)');

  return {
    put(content, mimeType, conversationId) {
      const id = BlobId.parse(ids());
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
      // No rename is needed: without its row nobody reads the file, and removeUnowned takes it away after a crash.
      writeDurably(fileOf(id), bytes);
      syncFolder(dir);
      db.transaction(() => {
        insert.run(id, mimeType, bytes.byteLength, clock.now());
        if (conversationId !== undefined) insertOwner.run(id, conversationId);
      })();
      return id;
    },

    read,

    readRange(id, offset, length, as) {
      const file = fileOf(id);
      const { bytes } = rowOf(id);
      // Room for a character that begins before the end of the range and one that began before its start.
      const wanted = as === 'text' ? length + 6 : length;
      let piece: Buffer;
      try {
        piece = readPiece(file, offset, Math.max(0, Math.min(wanted, bytes - offset)));
      } catch (error) {
        return missingFile(error, id);
      }
      const [from, to] = as === 'text' ? wholeCharacters(piece, length, offset + piece.length >= bytes) : [0, piece.length];
      const next = offset + to;
      return { data: piece.toString(as === 'text' ? 'utf8' : 'base64', from, to), ...(next < bytes ? { nextOffset: next } : {}), bytes };
    },

    own(id, conversationId) {
      rowOf(id);
      insertOwner.run(id, conversationId);
    },

    release(id, conversationId) {
      db.prepare('DELETE FROM blob_owners WHERE blob_id = ? AND conversation_id = ?').run(id, conversationId);
    },

    removeUnowned() {
      db.prepare('DELETE FROM blobs WHERE id NOT IN (SELECT blob_id FROM blob_owners)').run();
      const known = new Set(db.prepare<[], string>('SELECT id FROM blobs').pluck().all());
      const unowned = readdirSync(dir).filter((name) => !known.has(name));
      for (const name of unowned) rmSync(path.join(dir, name), { force: true, recursive: true });
      return unowned.length;
    },
  };
}

function writeDurably(file: string, bytes: Uint8Array): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** The name of a new file survives power loss only when its folder is synced too; Windows has no such call. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(dir, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readPiece(file: string, offset: number, length: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const read = readSync(handle, piece, filled, length - filled, offset + filled);
      if (read === 0) break;
      filled += read;
    }
    return piece.subarray(0, filled);
  } finally {
    closeSync(handle);
  }
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Start and end of the whole characters in a piece of UTF-8: about `length` bytes, at least one character. */
function wholeCharacters(piece: Buffer, length: number, isEnd: boolean): [from: number, to: number] {
  let from = 0;
  while (from < 3 && continues(piece[from])) from += 1;
  if (isEnd && piece.length <= length) return [from, piece.length];
  let to = Math.min(Math.max(from, length), piece.length);
  // Back to the last character's beginning; a run of more than three continuation bytes is no UTF-8 and is cut anywhere.
  for (let back = 0; back < 3 && to > from && continues(piece[to]); back += 1) to -= 1;
  if (to > from) return [from, to];
  to = from + 1;
  while (to - from < 4 && continues(piece[to])) to += 1;
  return [from, Math.min(to, piece.length)];
}
