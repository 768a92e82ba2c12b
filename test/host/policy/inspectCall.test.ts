import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { CallId, ConversationId, MessageId, PartId } from '../../../preload/contract/ids.ts';
import { type CallToInspect, inspectCall } from '../../../main/host/policy/inspectCall.ts';
import { createBlobs } from '../../../main/host/store/blobs.ts';
import { storeText } from '../../../main/host/store/longText.ts';
import { insertMessage, insertPart } from '../../../main/host/store/messages.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import { handClock, insertConversation, rememberingLog, tempDatabase } from '../../doubles/hostParts.ts';

/** A chat that has read one text from somewhere, and the pool. */
function world(earlier: string) {
  const { db, dataDir } = tempDatabase();
  const log = rememberingLog();
  const pool = createWorkerPool({ size: 2, log });
  onTestFinished(async () => {
    await pool.close();
    db.close();
  });
  const conversationId = 'chat' as ConversationId;
  insertConversation(db, conversationId);
  const leafId = randomUUID() as MessageId;
  insertMessage(db, { id: leafId, conversationId, parentId: undefined, role: 'user', createdAt: 0 });
  const labels = { source: { kind: 'unknown' as const }, untrusted: true, private: true };
  const text = storeText(createBlobs(db, dataDir, randomUUID, handClock()), earlier, conversationId);
  insertPart(db, {
    id: randomUUID() as PartId,
    messageId: leafId,
    step: 0,
    kind: 'text',
    text,
    open: false,
    durationMs: undefined,
    labels,
  });
  const call = { conversationId, leafId, callId: 'none' as CallId, paths: [], folders: [], local: true };
  return {
    inspect: (values: Record<string, unknown>, more: Partial<CallToInspect> = {}) =>
      inspectCall({ pool, db, log }, { ...call, values, ...more }),
    search: (values: Record<string, unknown>) =>
      pool.run('inspect', { databaseFile: db.name, leafId, callId: call.callId, values, now: 0 }, { timeoutMs: 40_000 }),
  };
}

test.each<[string, string, string]>([
  ['one letter', 'a'.repeat(100_000), 'a'.repeat(5_000_000)],
  ['a short period', 'abcabcabd'.repeat(11_000), 'abcabcabd'.repeat(550_000)],
  ['percent escapes', '%41'.repeat(33_000), '%41%25'.repeat(800_000)],
  ['backslashes', '\\'.repeat(100_000), '\\u005c'.repeat(800_000)],
  ['base64 of base64', Buffer.from('A'.repeat(70_000)).toString('base64'), 'QUFB'.repeat(1_250_000)],
  ['hex digits', '4'.repeat(100_000), '41'.repeat(2_500_000)],
  ['beginnings of keys', '-----BEGIN RSA PRIVATE KEY-----'.repeat(3_000), '-----BEGIN '.repeat(450_000)],
  ['addresses', 'https://a:b'.repeat(9_000), 'postgres://a:bbbb@'.repeat(270_000)],
])(
  'hostile texts are searched in time that grows with their length only: %s',
  async (_, argument, earlier) => {
    const { search } = world(earlier);
    // The pool rejects what overruns: were it the product of the two lengths, it would take hours.
    expect(await search({ argument })).toMatchObject({ whole: true });
  },
  60_000,
);
