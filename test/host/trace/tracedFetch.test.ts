import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ServerId } from '../../../preload/contract/ids.ts';
import { createRedactor } from '../../../main/host/redact.ts';
import { createRecorder } from '../../../main/host/trace/recorder.ts';
import { tracedFetch } from '../../../main/host/trace/tracedFetch.ts';
import { createTraceStore } from '../../../main/host/trace/traceStore.ts';
import { handClock, rememberingLog, tempFolder } from '../../doubles/hostParts.ts';
import { freePort } from '../mcp/harness.ts';

const serverId = ServerId.parse('server-1');

async function traced(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const trace = createTraceStore({
    clock: handClock(),
    redactor: createRedactor(),
    recorder: createRecorder(tempFolder(), rememberingLog()),
    onGrew: () => undefined,
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    fetch: tracedFetch(fetch, trace.wire(serverId)),
    entries: () => trace.list({ serverId, filter: {}, limit: 100 }).entries.reverse(),
  };
}

const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const asMessage = { method: 'POST', body: message, headers: { 'content-type': 'application/json' } };

test('of what is fetched for a sign-in only the envelope is kept, never a body', async () => {
  const {
    url,
    fetch: get,
    entries,
  } = await traced((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"access_token":"body-canary","client_secret":"body-canary"}');
  });
  const form = new URLSearchParams({ grant_type: 'authorization_code', code: 'form-canary' });
  await (await get(`${url}/token?client_id=query-canary`, { method: 'POST', body: form })).json();
  await (await get(`${url}/token`, { method: 'POST', body: form.toString() })).json();
  await (await get(`${url}/register`, { method: 'POST', body: '{"client_name":"form-canary"}' })).json();
  await (await get(`${url}/.well-known/oauth-protected-resource`)).json();
  expect(entries().map(({ entry, http, text }) => [entry.kind, entry.method, http?.status, text])).toEqual([
    ['http', 'POST', 200, ''],
    ['http', 'POST', 200, ''],
    ['http', 'POST', 200, ''],
    ['http', 'GET', 200, ''],
  ]);
  expect(JSON.stringify(entries())).not.toContain('canary');
});

test('a stream is read event by event, however it is cut, and comes out as it went in', async () => {
  const events =
    'id: 7\r\ndata: {"jsonrpc":"2.0","method":"notifications/a",\r\ndata: "params":{"text":"请"}}\r\n\r\nevent: ping\ndata: x\n\nid: 8\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
  const {
    url,
    fetch: get,
    entries,
  } = await traced((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(events);
    let at = 0;
    const next = (): void => {
      if (at >= bytes.length) return void response.end();
      response.write(bytes.subarray(at, (at += 3)), next);
    };
    next();
  });
  const response = await get(`${url}/mcp`, asMessage);
  expect(await response.text()).toBe(events);
  expect(entries().map(({ entry, http }) => [entry.kind, entry.method, http?.eventId])).toEqual([
    ['request', 'tools/list', undefined],
    ['notification', 'notifications/a', '7'],
    ['noise', undefined, undefined],
    ['response', 'tools/list', '8'],
  ]);
});

test('an answer that is no message, an error and a server that is not there are each named for what they are', async () => {
  const {
    url,
    fetch: get,
    entries,
  } = await traced((request, response) => {
    request.resume();
    if (request.url === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    else if (request.url === '/half') response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"resu');
    else if (request.url === '/busy') response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '5' }).end('Come back later.');
    else response.writeHead(405).end();
  });
  await (await get(`${url}/html`, asMessage)).text();
  await (await get(`${url}/half`, asMessage)).text();
  await (await get(`${url}/busy`, asMessage)).text();
  await (await get(url, { headers: { accept: 'text/event-stream' } })).text();
  await expect(get(`http://127.0.0.1:${await freePort()}/`, asMessage)).rejects.toThrow('fetch failed');
  const answers = entries().filter(({ entry }) => entry.kind !== 'request');
  expect(answers.map(({ entry, text }) => [entry.kind, entry.problem, text])).toEqual([
    ['http', 'What came is no message of the protocol.', '<h1>Welcome</h1>'],
    ['noise', 'It is no JSON-RPC message.', '{"jsonrpc":"2.0","id":1,"resu'],
    ['http', 'The server answered with HTTP status 503.', 'Come back later.'],
    ['http', undefined, ''],
  ]);
  expect(answers[2]?.http?.responseHeaders).toContainEqual(['retry-after', '5']);
  expect(entries().at(-1)?.entry.problem).toMatch(/^The request failed: .*ECONNREFUSED/);
});
