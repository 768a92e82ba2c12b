import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { ServerRequest } from '../../../main/host/mcp/callTool.ts';
import {
  call,
  discovered,
  endChild,
  eventually,
  folder,
  freePort,
  http,
  httpServer,
  jsonRpcOverHttp,
  linesOf,
  nodeProgram,
  open,
  packageFile,
  serve,
  testServer,
  textOf,
} from './harness.ts';
import { handClock } from './handClock.ts';

test('arguments of 18 KB reach a server that reads its stdin slowly', async () => {
  const { connection } = await open(nodeProgram(testServer('slowStdin')));
  const content = 'x'.repeat(18_000);
  expect(textOf(await call(connection, 'length', { content }))).toBe(String(JSON.stringify({ content }).length));
});

test('a result of 5 MB arrives whole', async () => {
  const { connection } = await open(nodeProgram(testServer('big')));
  expect(textOf(await call(connection, 'echo', { bytes: 5_000_000 }))).toHaveLength(5_000_000);
});

test('a message of more than 64 MiB ends the connection with a sentence', async () => {
  const { connection } = await open(nodeProgram(testServer('big')));
  const outcome = await call(connection, 'echo', { bytes: 65 * 1024 * 1024 });
  expect(outcome).toMatchObject({ kind: 'exited', message: expect.stringContaining('more than 64 MiB') });
  expect(await connection.ended).toMatchObject({ code: 'protocolError' });
});

test.each([
  ['exit', 'exit code 3'],
  ['kill', 'signal SIGKILL'],
  ['deaf', 'exit code 5'],
])('a server that dies during a call (%s) fails the call at once, with %s and its last words', async (tool, how) => {
  const { connection } = await open(nodeProgram(testServer('diesInCall')));
  const outcome = await call(connection, tool);
  expect(outcome).toMatchObject({ kind: 'exited', message: expect.stringContaining(how) });
  expect(outcome.kind === 'exited' && outcome.detail).toContain(`panic: index out of range in ${tool}`);
  expect(await connection.ended).toMatchObject({ code: 'exited' });
  expect(await call(connection, 'echo')).toMatchObject({ kind: 'exited' });
});

test('a call always carries a progress token, and goes on past its time-out while progress comes', async () => {
  const clock = handClock();
  const { connection } = await open(nodeProgram(testServer('progress')), { clock });
  expect(textOf(await call(connection, 'token'))).toBe('number');
  const seen: number[] = [];
  const outcome = await call(
    connection,
    'work',
    { times: 15 },
    {
      timeoutMs: 1000,
      onProgress({ progress }) {
        seen.push(progress);
        void clock.pass(600);
      },
    },
  );
  expect(textOf(outcome)).toBe('done');
  // The last notices may come in one piece with the result, which overtakes them then.
  expect(seen.length).toBeGreaterThanOrEqual(10);
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
});

test('a silent call times out and is cancelled on the server too', async () => {
  const file = join(folder(), 'cancelled');
  const { connection } = await open(nodeProgram(testServer('progress'), file));
  expect(await call(connection, 'stall', {}, { timeoutMs: 300 })).toMatchObject({ kind: 'timedOut' });
  expect(await eventually(() => linesOf(file)[0])).toBe('stall: The call took too long.');
});

test('Stop ends the call at once and on the server too; what comes late is ignored', async () => {
  const file = join(folder(), 'cancelled');
  const { connection, log } = await open(nodeProgram(testServer('progress'), file));
  const stop = new AbortController();
  const progress: number[] = [];
  const outcome = call(connection, 'late', {}, { signal: stop.signal, onProgress: (step) => progress.push(step.progress) });
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  expect(await eventually(() => linesOf(file)[0])).toBe('late: The user stopped the call.');
  // The late answer has arrived when the next one has.
  expect(textOf(await call(connection, 'token'))).toBe('number');
  expect(progress).toEqual([]);
  expect(log.lines().filter((line) => line.stream === 'host')).toEqual([]);
});

test('a call that was stopped before it began is not sent', async () => {
  const { connection } = await open(nodeProgram(testServer('progress')));
  expect(await call(connection, 'stall', {}, { signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled' });
});

test('Stop over modern HTTP closes the stream, which stops the tool on the server', async () => {
  const port = await freePort();
  const child = await serve(testServer('modernHttp'), [], port, /mcp/);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const { connection } = await open(http(`http://127.0.0.1:${port}/mcp`));
  const stop = new AbortController();
  const outcome = call(connection, 'stall', {}, { signal: stop.signal });
  expect(textOf(await call(connection, 'echo', { text: 'beside' }))).toBe('beside');
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  await eventually(() => said.includes('stall was stopped'));
});

test('results pass as they came: unknown blocks, structured content only, errors of the tool', async () => {
  const { connection } = await open(nodeProgram(testServer('badTools')));
  expect(await call(connection, 'good0')).toEqual({
    kind: 'result',
    content: [
      { type: 'hologram', data: { depth: 3 } },
      { type: 'text', text: 'and text' },
    ],
    hasStructuredContent: false,
    isError: false,
  });
  expect(await call(connection, 'good1')).toMatchObject({
    kind: 'result',
    content: [],
    structuredContent: { id: 10491 },
    hasStructuredContent: true,
  });
  expect(await call(connection, 'good2')).toMatchObject({ kind: 'invalidResult' });
  expect(await call(connection, 'good3')).toMatchObject({ kind: 'invalidResult' });
  expect(await call(connection, 'good4')).toMatchObject({ kind: 'result', isError: true });
});

test('a modern server over HTTP: unknown blocks pass, a stream that ends without an answer ends the call', async () => {
  const url = await jsonRpcOverHttp(({ message: { id, method, params }, response, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    if (params?.name === 'hologram') return answer({ result: { resultType: 'complete', content: [{ type: 'hologram', depth: 3 }] } });
    if (params?.name === 'task') return answer({ result: { resultType: 'task', task: {} } });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (params?.name === 'lost') return void response.end(': nothing to say\n\n');
    if (params?.name === 'torn') return void response.write(': begun\n\n', () => response.destroy());
    response.end(`: a comment\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } })}\n\n`);
  });
  const { connection } = await open(http(url));
  expect(await call(connection, 'hologram')).toMatchObject({ kind: 'result', content: [{ type: 'hologram', depth: 3 }] });
  expect(await call(connection, 'task')).toMatchObject({ kind: 'invalidResult' });
  expect(await call(connection, 'lost')).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('before it answered') });
  expect(await call(connection, 'torn')).toMatchObject({ kind: 'unavailable' });
  expect(await call(connection, 'fine')).toMatchObject({ kind: 'result', content: [] });
});

test('a modern server that asks without end is given up after ten rounds; each round gets its own state back, byte for byte', async () => {
  const states: unknown[] = [];
  const ids = new Set<unknown>();
  const url = await jsonRpcOverHttp(({ message: { id, method, params }, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    ids.add(id);
    states.push(params?.requestState);
    const question = { method: 'elicitation/create', params: { message: 'More?', requestedSchema: { type: 'object', properties: {} } } };
    answer({ result: { resultType: 'input_required', inputRequests: { __proto__x: question }, requestState: ` ✓ ${states.length}\n` } });
  });
  let asked = 0;
  const { connection } = await open(http(url), {
    answer() {
      asked += 1;
      return Promise.resolve({ kind: 'declined' });
    },
  });
  expect(await call(connection, 'endless')).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining('kept on asking') });
  expect(asked).toBe(10);
  expect(ids.size).toBe(11);
  expect(states).toEqual([undefined, ...Array.from({ length: 10 }, (_, index) => ` ✓ ${index + 1}\n`)]);
});

test('a modern server that asks for what was not offered loses the call, and nobody is asked', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    answer({ result: { resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } } });
  });
  const { connection } = await open(http(url), {
    declared: { elicitation: true, sampling: false, roots: false },
    answer: () => Promise.reject(new Error('asked')),
  });
  expect(await call(connection, 'any')).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining('not offered') });
});

test('a folder list that the person declines ends the call of a modern server in words', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    answer({ result: { resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } } });
  });
  const { connection } = await open(http(url));
  expect(await call(connection, 'any')).toMatchObject({ kind: 'declined', message: expect.stringContaining('declined') });
});

test('an error of the protocol keeps its code and a bounded message', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    if (method === 'initialize')
      answer({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } } });
    else if (method === 'tools/list') answer({ result: { tools: [] } });
    else if (method === 'tools/call') answer({ error: { code: -32011, message: 'x'.repeat(5000) } });
    else if (method === 'notifications/initialized') response.writeHead(202).end();
    else answer({ error: { code: -32601, message: 'no' } });
  });
  const { connection } = await open(http(url));
  const outcome = await call(connection, 'any');
  expect(outcome).toMatchObject({ kind: 'protocolError', code: -32011, rpcMessage: 'x'.repeat(2000) });
  expect(outcome.kind === 'protocolError' && outcome.message).not.toContain('xxx');
});

test('while a question waits for the person, the call does not time out; the server gets exactly one answer', async () => {
  let answerNow: () => void = () => undefined;
  const asked: ServerRequest[] = [];
  const clock = handClock();
  const { connection } = await open(nodeProgram(testServer('asks')), {
    clock,
    answer(request) {
      asked.push(request);
      return new Promise((resolve) => (answerNow = () => resolve({ kind: 'result', result: { action: 'accept', content: {} } })));
    },
  });
  const outcome = call(connection, 'ask', {}, { timeoutMs: 300 });
  await eventually(() => asked.length === 1);
  await clock.pass(3_600_000);
  answerNow();
  expect(JSON.parse(textOf(await outcome))).toMatchObject({ result: { action: 'accept', content: {} } });
  expect(asked[0]).toMatchObject({ kind: 'elicitation', message: 'Which one?', schema: { type: 'object', properties: {} } });
});

test('a malformed question is refused by itself, and never shown', async () => {
  const asked: ServerRequest[] = [];
  const { connection } = await open(nodeProgram(testServer('asks')), {
    answer(request) {
      asked.push(request);
      return Promise.resolve({ kind: 'declined' });
    },
  });
  expect(JSON.parse(textOf(await call(connection, 'bad')))).toMatchObject({ error: { code: -32602 } });
  expect(asked).toEqual([]);
});

test('Stop while a question waits ends the call and withdraws the question', async () => {
  for (const target of [nodeProgram(testServer('asks')), nodeProgram(testServer('modernStdio'))]) {
    let asked: ServerRequest | undefined;
    const { connection } = await open(target, {
      answer(request) {
        asked = request;
        return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve({ kind: 'declined' })));
      },
    });
    const stop = new AbortController();
    const outcome = call(connection, connection.protocol.era === 'modern' ? 'greet' : 'ask', {}, { signal: stop.signal });
    const question = await eventually(() => asked);
    stop.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
    await connection.close();
    await eventually(() => question.signal.aborted);
  }
});

test.each([
  ['streamableHttp', /listening/, 'mcp'],
  ['sse', /running/, 'sse'],
])('a server over %s that goes away during a call ends the call and the connection', async (mode, ready, path) => {
  const port = await freePort();
  const child = await serve(packageFile('server-everything', 'dist/index.js'), [mode], port, ready);
  const { connection } = await open(http(`http://127.0.0.1:${port}/${path}`));
  let begun: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const outcome = call(connection, 'trigger-long-running-operation', { duration: 20, steps: 100 }, { onProgress: begun });
  await running;
  await endChild(child);
  expect(await outcome).toMatchObject({ kind: 'unavailable' });
  expect(await connection.ended).toMatchObject({ code: 'connectionRefused' });
});

test('a server over HTTP that forgot the session, with 404 or with the 400 of many, ends the connection so that a new one is made', async () => {
  for (const [status, words] of [
    [404, 'not found'],
    [400, 'Bad Request: No valid session ID provided'],
  ] as const) {
    const url = await jsonRpcOverHttp(({ message: { id, method }, request, response, answer }) => {
      if (method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } };
        response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      } else if (method === 'tools/list') answer({ result: { tools: [] } });
      else if (method === 'tools/call') response.writeHead(status).end(words);
      else if (method === 'notifications/initialized') response.writeHead(202).end();
      else answer({ error: { code: -32601, message: `no ${String(request.method)}` } });
    });
    const { connection } = await open(http(url));
    expect(await call(connection, 'any')).toMatchObject({ kind: 'unavailable' });
    expect(await connection.ended).toMatchObject({ code: 'httpError', message: expect.stringContaining('no longer knows') });
  }
});

test.each([
  [403, 'It does not let you do this: ask who runs it, or check the headers in its settings.'],
  [404, 'answered the call with HTTP status 404.'],
  [502, 'HTTP status 502. Whether it took effect is not known: look before you repeat it.'],
])('a call that is answered with HTTP status %s ends with what that means', async (status, words) => {
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    if (method === 'server/discover') answer(discovered);
    else if (method === 'tools/list') answer({ result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } });
    else response.writeHead(status).end('from the proxy');
  });
  const { connection } = await open(http(url));
  const outcome = await call(connection, 'any');
  expect(outcome).toMatchObject({ kind: 'unavailable', detail: expect.stringContaining('from the proxy') });
  expect('message' in outcome ? outcome.message.slice(-words.length) : outcome).toBe(words);
});

test('a call whose connection breaks says so, and not that somebody stopped its server', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, request, answer }) => {
    if (method === 'server/discover') answer(discovered);
    else if (method === 'tools/list') answer({ result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } });
    else request.socket.destroy();
  });
  const { connection } = await open(http(url));
  expect(await call(connection, 'any')).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/could not be reached at .* Whether it took effect is not known/),
  });
});

test('a resource, a prompt and a completion that are not as the protocol has them say which rule is broken', async () => {
  const url = await jsonRpcOverHttp(({ message: { method }, answer }) => {
    const { result } = discovered;
    if (method === 'server/discover') answer({ result: { ...result, capabilities: { resources: {}, prompts: {}, completions: {} } } });
    else answer({ result: { resultType: 'complete', contents: 'x', messages: null, completion: { values: 'x' } } });
  });
  const { connection } = await open(http(url));
  const asker = { signal: new AbortController().signal };
  const told = (why: string) => ({ kind: 'failed', message: `"Odd" answered with a result that cannot be read: ${why}.` });
  expect(await connection.readResource('a:b', asker)).toEqual(told('its "contents" are no list'));
  expect(await connection.getPrompt('p', {}, asker)).toEqual(told('its "messages" are no list'));
  expect(await connection.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }, {}, asker)).toEqual(
    told('it has no "completion" with a list of "values"'),
  );
});

test('a list of tools that is no message, or no list at all, is a warning and no fault of the application', async () => {
  for (const [type, body, words] of [
    ['text/html', '<html>', 'The list of tools could not be read: it is of the type "text/html"'],
    [
      'application/json',
      '{"jsonrpc":"2.0","id":$id,"result":{"resultType":"input_required"}}',
      'The list of tools could not be read: its result of tools/list',
    ],
  ] as const) {
    const url = await jsonRpcOverHttp(({ message: { id, method }, response, answer }) => {
      if (method === 'server/discover') answer(discovered);
      else response.writeHead(200, { 'content-type': type }).end(body.replace('$id', JSON.stringify(id)));
    });
    const { connection } = await open(http(url));
    expect(connection.lists().warnings).toEqual([expect.stringContaining(words)]);
  }
});

test('a connection that we close has ended without a failure, even when the server is no longer there to be told', async () => {
  const port = await freePort();
  const child = await serve(packageFile('server-everything', 'dist/index.js'), ['streamableHttp'], port, /listening/);
  const { connection } = await open(http(`http://127.0.0.1:${port}/mcp`));
  child.kill('SIGSTOP');
  await connection.close();
  expect(await connection.ended).toBeUndefined();
  expect(await call(connection, 'echo')).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('stopped') });
});

test.each([
  [202, 'application/json', '', 'it is HTTP status 202, with which only a notice may be answered'],
  [200, 'application/json', '{"jsonrpc":"2.0","id":999,"result":{"content":[]}}', 'it holds no answer with the "id" of the request'],
  [200, 'application/json', '[]', 'it holds no answer with the "id" of the request'],
  [200, 'text/event-stream', ': hello\n\ndata: not json\n\n', 'an event that it sent is no message of the protocol: it is no JSON ('],
  [200, 'text/event-stream', 'data: {"jsonrpc":"2.0","id":1}\n\n', 'it has neither a "method", nor a "result", nor an "error"'],
])(
  'a call over HTTP that is answered with status %s, %s and %j ends at once, by the rule that is broken',
  async (status, type, body, rule) => {
    const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
      if (method === 'server/discover') answer(discovered);
      else if (method === 'tools/list') answer({ result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } });
      else response.writeHead(status, { 'content-type': type }).end(body);
    });
    const clock = handClock();
    const { connection, log } = await open(http(url), { clock });
    const outcome = await call(connection, 'any');
    expect(outcome).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining(rule) });
    expect('message' in outcome && outcome.message).toMatch(/Whether it took effect is not known: look before you repeat it\.$/);
    expect(log.lines().map(({ text }) => text)).toContainEqual(expect.stringContaining('A message of it was not taken: it '));
    expect(await connection.sendByHand({ method: 'tools/call', params: { name: 'any' }, tag: 'hand' }, 60_000)).toMatch(
      /^What came does not follow the protocol: it .*\.$/,
    );
  },
);

test('a server of before 2026-07-28 may take a call with 202 and answer it by its other stream', async () => {
  let stream: ServerResponse | undefined;
  const url = await httpServer((request, response, body) => {
    if (request.method === 'GET') return void (stream = response.writeHead(200, { 'content-type': 'text/event-stream' })).flushHeaders();
    const { id, method } = JSON.parse(body) as { id?: number; method?: string };
    const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
    const json = (result: object) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer(result));
    if (method === 'initialize')
      return void json({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'h', version: '1' } });
    if (method === 'tools/list') return void json({ tools: [] });
    if (method === 'server/discover') return void response.writeHead(404).end();
    response.writeHead(202).end();
    if (method === 'tools/call') stream?.write(`data: ${answer({ content: [{ type: 'text', text: 'by the other' }] })}\n\n`);
  });
  const { connection } = await open(http(url));
  await eventually(() => stream);
  expect(textOf(await call(connection, 'any'))).toBe('by the other');
});

test.each(['application/json', 'text/event-stream'])(
  'a message of more than 64 MiB over HTTP (%s) ends its call by its size',
  async (type) => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
      if (method === 'server/discover') return answer(discovered);
      if (method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } });
      response.writeHead(200, { 'content-type': type }).write('data: "');
      Readable.from(Array.from({ length: 70 }, () => piece)).pipe(response);
    });
    const { connection } = await open(http(url));
    expect(await call(connection, 'any')).toMatchObject({
      kind: 'invalidResult',
      message:
        '"Odd" answered the call with what is no message of the protocol: it is longer than 64 MiB. Whether it took effect is not known: look before you repeat it.',
    });
  },
);
