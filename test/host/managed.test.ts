import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Ports } from '../../main/host/ports.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { playedServer } from '../doubles/playedServer.ts';
import { card, startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';

/** A host under a policy, with a server whose `note` writes a line to a file. The file of the policy is trusted as if root had written it. */
async function managedHost(policy: string | object, more: { ports?: Partial<Ports>; sandbox?: 'none' } = {}) {
  const dir = tempFolder();
  const marks = path.join(dir, 'calls.txt');
  const file = path.join(dir, 'policy.json');
  const serversFile = path.join(dir, 'servers.json');
  const script = path.join(dir, 'script.json');
  writeFileSync(marks, '');
  writeFileSync(file, typeof policy === 'string' ? policy : JSON.stringify({ version: 1, organisation: 'Acme', ...policy }));
  writeFileSync(
    serversFile,
    JSON.stringify({
      mcpServers: {
        notes: { command: process.execPath, args: [path.resolve('test/servers/marks.ts'), marks] },
        other: { command: process.execPath, args: [path.resolve('test/servers/marks.ts'), marks, 'other'] },
      },
    }),
  );
  writeFileSync(script, JSON.stringify({ steps: [{ calls: [{ tool: 'notes.note', arguments: { text: 'x' } }] }, { text: 'done' }] }));
  const host = await startTestHost({
    dataDir: path.join(dir, 'data'),
    serversFile,
    scriptFiles: [script],
    policy: { file, problemOf: () => undefined },
    ports: { keychain: memoryKeychain(), ...more.ports },
  });
  return { host, calls: () => readFileSync(marks, 'utf8'), model: `scripted:${script}` };
}

const settled = (host: TestHost, name: string, state: 'ready' | 'failed') =>
  host.until(
    (message) =>
      message.topic === 'servers' &&
      message.event.type === 'server.changed' &&
      message.event.server.name === name &&
      message.event.server.status.state === state &&
      message.event.server,
  );

async function chatOf(host: TestHost, model: string) {
  const { conversation } = await host.run('conversation.create', { model });
  await host.run('turn.send', { conversationId: conversation.id, text: 'go' });
  return conversation.id;
}

const noKeychain: Ports['keychain'] = {
  get: () => Promise.reject(new Error('There is no bus.')),
  set: () => Promise.reject(new Error('There is no bus.')),
  remove: () => Promise.reject(new Error('There is no bus.')),
};

test('a server that is denied does not start, says who denies it, and the others run', async () => {
  const { host } = await managedHost({ servers: { deny: [{ package: 'other' }] } });
  await settled(host, 'notes', 'ready');
  const { servers } = await host.run('server.list', {});
  expect(servers.find((server) => server.name === 'other')?.status).toEqual({
    state: 'failed',
    failure: { code: 'managedDenies', message: 'Acme has forbidden this server, so it does not run.' },
  });
  expect(await host.refused('server.restart', { serverId: servers[1]!.id })).toMatchObject({ code: 'wrongState' });
  const { rows } = await host.run('audit.list', {});
  expect(rows.map(({ kind, serverName, code, verdict }) => [kind, serverName, code, verdict])).toContainEqual([
    'start.answered',
    'other',
    'managedDenies',
    'deny',
  ]);
});

test('a tool that is denied is not called whatever was allowed, and the log says who denied it', async () => {
  const { host, calls, model } = await managedHost({ tools: { deny: [{ tool: 'no*' }] } });
  await settled(host, 'notes', 'ready');
  const chat = await chatOf(host, model);
  await host.until(turnEnd(chat));
  const { messages } = await host.run('conversation.open', { conversationId: chat });
  const [call] = messages.flatMap((message) => message.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
  expect(call).toMatchObject({ state: 'denied', reason: { code: 'managedDenies' } });
  expect(calls()).toBe('');
  const { rows } = await host.run('audit.list', { filter: { verdict: 'deny' } });
  expect(rows).toMatchObject([{ kind: 'call.decided', code: 'managedDenies', outcome: 'denied', callId: call!.id }]);
});

test('permissions hold for one answer at most where lasting ones are forbidden', async () => {
  const { host, model } = await managedHost({ standingPermissions: 'forbidden' });
  await settled(host, 'notes', 'ready');
  const [notes] = (await host.run('server.list', {})).servers;
  await host.run('server.classifyTool', { serverId: notes!.id, tool: 'note', effects: ['reads'] });
  await chatOf(host, model);
  const asked = await host.until(card(0));
  expect(asked.scopes).toEqual(expect.arrayContaining(['once']));
  expect(asked.scopes.filter((scope) => scope !== 'once' && scope !== 'turn')).toEqual([]);
  const { id: approvalId, argumentsHash } = asked;
  expect(await host.refused('approval.answer', { approvalId, argumentsHash, decision: { kind: 'allow', scope: 'chat' } })).toMatchObject({
    code: 'notAllowed',
  });
});

test.each([
  ['by hand, where what changes is blocked', { changedDefinitions: 'block' }, true],
  ['but the person may try it where nothing is', {}, false],
])('a tool that nobody has agreed to is called by nobody, %s', async (_how, policy, isBlocked) => {
  const dir = tempFolder();
  const file = path.join(dir, 'policy.json');
  const serversFile = path.join(dir, 'servers.json');
  const note = { name: 'note', answer: 'noted' };
  const server = playedServer({ tools: [note] });
  writeFileSync(file, JSON.stringify({ version: 1, organisation: 'Acme', ...policy }));
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: server.args } } }));
  const host = await startTestHost({
    dataDir: path.join(dir, 'data'),
    serversFile,
    reviews: 'wait',
    policy: { file, problemOf: () => undefined },
  });
  await host.serversReady();
  const serverId = (await host.run('server.list', {})).servers[0]!.id;
  const { conversationId } = (await host.run('tool.try', { serverId, tool: 'note', argumentsJson: '{}' })).call;
  const { id: approvalId, argumentsHash } = await host.until(card(0));
  await host.run('approval.answer', { approvalId, argumentsHash, decision: { kind: 'allow', scope: 'once' } });
  await host.until(turnEnd(conversationId));
  server.play({ tools: [note, { name: 'more', answer: 'more' }] });
  await host.until(
    (message) =>
      message.topic === 'servers' && message.event.type === 'server.changed' && message.event.server.toReview?.tools === 1 && message,
  );
  await host.run('tool.try', { serverId, tool: 'more', argumentsJson: '{}' });
  if (!isBlocked) return void expect(await host.until(card(1))).toMatchObject({ tool: 'more', reason: { code: 'notReviewed' } });
  await host.until(turnEnd(conversationId, 1));
  const { messages } = await host.run('conversation.open', { conversationId });
  expect(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []))).at(-1)).toMatchObject({
    state: 'denied',
    by: 'rule',
    reason: {
      code: 'definitionChanged',
      text: 'You have not agreed to more of notes yet. Set by your organisation: look at it first, on the page of the server.',
    },
  });
});

test('nothing is called where the log must be signed and no keychain answers', async () => {
  const { host, calls, model } = await managedHost({ audit: 'required' }, { ports: { keychain: noKeychain } });
  await settled(host, 'notes', 'ready');
  await host.until(turnEnd(await chatOf(host, model)));
  expect(calls()).toBe('');
  expect((await host.run('audit.list', { filter: { verdict: 'deny' } })).rows).toMatchObject([{ code: 'managedDenies' }]);
});

test('with a keychain the same policy lets the call come to its card', async () => {
  const { host, model } = await managedHost({ audit: 'required' });
  await settled(host, 'notes', 'ready');
  await chatOf(host, model);
  expect(await host.until(card(0))).toMatchObject({ tool: 'note' });
});

test('a local server that has to be protected does not start where that cannot be had, and cannot be let off', async () => {
  // The hosts of tests have no sandbox unless they ask for one.
  const { host } = await managedHost({ sandbox: 'protected' });
  const failed = await settled(host, 'notes', 'failed');
  expect(failed).toMatchObject({
    sandbox: { word: 'protected', managed: true },
    status: { failure: { message: expect.stringContaining('no way to protect the computer') } },
  });
  expect(await host.refused('server.setSandbox', { serverId: failed!.id, word: 'off' })).toMatchObject({
    code: 'notAllowed',
    message: 'Your organisation demands that "notes" is protected, so it cannot be switched off.',
  });
});

test('a policy that cannot be used lets no server run, and the window is told why', async () => {
  const { host } = await managedHost('{"version":1,"servres":{}}');
  const { managed, servers } = await host.run('app.open', {});
  expect(managed).toEqual({ problem: expect.stringContaining('servres'), sets: [] });
  expect(servers.map((server) => server.status)).toEqual([
    { state: 'failed', failure: { code: 'managedDenies', message: managed!.problem } },
    { state: 'failed', failure: { code: 'managedDenies', message: managed!.problem } },
  ]);
});

test('what the policy sets is told to the window, and its coming and going stands in the log', async () => {
  const { host } = await managedHost({ sandbox: 'protected', servers: { allow: [] } });
  const { managed, servers } = await host.run('app.open', {});
  expect(managed).toEqual({ organisation: 'Acme', sets: ['servers', 'sandbox'] });
  expect(servers.map((server) => server.sandbox?.managed)).toEqual([true, true]);
  expect((await host.run('audit.list', { filter: { kinds: ['policy.applied'] } })).rows).toMatchObject([
    { code: 'inForce', summary: 'servers, sandbox', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  await host.close();
  const again = await startTestHost({ dataDir: host.dataDir, policy: { file: path.join(host.dataDir, 'none.json') } });
  expect((await again.run('app.open', {})).managed).toBeUndefined();
  expect((await again.run('audit.list', { filter: { kinds: ['policy.applied'] } })).rows.map((row) => row.code)).toEqual([
    'none',
    'inForce',
  ]);
});
