import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ServerId } from '../../../preload/contract/ids.ts';
import { createRedactor } from '../../../main/host/redact.ts';
import { createRecorder } from '../../../main/host/trace/recorder.ts';
import { createTraceStore, maxKeptText, traceLimits } from '../../../main/host/trace/traceStore.ts';
import { handClock, rememberingLog, tempFolder } from '../../doubles/hostParts.ts';

const serverId = ServerId.parse('server-1');

function store(limits?: { maxBytes: number; filesKept: number }) {
  const clock = handClock();
  const dir = tempFolder();
  const grew: number[] = [];
  const redactor = createRedactor();
  const trace = createTraceStore({
    clock,
    redactor,
    recorder: createRecorder(dir, rememberingLog(), limits),
    onGrew: (_server, last) => void grew.push(last),
  });
  const all = (filter = {}) => trace.list({ serverId, filter, limit: 10_000 }).entries;
  return { clock, dir, grew, redactor, trace, wire: trace.wire(serverId), all };
}

const message = (fields: object) => JSON.stringify({ jsonrpc: '2.0', ...fields });

test('10,000 messages stay within the bounds, the newest are kept, and the window hears of them a few times a second', () => {
  const { wire, all, grew, clock } = store();
  for (let n = 0; n < 10_000; n += 1) {
    wire.received(message({ method: 'notifications/message', params: { n } }));
    if (n % 1000 === 999) clock.forward(250);
  }
  const entries = all();
  expect(entries.length).toBe(traceLimits.entries);
  expect(entries[0]?.text).toContain('"n":9999');
  expect(entries.at(-1)?.text).toContain(`"n":${10_000 - traceLimits.entries}`);
  expect(grew).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000]);
});

test('long messages are bounded in characters, each alone and all together', () => {
  const { wire, all, redactor } = store();
  redactor.add('canary-secret');
  for (let n = 0; n < 40; n += 1) wire.received(message({ id: n, result: { text: `${'x'.repeat(1_000_000)}canary-secret` } }));
  const entries = all();
  const kept = entries.reduce((sum, { text }) => sum + text.length, 0);
  expect(kept).toBeLessThanOrEqual(traceLimits.characters);
  expect(entries.length).toBeGreaterThan(10);
  expect(entries[0]?.isCut).toBe(true);
  expect(entries[0]?.entry).toMatchObject({ rpcId: '39', kind: 'response' });
  expect(entries[0]?.entry.bytes).toBeGreaterThan(1_000_000);
});

test('no half of a secret is left where a long message is cut', () => {
  const { wire, all, redactor } = store();
  const secret = 'canary-'.repeat(20);
  redactor.add(secret);
  const head = '{"jsonrpc":"2.0","id":1,"result":{"text":"';
  for (const before of [0, 1, 70, 139]) {
    const text = `${head}${'x'.repeat(maxKeptText - head.length - before)}${secret}${'y'.repeat(100_000)}"}}`;
    wire.received(text);
  }
  expect(all().map(({ text }) => /canary/.test(text))).toEqual([false, false, false, false]);
});

test('an answer that breaks a rule and is taken all the same says which', () => {
  const { wire, all } = store();
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const texts = (n: number) => wire.sent(message({ id: n, method: 'tools/call', params: { name: 'echo', ...(n === 2 ? {} : { _meta }) } }));
  for (const n of [1, 2, 3, 4, 5]) texts(n);
  wire.received(message({ id: 1, result: { content: [] } }));
  wire.received(message({ id: 2, result: { content: [] } }));
  wire.received(message({ id: '3', result: { resultType: 'complete', content: [] } }));
  wire.received(message({ id: '4', result: { content: [], isError: true } }));
  wire.received(message({ id: 5, error: { code: -32603, message: 'no' } }));
  const answers = all()
    .reverse()
    .filter(({ entry }) => entry.direction === 'fromServer');
  expect(answers.map(({ entry }) => [entry.method, entry.problem])).toEqual([
    ['tools/call', 'Its result has no "resultType", which 2026-07-28 wants of every result: it is taken as "complete".'],
    ['tools/call', undefined],
    ['tools/call', expect.stringMatching(/^Its "id" is a text, and that of its request was a number: .* It is taken all the same\.$/)],
    ['tools/call', expect.stringMatching(/^The tool reports an error\. Its "id" is a text, .* Its result has no "resultType"/)],
    ['tools/call', 'An error of the protocol, code -32603.'],
  ]);
});

test('answers find their requests, by the id, in each direction of its own', () => {
  const { wire, all, clock } = store();
  wire.belongs(1, 'call-1');
  wire.sent(message({ id: 1, method: 'tools/call', params: { name: 'echo', _meta: { progressToken: 1 } } }));
  wire.received(message({ id: 1, method: 'elicitation/create', params: {} }));
  wire.received(message({ id: 'one', result: {} }));
  wire.received(message({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }));
  clock.forward(40);
  wire.sent(message({ id: 1, result: { action: 'decline' } }));
  clock.forward(2);
  wire.received(message({ id: 1, result: { isError: true, content: [] } }));
  const entries = all().reverse();
  expect(entries.map(({ entry }) => [entry.direction, entry.kind, entry.method, entry.tookMs])).toEqual([
    ['toServer', 'request', 'tools/call', 42],
    ['fromServer', 'request', 'elicitation/create', 40],
    ['fromServer', 'response', undefined, undefined],
    ['fromServer', 'notification', 'notifications/progress', undefined],
    ['toServer', 'response', 'elicitation/create', 40],
    ['fromServer', 'response', 'tools/call', 42],
  ]);
  expect(entries.map(({ servedId }) => servedId)).toEqual(Array.from({ length: 6 }, () => 'call-1'));
  expect(entries[2]?.entry.problem).toBe('It answers no request that is waiting.');
  expect(entries[5]?.entry.problem).toBe('The tool reports an error.');
  expect(all({ callId: 'call-1' }).length).toBe(6);
  expect(all({ errorsOnly: true }).length).toBe(2);
  expect(all({ text: 'ECHO' }).map(({ entry }) => entry.kind)).toEqual(['response', 'request']);
});

test('what a server writes in place of an answer stands with the call that waits, as long as there is only one', () => {
  const { wire, all } = store();
  const ask = (id: number) => {
    wire.belongs(id, `call-${id}`);
    wire.sent(message({ id, method: 'tools/call', params: { name: 'echo' } }));
  };
  wire.noise('before');
  ask(1);
  wire.noise("{'jsonrpc': '2.0', 'id': 1}");
  wire.received(message({ id: 999, result: {} }));
  ask(2);
  wire.noise('of whom?');
  wire.received(message({ id: 998, result: {} }));
  const strange = all()
    .reverse()
    .filter(({ entry }) => entry.direction === 'fromServer');
  expect(strange.map(({ servedId }) => servedId)).toEqual([undefined, 'call-1', 'call-1', undefined, undefined]);
});

test('a batch is as many entries as it has messages; what is no message says so', () => {
  const { wire, all } = store();
  wire.received(`[${message({ id: 1, result: {} })},${message({ method: 'a' })},7]`);
  wire.received('[]');
  expect(all().map(({ entry }) => entry.kind)).toEqual(['noise', 'noise', 'notification', 'response']);
});

test('an answer that nobody could take says which rule it breaks', () => {
  const { wire, all } = store();
  wire.sent(message({ id: 1, method: 'tools/call' }));
  wire.received(message({ id: 1, result: 'done' }));
  wire.received('{"id":2,"result":{}}');
  wire.received(message({ id: 3, result: {} }));
  expect(all().map(({ entry }) => entry.problem)).toEqual([
    'It answers no request that is waiting.',
    'It is no message of the protocol: it does not say "jsonrpc": "2.0".',
    'It is no message of the protocol: its "result" is no object.',
    undefined,
  ]);
});

test('only while it is on, a recording writes what is kept, in files that are bounded', () => {
  const { wire, trace, dir, redactor } = store({ maxBytes: 2000, filesKept: 3 });
  redactor.add('canary-secret');
  wire.received(message({ method: 'before' }));
  const { file } = trace.record(serverId, true);
  for (let n = 0; n < 100; n += 1) wire.received(message({ method: 'during', params: { n, text: 'canary-secret' } }));
  expect(trace.record(serverId, false).on).toBe(false);
  wire.received(message({ method: 'after' }));
  const files = readdirSync(path.join(dir, 'traces'));
  expect(files.length).toBe(3);
  for (const name of files) expect(statSync(path.join(dir, 'traces', name)).size).toBeLessThanOrEqual(2000);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: 'notification', method: 'during', text: expect.stringContaining('"n":99') });
  expect(lines.join('\n')).not.toContain('canary');
});

test('a recording that cannot be written stops with a sentence, and the trace goes on', () => {
  const { wire, trace, dir, all } = store();
  trace.record(serverId, true);
  writeFileSync(path.join(dir, 'traces'), 'a file where the folder should be');
  wire.received(message({ method: 'a' }));
  wire.received(message({ method: 'b' }));
  expect(trace.recording(serverId)).toMatchObject({ on: false, problem: expect.stringContaining('could not be written') });
  expect(all().length).toBe(2);
});

test('session ids go wherever they stand once they are known', () => {
  const { wire, all } = store();
  const exchange = {
    method: 'POST',
    url: 'http://127.0.0.1/mcp',
    requestHeaders: new Headers(),
    status: 200,
    responseHeaders: new Headers({ 'mcp-session-id': 'session-canary' }),
  };
  wire.received(message({ id: 1, result: { text: 'yours is session-canary' } }), { exchange });
  expect(JSON.stringify(all())).not.toContain('session-canary');
});
