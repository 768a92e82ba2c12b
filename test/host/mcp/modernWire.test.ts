import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AnswerServerRequest } from '../../../main/host/mcp/callTool.ts';
import type { Connection } from '../../../main/host/mcp/connection.ts';
import { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import { type EveryMethod, startEveryMethod } from '../../servers/everyMethod.ts';
import { call, discovered, eventually, folder, http, jsonRpcOverHttp, linesOf, nodeProgram, open, testServer, textOf } from './harness.ts';

interface Sent {
  id?: unknown;
  method?: string;
  params?: { [name: string]: unknown; _meta?: Record<string, unknown> };
}

const key = (name: string) => `io.modelcontextprotocol/${name}`;
const asker = { signal: new AbortController().signal };
const named: AnswerServerRequest = async ({ kind }) =>
  kind === 'elicitation' ? { kind: 'result', result: { action: 'accept', content: { name: 'Ada' } } } : { kind: 'declined' };

async function server(as: 'json' | 'stream', breaks?: boolean): Promise<EveryMethod> {
  const started = await startEveryMethod(as, breaks);
  onTestFinished(() => started.close());
  return started;
}

/** All that a host asks of a modern server: every method of the protocol and of its tasks, and a call with a round of questions. */
async function everything(connection: Connection): Promise<void> {
  // §1.9: a message is one line, whatever stands in it.
  expect(textOf(await call(connection, 'echo', { text: 'two\r\nlines\u2028 ✓' }))).toBe('done');
  expect(textOf(await call(connection, 'ask'))).toBe('done');
  expect(await connection.readResource('note://öne', asker)).toMatchObject({ kind: 'ok' });
  expect(await connection.getPrompt('greet', {}, asker)).toMatchObject({ kind: 'ok' });
  expect(await connection.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: '' }, {}, asker)).toMatchObject({
    kind: 'ok',
  });
  await connection.subscriptions.watch(new Set(['note://one']));
  const of = { callId: CallId.parse('call-of-task'), conversationId: ConversationId.parse('conversation-1') };
  const started = await connection.callTool(
    { tool: 'research', arguments: {}, ...of, signal: asker.signal, onProgress: () => undefined },
    5000,
  );
  if (started.kind !== 'task') throw new Error(JSON.stringify(started));
  const question = { method: 'elicitation/create', params: { message: 'Deep?', requestedSchema: { type: 'object', properties: {} } } };
  expect(await connection.tasks.answer(started.task, of, { question }, asker.signal)).toBeUndefined();
  await connection.tasks.cancel(started.task, of, asker.signal);
  expect(await connection.tasks.get(started.task, of, asker.signal)).toMatchObject({ status: 'ended' });
}

/** What is asked of a server over its life, as it heard it. */
async function heardOver(transport: 'stdio' | 'json' | 'stream'): Promise<{ sent: Sent[]; overHttp: EveryMethod['heard'] }> {
  if (transport === 'stdio') {
    const journal = join(folder(), 'heard');
    const { connection } = await open(nodeProgram(testServer('everyMethod'), journal), { answer: named });
    await everything(connection);
    await connection.close();
    return { sent: linesOf(journal).map((line) => JSON.parse(line) as Sent), overHttp: [] };
  }
  const { url, heard } = await server(transport);
  const { connection } = await open(http(url), { answer: named });
  await everything(connection);
  await connection.close();
  return { sent: heard.map(({ body }) => JSON.parse(body) as Sent), overHttp: heard };
}

/** §1.1, and the three methods of the extension for tasks. */
const methods = [
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'subscriptions/listen',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
];

test.each(['stdio', 'json', 'stream'] as const)(
  '§1.1 §1.2 §1.3 §1.9 §1.13 M6 H2: over %s each request of every method, a round included, carries revision, capabilities and client in its _meta',
  async (transport) => {
    const { sent } = await heardOver(transport);
    const requests = sent.filter(({ id }) => id !== undefined);
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(methods));
    expect(requests.filter(({ params }) => params?.['inputResponses'] !== undefined && params['name'] === 'ask')).toHaveLength(1);
    for (const { params } of requests) {
      expect(params?._meta).toMatchObject({
        [key('protocolVersion')]: '2026-07-28',
        [key('clientCapabilities')]: { elicitation: { form: {}, url: {} }, extensions: { [key('tasks')]: {} } },
        [key('clientInfo')]: { name: 'maitre-test', version: '0.0.0' },
      });
    }
    // §1.3: an id is a text or a whole number, and no two requests have the same; so it is with progress tokens.
    const ids = requests.map(({ id }) => id);
    expect(ids.every((id) => typeof id === 'string' || Number.isSafeInteger(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    const tokens = requests.flatMap(({ params }) => params?._meta?.['progressToken'] ?? []);
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens).size).toBe(tokens.length);
    // §1.1: nothing that is gone is sent, and of notices only the one that ends something, over stdio.
    const notices = sent.filter(({ id }) => id === undefined).map(({ method }) => method);
    expect(notices.filter((method) => transport !== 'stdio' || method !== 'notifications/cancelled')).toEqual([]);
  },
);

test('H1 H2 H3 H4 H5 H13: over HTTP every message is a POST with the headers that its body demands, whatever session the server gives out', async () => {
  const { overHttp } = await heardOver('stream');
  expect(overHttp.length).toBeGreaterThan(methods.length);
  for (const { method, headers, body } of overHttp) {
    const { method: asked = '', params = {} } = JSON.parse(body) as Sent;
    expect(method).toBe('POST');
    expect(headers.accept).toMatch(/application\/json/);
    expect(headers.accept).toMatch(/text\/event-stream/);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['mcp-protocol-version']).toBe(params._meta?.[key('protocolVersion')]);
    expect(headers['mcp-method']).toBe(asked);
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(headers).not.toHaveProperty('last-event-id');
    expect(headers).not.toHaveProperty('origin');
    const name =
      { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[asked] ?? (asked.startsWith('tasks/') ? 'taskId' : '');
    const encoded = (value: string) => (/^[ -~]*$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`);
    expect([asked, headers['mcp-name']]).toEqual([asked, name === '' ? undefined : encoded(String(params[name]))]);
  }
});

test('H8 §1.1 §1.9: a request of the server is an offence of the newest revision: nobody is asked, nothing is answered, the call goes on', async () => {
  const answer: AnswerServerRequest = () => Promise.reject(new Error('asked'));
  const journal = join(folder(), 'heard');
  const program = await open(nodeProgram(testServer('everyMethod'), journal), { answer });
  const { url, heard } = await server('stream');
  const remote = await open(http(url), { answer });
  for (const { connection } of [program, remote]) {
    expect(textOf(await call(connection, 'chatty'))).toBe('done');
    expect(textOf(await call(connection, 'echo'))).toBe('done');
    await connection.close();
  }
  const sent = [...linesOf(journal), ...heard.map(({ body }) => body)].map((line) => JSON.parse(line) as Sent);
  expect(sent.filter(({ method }) => method === undefined)).toEqual([]);
});

test('H9 §2.13: Stop breaks the exchange off over HTTP, and sends no notice there', async () => {
  const { url, heard, brokenOff } = await server('stream');
  const { connection } = await open(http(url));
  const stop = new AbortController();
  const outcome = call(connection, 'stall', {}, { signal: stop.signal });
  await eventually(() => heard.some(({ body }) => body.includes('"stall"')));
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  await eventually(() => brokenOff.includes('tools/call'));
  expect(textOf(await call(connection, 'echo'))).toBe('done');
  expect(heard.filter(({ body }) => body.includes('notifications/cancelled'))).toEqual([]);
});

test('§1.9 §2.13: Stop tells a modern program the id of the request that is over, and of no other', async () => {
  const journal = join(folder(), 'heard');
  const { connection } = await open(nodeProgram(testServer('everyMethod'), journal));
  const sent = () => linesOf(journal).map((line) => JSON.parse(line) as Sent);
  const stop = new AbortController();
  const outcome = call(connection, 'stall', {}, { signal: stop.signal });
  const stalled = await eventually(() => sent().find(({ params }) => params?.['name'] === 'stall'));
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  const cancelled = () => sent().filter(({ method }) => method === 'notifications/cancelled');
  await eventually(() => cancelled().length > 0);
  expect(cancelled().map(({ params }) => params?.['requestId'])).toEqual([stalled.id]);
});

test('H10 H11: a stream that ends before the answer is a lost request: not taken up again, though its events have ids, nor made again', async () => {
  const { url, heard } = await server('stream', true);
  const { connection } = await open(http(url));
  expect(await call(connection, 'echo')).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('not known') });
  expect(await connection.readResource('note://one', asker)).toMatchObject({ kind: 'ok' });
  expect(heard.filter(({ body }) => body.includes('tools/call'))).toHaveLength(1);
  expect(heard.filter(({ method, headers }) => method !== 'POST' || headers['last-event-id'] !== undefined)).toEqual([]);
});

test('§1.3 §2.16: only results of a known type are read: one that is not known, and a task or a question where none may be, are invalid', async () => {
  const answer: AnswerServerRequest = () => Promise.reject(new Error('asked'));
  const { connection } = await open(nodeProgram(testServer('everyMethod')), { answer });
  const ask = {
    call: (type: string) => call(connection, `typed:${type}`),
    read: (type: string) => connection.readResource(`typed:${type}`, asker),
    prompt: (type: string) => connection.getPrompt(`typed:${type}`, {}, asker),
    complete: (type: string) => connection.complete({ type: 'ref/prompt', name: `typed:${type}` }, { name: 'a', value: '' }, {}, asker),
  };
  expect(await ask.call('partial')).toMatchObject({ kind: 'invalidResult' });
  for (const type of ['partial', 'task']) {
    expect(await ask.read(type)).toMatchObject({ kind: 'failed' });
    expect(await ask.prompt(type)).toMatchObject({ kind: 'failed' });
    expect(await ask.complete(type)).toMatchObject({ kind: 'failed' });
  }
  expect(await ask.complete('input_required')).toMatchObject({ kind: 'failed' });
  // A result without a type counts as complete, as those of older servers.
  expect(textOf(await ask.call(''))).toBe('read as complete');
  expect(await ask.read('')).toMatchObject({ kind: 'ok' });
  expect(await ask.complete('')).toMatchObject({ kind: 'ok', value: { values: ['read as complete'] } });
});

test.each([
  ['with the id of the request', (id: unknown) => ({ id })],
  ['without an id', () => ({})],
  ['with null for an id', () => ({ id: null })],
])('H12 §1.3 §1.11: an error in the body of a refused request, %s, answers the request of that exchange', async (_what, idOf) => {
  const calls: string[] = [];
  let lists = 0;
  const url = await jsonRpcOverHttp(({ message: { id, method, params }, response, answer }) => {
    const refuse = (status: number, code: number, data?: unknown) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', ...idOf(id), error: { code, message: 'no', data } }));
    const capabilities = { tools: {}, resources: {}, completions: {} };
    if (method === 'server/discover') return answer({ result: { ...discovered.result, capabilities } });
    if (method === 'resources/list') return answer({ result: { resultType: 'complete', resources: [{ uri: 'note://one' }] } });
    if (method === 'tools/list') return (lists++, answer({ result: { resultType: 'complete', tools: [] } }));
    if (method !== 'tools/call') return refuse(404, -32601);
    calls.push(params?.name ?? '');
    if (params?.name === 'headers') return refuse(400, -32020);
    if (params?.name === 'capability') return refuse(400, -32021, { requiredCapabilities: { sampling: {} } });
    if (params?.name === 'reserved') return refuse(400, -32077);
    if (params?.name === 'proxy') return void response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
    refuse(400, -32602);
  });
  const { connection } = await open(http(url));
  // Resources without templates are no fault, and neither is a completion that is not there.
  expect(connection.lists()).toMatchObject({ resources: [{ uri: 'note://one' }], templates: [], warnings: [] });
  const completed = await connection.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: '' }, {}, asker);
  expect(completed).toEqual({ kind: 'ok', value: { values: [], hasMore: false } });
  expect(await call(connection, 'unknown')).toMatchObject({ kind: 'protocolError', code: -32602 });
  expect(await call(connection, 'reserved')).toMatchObject({ kind: 'protocolError', code: -32077 });
  expect(await call(connection, 'capability')).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining('(sampling)') });
  expect(await call(connection, 'proxy')).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('HTTP status 404') });
  expect([await call(connection, 'headers'), lists]).toMatchObject([{ kind: 'protocolError', code: -32020 }, 2]);
  expect(calls).toEqual(['unknown', 'reserved', 'capability', 'proxy', 'headers', 'headers']);
});

test('H12: an error that names another request answers none', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 'another', error: { code: -32602, message: 'no' } }));
  });
  const { connection } = await open(http(url));
  expect(await call(connection, 'any')).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('HTTP status 400') });
});

test('§1.7 S23: over stdio a notice counts for the subscription that it names, and is dropped where nobody has that one', async () => {
  const journal = join(folder(), 'heard');
  const { connection, updated } = await open(nodeProgram(testServer('everyMethod'), journal));
  await connection.subscriptions.watch(new Set(['note://one', 'note://two']));
  const notice = (subscriptionId: unknown, method: string, params: object) => ({
    method: `notifications/${method}`,
    params: { ...params, _meta: { [key('subscriptionId')]: subscriptionId } },
  });
  const strangers = ['nobody', 0, null, 'listen'].flatMap((id) => [
    notice(id, 'resources/updated', { uri: 'note://one' }),
    notice(id, 'tools/list_changed', {}),
  ]);
  const say = [...strangers, notice('$listen', 'resources/updated', { uri: 'note://two' })];
  expect(textOf(await call(connection, 'echo', { say }))).toBe('done');
  expect(updated).toEqual(['note://two']);
  await call(connection, 'echo', { say: [notice('$listen', 'tools/list_changed', {})] });
  const lists = () => linesOf(journal).filter((line) => line.includes('"tools/list"'));
  await eventually(() => lists().length > 1);
  expect(lists()).toHaveLength(2);
});

test('§1.7: a subscription that its server ends, by a notice, by a result, or by both, is opened once more', async () => {
  const journal = join(folder(), 'heard');
  const { connection } = await open(nodeProgram(testServer('everyMethod'), journal));
  await connection.subscriptions.watch(new Set(['note://one']));
  const listens = () => linesOf(journal).filter((line) => line.includes('subscriptions/listen'));
  const cancelled = { method: 'notifications/cancelled', params: { requestId: '$listen' } };
  const result = { id: '$listen', result: { resultType: 'complete', _meta: { [key('subscriptionId')]: '$listen' } } };
  for (const say of [[cancelled], [result, cancelled], [cancelled, result]]) {
    const before = listens().length;
    await call(connection, 'echo', { say });
    await eventually(() => listens().length > before && connection.subscriptions.watched().size === 1);
    expect(listens()).toHaveLength(before + 1);
  }
});

test('answers with the id as a text, and results without a "resultType", are taken', async () => {
  const asked = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } };
  const url = await jsonRpcOverHttp(({ message: { id, method, params }, response }) => {
    const { resultType: _, ...introduction } = discovered.result;
    const rounds = params && 'inputResponses' in params ? {} : { resultType: 'input_required', inputRequests: { asked } };
    const results: Record<string, object> = {
      'server/discover': { resultType: 'complete', ...introduction },
      'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
      'tools/call': { content: [{ type: 'hologram', depth: 3 }], ...rounds },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: String(id), result: results[method ?? ''] }));
  });
  const { connection, log } = await open(http(url), { answer: named });
  expect(await call(connection, 'any')).toMatchObject({ kind: 'result', content: [{ type: 'hologram', depth: 3 }] });
  expect(connection.lists().warnings).toEqual([]);
  expect(log.lines().filter(({ stream }) => stream === 'host')).toEqual([]);
});
