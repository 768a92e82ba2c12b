import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mayBeSentAgain } from '../../../main/host/trace/byHand.ts';
import type { ConversationId } from '../../../preload/contract/ids.ts';
import { tempFolder } from '../../doubles/hostParts.ts';
import { card, startTestHost, turnEnd, type TestHost } from '../../doubles/testHost.ts';
import { linesOf, packageFile, testServer } from '../mcp/harness.ts';

const everything = packageFile('server-everything', 'dist/index.js');

async function hostOver(config: object) {
  const dir = tempFolder();
  const serversFile = path.join(dir, 'servers.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { odd: config } }));
  const host = await startTestHost({ serversFile, dataDir: path.join(dir, 'data') });
  await host.serversReady();
  const { servers } = await host.run('server.list', {});
  const serverId = servers[0]?.id;
  if (serverId === undefined) throw new Error('No server is configured.');
  return { host, serverId, dir };
}

async function answer(host: TestHost, n: number, kind: 'allow' | 'deny') {
  const { id, argumentsHash } = await host.until(card(n));
  const decision = kind === 'allow' ? ({ kind, scope: 'once' } as const) : ({ kind } as const);
  await host.run('approval.answer', { approvalId: id, argumentsHash, decision });
}

async function benchCalls(host: TestHost, conversationId: ConversationId) {
  const { messages } = await host.run('conversation.open', { conversationId });
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
}

const callLines = (record: string) => linesOf(record).filter((line) => line.startsWith('>') && line.includes('"tools/call"'));

test('a call sent again from the trace shows a card and does nothing before it is allowed; a denied one never goes out', async () => {
  const record = path.join(tempFolder(), 'record.txt');
  const { host, serverId } = await hostOver({ command: process.execPath, args: [testServer('recordedPipe'), record, everything] });
  const json = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"by hand"}}}';
  const first = await host.run('trace.resend', { serverId, json });
  if (first.kind !== 'call') throw new Error('It was no call.');
  const shown = await host.until(card(0));
  expect(shown).toMatchObject({ serverId, tool: 'echo', callId: first.call.callId, conversationId: first.call.conversationId });
  expect(shown.arguments.text).toBe('{"message":"by hand"}');
  expect(callLines(record)).toEqual([]);
  expect(await host.refused('tool.try', { serverId, tool: 'echo', argumentsJson: '{"message":"meanwhile"}' })).toMatchObject({
    code: 'wrongState',
  });
  await answer(host, 0, 'deny');
  expect(await host.until(turnEnd(first.call.conversationId))).toMatchObject({ state: 'done' });
  expect(callLines(record)).toEqual([]);

  const second = await host.run('tool.try', { serverId, tool: 'echo', argumentsJson: '{"message":"once more"}' });
  await answer(host, 1, 'allow');
  await host.until(turnEnd(second.call.conversationId, 1));
  expect(callLines(record).length).toBe(1);
  expect(await benchCalls(host, second.call.conversationId)).toMatchObject([
    { state: 'denied', tool: 'echo' },
    { state: 'succeeded', tool: 'echo', content: [{ type: 'text', text: { text: 'Echo: once more' } }] },
  ]);
  const behind = await host.run('trace.list', { serverId, filter: { callId: second.call.callId } });
  expect(behind.entries[0]).toMatchObject({ kind: 'response', purpose: { kind: 'call', triedByHand: true } });

  // It is no chat: not in the history, not in any event of it, and nobody can talk in it.
  expect((await host.run('conversation.list', {})).conversations).toEqual([]);
  expect(host.events.filter(({ topic }) => topic === 'history')).toEqual([]);
  expect(await host.refused('turn.send', { conversationId: second.call.conversationId, text: 'hello', model: 'demo' })).toMatchObject({
    code: 'wrongState',
  });
  expect(await host.refused('turn.regenerate', { turnId: second.call.turnId })).toMatchObject({ code: 'wrongState' });
});

test('requests that read go out as they were written; what changes the connection or cannot be read does not', async () => {
  const record = path.join(tempFolder(), 'record.txt');
  const { host, serverId } = await hostOver({ command: process.execPath, args: [testServer('recordedPipe'), record, everything] });
  const sent = await host.run('trace.resend', {
    serverId,
    json: '{"method":"resources/read","params":{"uri":"demo://resource/static/document/features.md"}}',
  });
  if (sent.kind !== 'sent' || sent.answerId === undefined) throw new Error('There is no answer.');
  const request = await host.run('trace.read', { entryId: sent.requestId });
  expect(JSON.parse(request.text)).toMatchObject({
    method: 'resources/read',
    params: { uri: 'demo://resource/static/document/features.md' },
  });
  expect(request.entry.purpose).toEqual({ kind: 'byHand' });
  expect((await host.run('trace.read', { entryId: sent.answerId })).text).toContain('contents');
  // An error of the server is an answer too.
  const unknown = await host.run('trace.resend', { serverId, json: '{"method":"prompts/get","params":{"name":"no such prompt"}}' });
  if (unknown.kind !== 'sent' || unknown.answerId === undefined) throw new Error('There is no answer.');
  expect((await host.run('trace.read', { entryId: unknown.answerId })).entry).toMatchObject({ kind: 'error' });

  const before = linesOf(record).length;
  const refusals = await Promise.all(
    [
      '{"method":"initialize","params":{}}',
      '{"method":"notifications/cancelled","params":{"requestId":1}}',
      '{"method":"tasks/cancel","params":{"taskId":"1"}}',
      '{"method":"resources/read","params":{"uri":"[removed]"}}',
      '{"method":"tools/call","params":{"name":5}}',
      '{"method":"tools/call","params":{"name":"no such tool"}}',
      '{"params":{}}',
      '[1]',
      '{"method":\n "ping",,}',
    ].map((json) => host.refused('trace.resend', { serverId, json })),
  );
  expect(refusals.map(({ code }) => code)).toEqual([
    'notAllowed',
    'notAllowed',
    'notAllowed',
    'invalidInput',
    'invalidInput',
    'notFound',
    'invalidInput',
    'invalidInput',
    'invalidInput',
  ]);
  expect(refusals.at(-1)?.at?.line).toBe(2);
  // The host may read lists at any time.
  expect(
    linesOf(record)
      .slice(before)
      .filter((line) => line.startsWith('>') && !/"(tools|resources|resources\/templates|prompts)\/list"/.test(line)),
  ).toEqual([]);
});

const canary = 'canary-5f2d9c71e4';

/** Everything of a server that leaves the memory or crosses the bridge as a trace. */
async function allTraced({ host, serverId, dir }: Awaited<ReturnType<typeof hostOver>>): Promise<string> {
  const { entries } = await host.run('trace.list', { serverId, limit: 500 });
  const read = await Promise.all(entries.map(({ id }) => host.run('trace.read', { entryId: id })));
  const { json } = await host.run('trace.bundle', { serverId });
  expect(JSON.parse(json)).toMatchObject({ versions: { maitre: '0.0.0-test' }, messages: expect.any(Array) });
  const folder = path.join(dir, 'data', 'traces');
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  expect(files.join('').length).toBeGreaterThan(100);
  return JSON.stringify([entries, read, json, files]);
}

test('a secret of a program is nowhere in the trace, the bundle and the recording, though the server repeats it', async () => {
  const given = await hostOver({
    command: process.execPath,
    args: [everything],
    env: { SERVICE_API_KEY: canary, PLACE: 'not-a-secret-value' },
  });
  const { host, serverId } = given;
  await host.run('trace.record', { serverId, on: true });
  const { call } = await host.run('tool.try', { serverId, tool: 'get-env', argumentsJson: '' });
  await answer(host, 0, 'allow');
  await host.until(turnEnd(call.conversationId));
  // The server has said it, or this proves nothing.
  expect(JSON.stringify(await benchCalls(host, call.conversationId))).toContain(canary);
  const all = await allTraced(given);
  expect(all.includes(canary)).toBe(false);
  expect(all.includes('not-a-secret-value')).toBe(true);
});

test('a secret of an HTTP server is nowhere in the trace, the bundle and the recording: header, address, session, round, answer', async () => {
  const session = 'session-canary-77aa';
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(body) as { id?: number; method: string };
      if (message.id === undefined) return void response.writeHead(202).end();
      const result =
        message.method === 'initialize'
          ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } }
          : message.method === 'tools/list'
            ? { tools: [{ name: 'leak', inputSchema: { type: 'object' } }] }
            : {
                content: [{ type: 'text', text: `${request.headers.authorization ?? ''} ${request.url ?? ''} ${session}` }],
                _meta: { requestState: `state-${canary}`, taskId: `task-${canary}` },
              };
      const error = message.method === 'server/discover' ? { error: { code: -32601, message: 'no' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session, 'set-cookie': `a=${canary}` });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...error }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const given = await hostOver({
    type: 'http',
    url: `http://127.0.0.1:${address.port}/mcp?key=${canary}`,
    headers: { Authorization: `Bearer ${canary}` },
  });
  const { host, serverId } = given;
  await host.run('trace.record', { serverId, on: true });
  const { call } = await host.run('tool.try', { serverId, tool: 'leak', argumentsJson: '{}' });
  await answer(host, 0, 'allow');
  await host.until(turnEnd(call.conversationId));
  expect(JSON.stringify(await benchCalls(host, call.conversationId))).toContain(canary);
  const all = await allTraced(given);
  expect(all.includes(canary)).toBe(false);
  expect(all.includes(session)).toBe(false);
});

test('a failure that a message of the server led to names that message', async () => {
  const { host, serverId } = await (async () => {
    const dir = tempFolder();
    const serversFile = path.join(dir, 'servers.json');
    writeFileSync(
      serversFile,
      JSON.stringify({ mcpServers: { odd: { command: process.execPath, args: [testServer('refusesInitialize')] } } }),
    );
    const started = await startTestHost({ serversFile, dataDir: path.join(dir, 'data') });
    const { servers } = await started.run('server.list', {});
    const id = servers[0]?.id;
    if (id === undefined) throw new Error('No server is configured.');
    return { host: started, serverId: id };
  })();
  const failure = await host.until(
    (event) =>
      event.topic === 'servers' &&
      event.event.type === 'server.changed' &&
      event.event.server.status.state === 'failed' &&
      event.event.server.status.failure,
  );
  if (failure.traceId === undefined) throw new Error('The failure names no message.');
  const read = await host.run('trace.read', { entryId: failure.traceId });
  expect(read.entry).toMatchObject({ serverId, direction: 'fromServer', kind: 'error', method: 'initialize' });
  expect(read.text).toContain('I speak to nobody');
  const { entries } = await host.run('trace.list', { serverId, filter: { direction: 'here' } });
  expect(entries[0]).toMatchObject({ kind: 'connection', aboutId: failure.traceId });
});

test('a card of a call by hand offers no permission for a turn or a chat, since there is none', async () => {
  const { host, serverId } = await hostOver({ command: process.execPath, args: [everything] });
  await host.run('server.classifyTool', { serverId, tool: 'echo', effects: ['reads'] });
  await host.run('tool.try', { serverId, tool: 'echo', argumentsJson: '{"message":"a"}' });
  const shown = await host.until(card(0));
  expect(shown).toMatchObject({ byHand: true, scopes: ['once', 'always'] });
});

test('a request by hand goes over the wire each time, to a server of the newest revision too, and never out of a cache', async () => {
  const { host, serverId } = await hostOver({ command: process.execPath, args: [testServer('modernStdio')] });
  const json = '{"method":"tools/list"}';
  const first = await host.run('trace.resend', { serverId, json });
  const second = await host.run('trace.resend', { serverId, json });
  if (first.kind !== 'sent' || second.kind !== 'sent') throw new Error('They were not sent.');
  expect(second.requestId).toBeGreaterThan(first.requestId);
  expect(second.answerId).toBeGreaterThan(second.requestId);
  const { entry, text } = await host.run('trace.read', { entryId: second.requestId });
  expect(entry).toMatchObject({ era: 'modern', method: 'tools/list', purpose: { kind: 'byHand' } });
  expect(text).toContain('io.modelcontextprotocol/protocolVersion');
});

test('the trace says which messages may be sent again: whole requests of ours that read or are calls', async () => {
  const { host, serverId } = await hostOver({ command: process.execPath, args: [everything] });
  const { entries } = await host.run('trace.list', { serverId, filter: {}, limit: 500 });
  const ofRequests = entries.filter(({ direction, kind }) => direction === 'toServer' && kind === 'request');
  const may = (method: string) => ofRequests.filter((entry) => entry.method === method).map(({ canResend }) => canResend === true);
  expect(may('tools/list')).toContain(true);
  expect(may('initialize')).toEqual([false]);
  const others = entries.filter((entry) => !ofRequests.includes(entry));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter(({ canResend }) => canResend)).toEqual([]);

  const request = { direction: 'toServer', kind: 'request', method: 'tools/call' } as const;
  const entry = { id: 1, serverId, at: 1, bytes: 1, ...request };
  expect(mayBeSentAgain({ entry, isCut: false })).toBe(true);
  expect(mayBeSentAgain({ entry, isCut: true })).toBe(false);
  expect(mayBeSentAgain({ entry: { ...entry, direction: 'fromServer' }, isCut: false })).toBe(false);
});
