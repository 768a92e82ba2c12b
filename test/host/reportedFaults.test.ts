// Faults that people met in other hosts and that no other test of this folder shows; test/faults.md lists them all.
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { InputRequest } from '../../preload/contract/policy.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { addLocal, addRemote, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { call, freePort, http, open, packageFile, serve, testServer, textOf } from './mcp/harness.ts';

/** The question, past or coming, with this message. */
const question = (host: TestHost, fits: (input: InputRequest) => boolean): Promise<InputRequest> =>
  host.until((event) =>
    event.topic === 'approvals' && event.event.type === 'input.added' && fits(event.event.input) ? event.event.input : undefined,
  );
const isClosed = (host: TestHost, { id }: InputRequest): Promise<true> =>
  host.until((event) => event.topic === 'approvals' && event.event.type === 'input.closed' && event.event.inputId === id);

test('a server that only speaks SSE and refuses unknown methods is never asked to discover there; set to modern, it is told what it lacks', async () => {
  const seen: string[] = [];
  let send: ((message: unknown) => void) | undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'GET') {
        seen.push('GET');
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
        send = (message) => void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
        return;
      }
      const { id, method }: { id?: number; method?: string } = body === '' ? {} : JSON.parse(body);
      seen.push(`${request.url} ${method}`);
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'old words' }] },
      };
      if (request.url !== '/messages' || (id !== undefined && results[method ?? ''] === undefined))
        return void response.writeHead(400, { 'content-type': 'text/plain' }).end('Unknown method');
      response.writeHead(202).end();
      if (id !== undefined) send?.({ jsonrpc: '2.0', id, result: results[method ?? ''] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/sse`;

  const { connection } = await open(http(url));
  expect(connection.protocol).toMatchObject({ era: 'legacy', version: '2024-11-05', transport: 'sse' });
  expect(textOf(await call(connection, 'echo'))).toBe('old words');
  expect(seen.filter((line) => line.startsWith('/messages'))).toEqual([
    '/messages initialize',
    '/messages notifications/initialized',
    '/messages tools/list',
    '/messages tools/call',
  ]);

  seen.length = 0;
  await expect(open(http(url), { era: 'modern' })).rejects.toMatchObject({
    failure: { message: expect.stringContaining('2026-07-28') },
  });
  expect(seen.filter((line) => line === 'GET' || line.includes('initialize'))).toEqual([]);
});

test('a server that stops reading keeps nobody waiting: the call can be stopped, other servers work, and quitting ends', async () => {
  const world = featureWorld([{ calls: [{ tool: 'deaf.write_file', arguments: { content: 'x'.repeat(400_000) } }] }]);
  const host = await world.start();
  await addLocal(host, 'deaf', [testServer('stopsReading')]);
  await addLocal(host, 'toolset', [testServer('toolsets')]);
  const conversationId = await chat(host, world.model);
  const { turnId } = await host.run('turn.send', { conversationId, text: 'Write it' });
  await allow(host, await host.until(card(0)));
  await host.until(
    (message) =>
      message.topic === 'conversation' &&
      message.event.type === 'part.changed' &&
      message.event.part.kind === 'call' &&
      message.event.part.call.state === 'running',
  );
  const other = await chat(host, world.model);
  world.write([{ calls: [{ tool: 'toolset.load', arguments: {} }] }, { text: 'Done.' }]);
  await host.run('turn.send', { conversationId: other, text: 'Load' });
  await allow(host, await host.until(card(1)));
  expect(await host.until(turnEnd(other))).toMatchObject({ state: 'done' });

  await host.run('turn.stop', { turnId });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'stopped' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ state: 'cancelled' }]);
  await host.close();
}, 30_000);

test('tools that a server adds in a chat are there from the next turn on, for the model, on its page and for the call; a dozen notices tell once', async () => {
  const world = featureWorld([{ calls: [{ tool: 'toolset.load', arguments: {} }] }, { text: 'Loaded.' }]);
  const host = await world.start();
  const serverId = await addLocal(host, 'toolset', [testServer('toolsets')]);
  const conversationId = await chat(host, world.model);
  const told = () => host.events.filter((event) => event.topic === 'servers' && event.event.type === 'server.changed').length;
  const before = told();
  await host.run('turn.send', { conversationId, text: 'Load the set' });
  await allow(host, await host.until(card(0)));
  await host.until(turnEnd(conversationId));
  const toolsOf = async () => (await host.run('server.details', { serverId })).details.tools.map(({ name }) => name);
  await expect.poll(toolsOf).toHaveLength(21);
  expect(told() - before).toBeLessThanOrEqual(2);
  expect((await host.run('server.details', { serverId })).details.warnings).toEqual([]);

  world.write([{ calls: [{ tool: 'toolset.added20', arguments: {} }] }, { text: 'Done.' }]);
  await host.run('turn.send', { conversationId, text: 'Use the last one' });
  await allow(host, await host.until(card(1)));
  expect(await host.until(turnEnd(conversationId, 1))).toMatchObject({ state: 'done' });
  expect(JSON.stringify(world.requests.at(-1)?.tools)).toContain('added20');
  expect(callsOf((await messagesOf(host, conversationId))[3])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: 'added20 was called' } }] },
  ]);
}, 30_000);

test('a permission outlives a new connection of its server, and the call says that it decided', async () => {
  const step = { calls: [{ tool: 'toolset.load', arguments: {} }] };
  const world = featureWorld([step, { text: 'Done.' }]);
  const host = await world.start();
  const serverId = await addLocal(host, 'toolset', [testServer('toolsets')]);
  await host.run('server.classifyTool', { serverId, tool: 'load', effects: ['reads'] });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Load' });
  const asked = await host.until(card(0));
  const decision = { kind: 'allow', scope: 'always' } as const;
  await host.run('approval.answer', { approvalId: asked.id, argumentsHash: asked.argumentsHash, decision });
  await host.until(turnEnd(conversationId));

  const since = host.events.length;
  await host.run('server.restart', { serverId });
  await expect
    .poll(() =>
      host.events
        .slice(since)
        .some(
          (event) =>
            event.topic === 'servers' &&
            event.event.type === 'server.changed' &&
            event.event.server.id === serverId &&
            event.event.server.status.state === 'ready',
        ),
    )
    .toBe(true);
  await host.run('turn.send', { conversationId, text: 'And again' });
  expect(await host.until(turnEnd(conversationId, 1))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[3])).toMatchObject([{ state: 'succeeded', reason: { code: 'ruleAllows' } }]);
}, 30_000);

test('a server that dies takes its open questions along: the card closes, the call fails with the exit, the turn goes on', async () => {
  const world = featureWorld([{ calls: [{ tool: 'asks.ask', arguments: {} }] }, { text: 'It died.' }]);
  const host = await world.start();
  await addLocal(host, 'asks', [testServer('asksAndDies')]);
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Ask me' });
  await allow(host, await host.until(card(0)));
  const first = await question(host, ({ message }) => message.text === 'first');
  const second = await question(host, ({ message }) => message.text === 'second');
  await host.run('input.answer', { inputId: first.id, answer: { action: 'accept', content: { level: 'medium' } } });
  await isClosed(host, second);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'failed', error: { message: expect.stringContaining('exit code 4') } },
  ]);
  const late = await host.refused('input.answer', { inputId: second.id, answer: { action: 'accept', content: {} } });
  expect(late.message).not.toBe('');
}, 30_000);

test('a form that comes on the stream of a call over HTTP waits without any window, and gets exactly one answer', async () => {
  const port = await freePort();
  await serve(packageFile('server-everything', 'dist/index.js'), ['streamableHttp'], port, /listening/);
  const world = featureWorld([{ calls: [{ tool: 'all.trigger-elicitation-request', arguments: {} }] }, { text: 'Done.' }]);
  const host = await world.start();
  const serverId = await addRemote(host, 'all', `http://127.0.0.1:${port}/mcp`);
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Ask me' });
  await allow(host, await host.until(card(0)));
  const form = await question(host, ({ kind }) => kind === 'elicitation');
  expect(form).toMatchObject({ serverId, conversationId });
  await host.run('input.answer', { inputId: form.id, answer: { action: 'accept', content: { name: 'Ada' } } });
  await isClosed(host, form);
  const again = await host.refused('input.answer', { inputId: form.id, answer: { action: 'decline' } });
  expect(again.code).toBe('alreadyAnswered');
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(JSON.stringify(callsOf((await messagesOf(host, conversationId))[1]))).toContain('Ada');
}, 30_000);

test('a server works whose program, folder, home and name are Chinese and hold an emoji and blanks', async () => {
  const home = path.join(realpathSync(tempFolder()), '张三 🫖 的 文件夹');
  mkdirSync(home);
  for (const name of ['tellsEnvironment.ts', 'rawStdio.ts']) cpSync(testServer(name.slice(0, -3)), path.join(home, name));
  const world = featureWorld([{ calls: [{ tool: '环境.environment', arguments: {} }] }, { text: 'Done.' }]);
  const host = await world.start();
  // The path of the program is read from its folder: it is found there only when that is its working folder.
  await addLocal(host, '环境', ['./tellsEnvironment.ts'], { cwd: home, env: { HOME: home } });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Where are you?' });
  await allow(host, await host.until(card(0)));
  await host.until(turnEnd(conversationId));
  const [told] = callsOf((await messagesOf(host, conversationId))[1]);
  expect(told).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining(JSON.stringify(home)) } }] });
}, 30_000);
