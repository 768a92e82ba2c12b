import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerRequest } from '../../../main/host/mcp/callTool.ts';
import { type LegacySession, startLegacySession } from '../../servers/legacySession.ts';
import { call, eventually, http, nodeProgram, open, testServer, textOf } from './harness.ts';
import { handClock } from './handClock.ts';

async function session(...how: Parameters<typeof startLegacySession>): Promise<LegacySession> {
  const started = await startLegacySession(...how);
  onTestFinished(() => started.close());
  return started;
}

test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
  '§2.2 §2.4 S20: a session of %s begins with initialize, and every later request carries its id and the revision, to its end',
  async (version) => {
    const { url, heard, say } = await session(version);
    const { connection, log } = await open(http(url));
    expect(connection.protocol).toMatchObject({ era: 'legacy', version });
    expect(textOf(await call(connection, 'echo'))).toBe('done');
    await say({ id: 'server-1', method: 'ping' });
    await eventually(() => heard.some(({ message }) => message.id === 'server-1'));
    await connection.close();

    const names = heard.map(({ http: how, message }) => message.method ?? (how === 'POST' ? 'answer' : how));
    expect(names.slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(names.at(-1)).toBe('DELETE');
    // Only what the server has is asked for.
    expect(new Set(names.slice(3))).toEqual(new Set(['GET', 'tools/list', 'tools/call', 'answer', 'DELETE']));
    const [initialize, ...later] = heard.slice(1);
    expect(initialize?.message.params).toMatchObject({ protocolVersion: '2025-11-25', clientInfo: { name: 'maitre-test' } });
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id');
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version');
    for (const { http: how, headers, message } of later) {
      expect(headers['mcp-session-id']).toBe('session-1!~');
      expect(headers['mcp-protocol-version']).toBe(version);
      if (how !== 'DELETE') expect(headers.accept).toContain('text/event-stream');
      if (how === 'POST') expect(headers.accept).toContain('application/json');
      expect(JSON.stringify(message)).not.toContain('io.modelcontextprotocol/protocolVersion');
    }
    expect(later.find(({ message }) => message.id === 'server-1')?.message.result).toEqual({});
    // That it does not let its session be ended is no fault.
    expect(log.lines().filter(({ stream }) => stream === 'host')).toEqual([]);
  },
);

test('§2.4 §2.13: Stop tells a server with sessions by a notice, since a closed stream means nothing there; the late answer is ignored', async () => {
  const { url, heard } = await session('2025-11-25');
  const { connection, log } = await open(http(url));
  const stop = new AbortController();
  const outcome = call(connection, 'stall', {}, { signal: stop.signal });
  const sent = await eventually(() => heard.find(({ message }) => message.params?.['name'] === 'stall'));
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  const notice = await eventually(() => heard.find(({ message }) => message.method === 'notifications/cancelled'));
  expect(notice.message.params).toMatchObject({ requestId: sent.message.id });
  expect(notice.headers['mcp-session-id']).toBe('session-1!~');
  expect(textOf(await call(connection, 'echo'))).toBe('done');
  expect(log.lines().filter(({ stream }) => stream === 'host')).toEqual([]);
});

test('§2.13: initialize is never cancelled, though nobody waits for its answer any more', async () => {
  const { url, heard } = await session('2025-11-25', { initialize: 'never' });
  const clock = handClock();
  const timeRunsOut = eventually(() => heard.length === 2).then(() => clock.pass(25_000));
  await expect(open(http(url), { clock })).rejects.toMatchObject({ failure: { code: 'noAnswer' } });
  await timeRunsOut;
  expect(heard.map(({ message }) => message.method)).toEqual(['server/discover', 'initialize']);
});

test('§2.4: what a server with sessions says by itself comes over the stream of a GET: changes, and requests, each answered by a POST', async () => {
  const { url, heard, added, say } = await session('2025-11-25');
  const asked: ServerRequest[] = [];
  const { connection, lists } = await open(http(url), {
    async answer(request) {
      asked.push(request);
      return { kind: 'result', result: { roots: [{ uri: 'file:///home/me' }] } };
    },
  });
  added.push('fresh');
  await say({ method: 'notifications/tools/list_changed' });
  await eventually(() => lists.at(-1)?.tools.some(({ name }) => name === 'fresh'));
  await say({ id: 'roots-1', method: 'roots/list' });
  const answer = await eventually(() => heard.find(({ message }) => message.id === 'roots-1'));
  expect(answer).toMatchObject({ http: 'POST', message: { result: { roots: [{ uri: 'file:///home/me' }] } } });
  expect(answer.headers['mcp-session-id']).toBe('session-1!~');
  expect(asked).toHaveLength(1);
  expect(connection.lists().tools).toHaveLength(3);
});

test.each([400, 404, 405, 500])(
  '§2.4: a server with sessions that answers the GET with %s has no stream to give, and works without one',
  async (status) => {
    const { url, heard } = await session('2025-11-25', { stream: status });
    const { connection } = await open(http(url));
    await eventually(() => heard.some(({ http: how }) => how === 'GET'));
    expect(textOf(await call(connection, 'echo'))).toBe('done');
    expect(heard.filter(({ message }) => message.method === 'initialize')).toHaveLength(1);
  },
);

test('§2.4: a stream that was given and is refused with 404 when it is taken up again means that the session is gone', async () => {
  const { url, endStream } = await session('2025-11-25', { streams: 1 });
  const { connection } = await open(http(url));
  await endStream();
  expect(await connection.ended).toMatchObject({ code: 'httpError', message: expect.stringContaining('no longer knows') });
});

test('§2.13: ping is answered while a question waits for the person', async () => {
  let answer: (() => void) | undefined;
  const { connection } = await open(nodeProgram(testServer('askAnything')), {
    answer: () => new Promise((resolve) => (answer = () => resolve({ kind: 'result', result: { action: 'cancel' } }))),
  });
  const schema = { type: 'object', properties: {} };
  const waiting = call(connection, 'ask', { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: schema } });
  await eventually(() => answer);
  expect(JSON.parse(textOf(await call(connection, 'ask', { method: 'ping' })))).toEqual({ result: {} });
  answer?.();
  expect(JSON.parse(textOf(await waiting))).toEqual({ result: { action: 'cancel' } });
});

test('§2.10 §2.11 §2.12: a legacy server that asks for what was not declared is answered with the error of its kind, and nobody is asked', async () => {
  const answer = () => Promise.reject(new Error('asked'));
  const asks = async (declared: boolean, request: object): Promise<unknown> => {
    const { connection } = await open(nodeProgram(testServer('askAnything')), {
      answer,
      declared: { elicitation: declared, sampling: declared, roots: declared },
    });
    return JSON.parse(textOf(await call(connection, 'ask', { ...request })));
  };
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'])
    expect(await asks(false, { method, params: {} })).toMatchObject({ error: { code: -32601 } });
  const params = { mode: 'voice', message: 'Say it', requestedSchema: { type: 'object', properties: {} } };
  expect(await asks(true, { method: 'elicitation/create', params })).toMatchObject({ error: { code: -32602 } });
});

test('§2.5: a message that a server over HTTP with SSE refuses is told by its status', async () => {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response;
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
    }
    if (request.url !== '/messages') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (method === 'tools/call') return void response.writeHead(500).end('stack trace');
      response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
        'tools/list': { tools: [] },
      };
      if (id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const { connection } = await open(http(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/sse`));
  expect(await call(connection, 'any')).toMatchObject({
    kind: 'unavailable',
    message: '"Odd" answered the call with HTTP status 500. Whether it took effect is not known: look before you repeat it.',
    detail: expect.stringContaining('stack trace'),
  });
});

test('§2.5: over HTTP with SSE nothing is posted before the server has named where; then both ways carry the headers', async () => {
  const heard: { how: string; url: string; key: unknown }[] = [];
  const streams: ServerResponse[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push({ how: request.method ?? '', url: request.url ?? '', key: request.headers['x-api-key'] });
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': no address yet\n\n');
        return void streams.push(response);
      }
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      response.writeHead(202).end('ignored');
      if (id === undefined) return;
      const result =
        method === 'initialize'
          ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
          : { tools: [] };
      streams[0]?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const opening = open(http(`http://127.0.0.1:${port}/sse`, { transport: 'sse', headers: { 'x-api-key': 'k' } }));
  const stream = await eventually(() => streams[0]);
  // Whoever posts at once would have done so by the time that another exchange has come and gone.
  await fetch(`http://127.0.0.1:${port}/other`);
  expect(heard.filter(({ how }) => how === 'POST')).toEqual([]);
  stream.write('event: endpoint\ndata: /messages?session=1\n\n');
  const { connection } = await opening;
  expect(connection.protocol).toMatchObject({ transport: 'sse', version: '2024-11-05' });
  expect(heard.filter(({ url }) => url !== '/other')).toEqual([
    { how: 'GET', url: '/sse', key: 'k' },
    ...Array.from({ length: 3 }, () => ({ how: 'POST', url: '/messages?session=1', key: 'k' })),
  ]);
});
