import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BlobId, ConversationId } from '../../../preload/contract/ids.ts';
import { createBlobs, type Blobs } from '../../../main/host/store/blobs.ts';
import type { Db } from '../../../main/host/store/database.ts';
import { headLength, storeText, wholeText } from '../../../main/host/store/longText.ts';
import { handClock, insertConversation, tempDatabase } from '../../doubles/hostParts.ts';

const chat = 'c1' as ConversationId;
let db: Db;
let dataDir: string;
let blobs: Blobs;
beforeEach(() => {
  ({ db, dataDir } = tempDatabase());
  insertConversation(db, chat);
  blobs = createBlobs(db, dataDir, uuid, handClock());
});
const files = (): string[] => readdirSync(path.join(dataDir, 'blobs'));

/** Reads a whole blob piece by piece, the way a renderer does. */
function readByRange(id: BlobId, length: number, as: 'text' | 'base64'): string[] {
  const pieces: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const range = blobs.readRange(id, offset, length, as);
    pieces.push(range.data);
    if (range.nextOffset !== undefined && range.nextOffset <= offset) throw new Error('No progress.');
    offset = range.nextOffset;
  }
  return pieces;
}

describe('blobs', () => {
  test('bytes come back as they were put, with their type', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const id = blobs.put(bytes, 'image/png', chat);
    expect(blobs.read(id)).toEqual({ mimeType: 'image/png', bytes: Buffer.from(bytes) });
    expect(Buffer.concat(readByRange(id, 7, 'base64').map((piece) => Buffer.from(piece, 'base64')))).toEqual(Buffer.from(bytes));
  });

  test('text read by ranges of any length is whole again and never cut inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (text, length) => {
        const pieces = readByRange(blobs.put(text, 'text/plain', chat), length, 'text');
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(piece).not.toContain('\ufffd');
      }),
      { seed: 7, numRuns: 150 },
    );
  });

  test('an offset inside a character begins at the next one, and one behind the end finds nothing', () => {
    const id = blobs.put('a€b', 'text/plain', chat);
    expect(blobs.readRange(id, 2, 10, 'text')).toEqual({ data: 'b', bytes: 5 });
    expect(blobs.readRange(id, 99, 10, 'text')).toEqual({ data: '', bytes: 5 });
  });

  test('bytes that are no UTF-8 are read as text to their end', () => {
    const id = blobs.put(Buffer.alloc(50, 0x80), 'application/octet-stream', chat);
    expect(readByRange(id, 4, 'text').length).toBeLessThan(50);
  });

  test('an unknown id, and one that would be a path, find nothing', () => {
    writeFileSync(path.join(dataDir, 'servers.json'), '{}');
    // Even a row that names a path, as a damaged or foreign database may hold, leads nowhere.
    db.exec("INSERT INTO blobs VALUES ('../servers.json', 'text/plain', 2, 1)");
    for (const id of ['0190-unknown', '../servers.json', '..', '']) {
      expect(() => blobs.readRange(id as BlobId, 0, 10, 'text')).toThrow(
        expect.objectContaining({ failure: expect.objectContaining({ code: 'notFound' }) }),
      );
    }
  });

  test('a blob whose file was removed by hand is refused in words', () => {
    const id = blobs.put('gone', 'text/plain', chat);
    rmSync(path.join(dataDir, 'blobs', id));
    expect(() => blobs.read(id)).toThrow('missing from the data folder');
  });

  test('at the start, what no conversation owns goes, and what one still owns stays', () => {
    insertConversation(db, 'c2');
    const shared = blobs.put('shared', 'text/plain', chat);
    blobs.own(shared, 'c2' as ConversationId);
    const single = blobs.put('single', 'text/plain', chat);
    writeFileSync(path.join(dataDir, 'blobs', 'left-by-a-crash'), 'half');
    db.prepare('DELETE FROM conversations WHERE id = ?').run(chat);

    expect(blobs.removeUnowned()).toBe(2);
    expect(files()).toEqual([shared]);
    expect(() => blobs.read(single)).toThrow('not stored any more');
    blobs.release(shared, 'c2' as ConversationId);
    expect(blobs.removeUnowned()).toBe(1);
    expect(files()).toEqual([]);
  });

  test('no file stays behind when its row cannot be written', () => {
    expect(() => blobs.put('orphan', 'text/plain', 'no-such-chat' as ConversationId)).toThrow('FOREIGN KEY');
    blobs.removeUnowned();
    expect(files()).toEqual([]);
  });
});

describe('long texts', () => {
  test('a text of exactly 64 Ki characters stands in the row, one more goes to a blob', () => {
    const short = storeText(blobs, 'x'.repeat(headLength), chat);
    expect(short).toEqual({ text: 'x'.repeat(headLength), length: headLength });
    const long = storeText(blobs, `${'x'.repeat(headLength)}y`, chat);
    expect(long).toMatchObject({ text: 'x'.repeat(headLength), length: headLength + 1 });
    expect(wholeText(blobs, long)).toBe(`${'x'.repeat(headLength)}y`);
    expect(existsSync(path.join(dataDir, 'blobs', long.blobId ?? ''))).toBe(true);
  });

  test('the head never ends in half a character', () => {
    const text = `${'x'.repeat(headLength - 1)}😀 and more`;
    const stored = storeText(blobs, text, chat);
    expect(stored.text).toBe('x'.repeat(headLength - 1));
    expect(stored.length).toBe(text.length);
    expect(wholeText(blobs, stored)).toBe(text);
  });

  test('half a surrogate pair, which no file can hold, is replaced in head and blob alike', () => {
    const stored = storeText(blobs, `\ud83d${'x'.repeat(headLength)}`, chat);
    expect(stored.text.startsWith('\ufffd')).toBe(true);
    expect(wholeText(blobs, stored).startsWith(stored.text)).toBe(true);
  });
});
