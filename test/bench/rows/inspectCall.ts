import { join } from 'node:path';
import { nodePorts } from '../../../main/host/nodePorts.ts';
import type { CallFacts } from '../../../main/host/policy/callFacts.ts';
import { decide } from '../../../main/host/policy/decide.ts';
import { inspectCall, prepareInspection } from '../../../main/host/policy/inspectCall.ts';
import { chatLabels } from '../../../main/host/policy/labels.ts';
import { createBlobs } from '../../../main/host/store/blobs.ts';
import { insertCall } from '../../../main/host/store/calls.ts';
import { insertConversation } from '../../../main/host/store/conversations.ts';
import { type Db, inTransaction, openDatabase } from '../../../main/host/store/database.ts';
import { storeText } from '../../../main/host/store/longText.ts';
import { insertMessage, insertPart } from '../../../main/host/store/messages.ts';
import { insertTurn } from '../../../main/host/store/turns.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import type { CallId, ConversationId, MessageId, PartId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Labels } from '../../../preload/contract/content.ts';
import { benchFolder } from '../benchHost.ts';
import { median, type Row, watchLoop, withCleanUp } from '../row.ts';

const earlierBytes = 5_000_000;
const argumentBytes = 100_000;
const calls = 9;

/** The same texts in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const next = random(7);
const words = Array.from({ length: 60_000 }, () =>
  Array.from({ length: 2 + Math.floor(next() * 9) }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join(''),
);
const word = (): string => words[Math.floor(next() * words.length)] ?? '';

function prose(length: number): string {
  const parts: string[] = [];
  for (let size = 0; size < length;) {
    const sentence = Array.from({ length: 6 + Math.floor(next() * 12) }, word).join(' ');
    parts.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${next() < 0.15 ? '\n\n' : ' '}`);
    size += sentence.length + 2;
  }
  return parts.join('').slice(0, length);
}

/** What servers return: mails, JSON with texts in it, logs, listings of files, and now and then something in base64. */
const kinds: readonly ((length: number) => string)[] = [
  prose,
  (length) =>
    JSON.stringify(
      Array.from({ length: Math.ceil(length / 700) }, (_, id) => ({ id, from: `${word()}@${word()}.example`, body: prose(600) })),
      null,
      2,
    ),
  (length) =>
    Array.from(
      { length: Math.ceil(length / 90) },
      () => `2026-11-30T14:0${Math.floor(next() * 9)}:11Z INFO ${word()}.${word()} ${prose(50)}`,
    ).join('\n'),
  (length) =>
    Array.from(
      { length: Math.ceil(length / 60) },
      () => `src/${word()}/${word()}/${word()}.ts:${Math.floor(next() * 900)}: const ${word()} = ${word()}(${word()});`,
    ).join('\n'),
  (length) => `data: ${Buffer.from(prose(Math.floor(length * 0.7))).toString('base64')}`,
];

/** A chat with results of 5 MB in it, some of them in blobs. */
function fill(db: Db, dataDir: string, earlier: readonly string[]): MessageId {
  const { clock } = nodePorts({ dataDir, env: {} });
  let id = 0;
  const blobs = createBlobs(db, dataDir, () => `blob-${++id}`, clock);
  const conversationId = 'chat' as ConversationId;
  const [question, leafId] = ['question', 'answer'] as [MessageId, MessageId];
  const turnId = 'turn' as TurnId;
  insertConversation(db, { id: conversationId, model: undefined, at: 0 });
  insertMessage(db, { id: question, conversationId, parentId: undefined, role: 'user', createdAt: 0 });
  insertMessage(db, { id: leafId, conversationId, parentId: question, role: 'assistant', createdAt: 1 });
  const turn = {
    id: turnId,
    conversationId,
    userMessageId: question,
    assistantMessageId: leafId,
    state: 'running',
    model: 'demo',
    steps: 0,
    startedAt: 1,
  } as const;
  insertTurn(db, turn, 100);
  const texts = earlier.map((text) => storeText(blobs, text, conversationId));
  inTransaction(db, () => {
    for (const [step, text] of texts.entries()) {
      const [callId, partId] = [`call-${step}`, `part-${step}`] as [CallId, PartId];
      const labels: Labels = {
        source: { kind: 'tool', serverId: 'mail' as ServerId, tool: 'search', callId },
        untrusted: true,
        private: true,
      };
      insertPart(db, {
        id: partId,
        messageId: leafId,
        step,
        kind: 'call',
        text: { text: '', length: 0 },
        open: false,
        durationMs: undefined,
        labels,
      });
      insertCall(db, {
        partId,
        modelCallId: callId,
        wireName: 'mail__search',
        argumentsValid: true,
        labels,
        call: {
          id: callId,
          turnId,
          messageId: leafId,
          step,
          serverId: 'mail' as ServerId,
          serverName: 'Mail',
          tool: 'search',
          arguments: { text: '{}', length: 2 },
          argumentsHash: '',
          effects: { set: ['reads'], source: 'user' },
          createdAt: 1,
          state: 'succeeded',
          content: [{ type: 'text', text }],
          endedAt: 2,
          durationMs: 1,
        },
      });
    }
  });
  return leafId;
}

/** The model's own words with a hundred pieces of what was read between them, and one piece hidden in base64. */
function argumentOf(earlier: readonly string[], n: number): string {
  const parts: string[] = [];
  for (let piece = 0; piece < 100; piece += 1) {
    const from = earlier[(piece * 13 + n) % earlier.length] ?? '';
    const at = Math.floor(next() * (from.length - 300));
    const copied = from.slice(at, at + 300);
    parts.push(prose(680), piece === 50 ? Buffer.from(copied).toString('base64') : copied);
  }
  return parts.join('\n').slice(0, argumentBytes);
}

export const row: Row = {
  name: 'Before a card: decide, labels, origin marks, findings; 100 kB against 5 MB',
  unit: 'ms',
  bound: 50,
  run: () =>
    withCleanUp(async (later) => {
      const dataDir = join(benchFolder(later), 'data');
      const { clock, log } = nodePorts({ dataDir, env: {} });
      const db = openDatabase({ dataDir, log, clock });
      later(() => db.close());
      const earlier: string[] = [];
      for (let size = 0; size < earlierBytes;) {
        const length = earlier.length % 10 === 0 ? 250_000 : 40_000;
        const text = (kinds[earlier.length % kinds.length] ?? prose)(length);
        earlier.push(text);
        size += text.length;
      }
      const leafId = fill(db, dataDir, earlier);
      const pool = createWorkerPool({ size: 2, log });
      later(() => pool.close());
      const facts: Omit<CallFacts, 'values'> = {
        serverId: 'mail' as ServerId,
        serverName: 'Mail',
        tool: 'send',
        effects: { set: ['sendsOut'], source: 'user' },
        conversationId: 'chat' as ConversationId,
        turnId: 'turn' as TurnId,
        paths: [],
        destinations: ['/to'],
        keptExact: [],
        definition: 'accepted',
        managed: { deniesCall: undefined, standingForbidden: false, demandsPins: false },
        now: 0,
      };
      const wait = async (values: Record<string, unknown>): Promise<{ ms: number; processorMs: number }> => {
        const start = performance.now();
        const before = process.cpuUsage();
        const labels = chatLabels(db, leafId, () => 'Mail');
        const { reason } = decide({ ...facts, values }, [], labels);
        const { marks, findings, inspectionIncomplete } = await inspectCall(
          { pool, db, log },
          {
            conversationId: facts.conversationId,
            leafId,
            callId: 'none' as CallId,
            values,
            paths: [],
            folders: [],
            local: true,
            definers: [],
          },
        );
        const ms = performance.now() - start;
        const { user, system } = process.cpuUsage(before);
        const processorMs = (user + system) / 1000;
        if (reason.verdict !== 'ask' || marks.length < 80 || findings.length !== 1 || inspectionIncomplete !== undefined)
          throw new Error(
            `Not all was seen: ${reason.verdict}, ${marks.length} marks, ${findings.length} findings, ${inspectionIncomplete}.`,
          );
        if (!marks.some(({ encoding }) => encoding === 'base64')) throw new Error('What was hidden in base64 was not seen.');
        return { ms, processorMs };
      };
      const values = Array.from({ length: calls + 1 }, (_, n) => ({
        to: 'eve@example.com',
        body: `${argumentOf(earlier, n)} 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`,
      }));
      const cold = await wait(values[0] ?? {});
      // As it is done while the model still writes.
      await prepareInspection({ pool, db, log }, leafId);
      const { value: times, loopDelayMs } = await watchLoop(async () => {
        const measured: Awaited<ReturnType<typeof wait>>[] = [];
        for (const each of values.slice(1)) measured.push(await wait(each));
        return measured;
      });
      const processorMs = median(times.map((time) => time.processorMs));
      const waitedMs = median(times.map(({ ms }) => ms));
      // Where other programs have the processors: what all threads have used of them, which is never less than the way from call to card.
      const value = Math.min(waitedMs, processorMs);
      return {
        value,
        loopDelayMs,
        detail: `median of ${calls}: ${waitedMs.toFixed(0)} ms by the clock, ${processorMs.toFixed(0)} ms of processor time in all threads; the first call of a new start, with nothing prepared, ${cold.ms.toFixed(0)} ms by the clock, ${cold.processorMs.toFixed(0)} of processor time`,
      };
    }),
};
