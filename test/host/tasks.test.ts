import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { CallId } from '../../preload/contract/ids.ts';
import type { TestHost } from '../doubles/testHost.ts';
import { card, turnEnd } from '../doubles/testHost.ts';
import { type Gateway, startGateway } from '../servers/gateway.ts';
import { newStore, type TaskRecord } from '../servers/statelessInstance.ts';
import { addLocal, addRemote, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { packageFile } from './mcp/harness.ts';

async function gateway(): Promise<Gateway> {
  const started = await startGateway();
  onTestFinished(() => started.close());
  return started;
}

const research = (more: Record<string, unknown> = {}) => [
  { calls: [{ tool: 'Lab.research', arguments: { topic: 'owls', ...more } }] },
  { text: 'That is what I found.' },
];

/** The one task of the store. */
function taskOf({ store }: Gateway): { id: string; record: TaskRecord } {
  const [entry, ...others] = Object.entries(store.tasks);
  if (!entry || others.length > 0) throw new Error(`There are ${Object.keys(store.tasks).length} tasks.`);
  return { id: entry[0], record: entry[1] };
}

const running = (message: EventMessage) =>
  message.topic === 'servers' && message.event.type === 'task.changed' ? message.event.task : undefined;
const ended = (message: EventMessage): CallId | undefined =>
  message.topic === 'servers' && message.event.type === 'task.ended' ? message.event.callId : undefined;

async function begin(
  world: ReturnType<typeof featureWorld>,
  lab: Gateway,
): Promise<{ host: TestHost; conversationId: Awaited<ReturnType<typeof chat>> }> {
  const host = await world.start();
  await addRemote(host, 'Lab', lab.url);
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Look for owls' });
  await allow(host, await host.until(card(0)));
  await host.until(running);
  return { host, conversationId };
}

test('a call that the server makes a task of is polled behind the gateway to its end, and its id is told to nobody', async () => {
  const lab = await gateway();
  const world = featureWorld(research());
  const { host, conversationId } = await begin(world, lab);
  const { id, record } = taskOf(lab);
  const task = await host.until((event) => running(event)?.state.message !== undefined && running(event));
  expect(task).toMatchObject({
    serverName: 'Lab',
    tool: 'research',
    state: { status: 'working', message: expect.stringMatching(/^polled/) },
  });
  expect((await host.run('task.list', {})).tasks).toMatchObject([{ callId: task.callId }]);
  await expect.poll(() => record.polls).toBeGreaterThan(3);
  record.status = 'completed';
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(await host.until(ended)).toBe(task.callId);
  expect((await host.run('task.list', {})).tasks).toEqual([]);
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: 'found {}' } }] },
  ]);
  expect(new Set(lab.routed.filter(({ method }) => method === 'tasks/get').map(({ instance }) => instance)).size).toBe(2);

  expect(JSON.stringify([host.events, world.requests, await messagesOf(host, conversationId)])).not.toContain(id);
});

test('a task outlives the application: after a restart it is polled on without another card, and Continue tells the model', async () => {
  const lab = await gateway();
  const world = featureWorld(research());
  const first = await begin(world, lab);
  const { id, record } = taskOf(lab);
  await expect.poll(() => world.keychain.entries.size).toBeGreaterThan(0);
  await expect.poll(() => storedTasks(first.host)).toBe(1);
  await first.host.close();
  expect(record.status).toBe('working');
  // What finds it again is a secret.
  expect(filesUnder(world.dataDir).some((file) => readFileSync(file).includes(id))).toBe(false);

  const polls = record.polls;
  const host = await world.start();
  await expect.poll(() => record.polls).toBeGreaterThan(polls);
  const [call] = callsOf((await messagesOf(host, first.conversationId))[1]);
  expect(call).toMatchObject({ state: 'running', task: { status: 'working' } });
  record.status = 'completed';
  await host.until(ended);
  const [done] = callsOf((await messagesOf(host, first.conversationId))[1]);
  expect(done).toMatchObject({ state: 'succeeded', content: [{ text: { text: 'found {}' } }] });
  expect(lab.store.ledger).toEqual(['research owls']);
  expect(host.events.some((event) => event.topic === 'approvals' && event.event.type === 'approval.added')).toBe(false);

  const turn = (await messagesOf(host, first.conversationId))[1]?.turn;
  if (turn?.state !== 'interrupted') throw new Error(`The turn is ${turn?.state}.`);
  await host.run('turn.continue', { turnId: turn.id });
  expect(await host.until(turnEnd(first.conversationId))).toMatchObject({ state: 'done' });
  expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain('found {}');
});

test('after a restart the tray says what the server had told last, though the server is not there', async () => {
  const lab = await startGateway(Object.assign(newStore(), { pollIntervalMs: 60 * 60 * 1000 }));
  onTestFinished(() => lab.close());
  const world = featureWorld(research());
  const { host, conversationId } = await begin(world, lab);
  await expect.poll(() => lab.store.asked['tasks/get']).toBe(1);
  lab.store.tellTask(taskOf(lab).id, { status: 'working', statusMessage: 'looking into nests' });
  await host.until((event) => running(event)?.state.message === 'looking into nests');
  await expect.poll(() => storedTasks(host)).toBe(1);
  await host.close();
  await lab.close();
  const again = await world.start();
  await again.until(
    (event) => event.topic === 'servers' && event.event.type === 'server.changed' && event.event.server.status.state === 'failed',
  );
  expect((await again.run('task.list', {})).tasks).toMatchObject([
    { tool: 'research', conversationId, state: { status: 'working', message: 'looking into nests' } },
  ]);
});

test('a turn that is continued while the task still runs waits for it', async () => {
  const lab = await gateway();
  const world = featureWorld(research());
  const first = await begin(world, lab);
  await expect.poll(() => storedTasks(first.host)).toBe(1);
  await first.host.close();
  const host = await world.start();
  const turn = (await messagesOf(host, first.conversationId))[1]?.turn;
  if (!turn) throw new Error('no turn');
  await host.run('turn.continue', { turnId: turn.id });
  const { record } = taskOf(lab);
  const polls = record.polls;
  await expect.poll(() => record.polls).toBeGreaterThan(polls);
  record.status = 'completed';
  expect(await host.until(turnEnd(first.conversationId))).toMatchObject({ state: 'done' });
  expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain('found {}');
});

test('what a task asks is one card, though it stands in every answer until it is answered', async () => {
  const lab = await gateway();
  const world = featureWorld(research({ ask: true }));
  const { host, conversationId } = await begin(world, lab);
  const input = await host.until((event) => event.topic === 'approvals' && event.event.type === 'input.added' && event.event.input);
  expect(input).toMatchObject({ kind: 'elicitation', message: { text: 'How deep?' }, conversationId });
  const { record } = taskOf(lab);
  const polls = record.polls;
  await expect.poll(() => record.polls).toBeGreaterThan(polls + 2);
  expect((await host.run('task.list', {})).tasks).toMatchObject([{ state: { status: 'inputRequired' } }]);
  await host.run('input.answer', { inputId: input.id, answer: { action: 'accept', content: { depth: 'deep' } } });
  await expect.poll(() => record.answers).toEqual({ depth: { action: 'accept', content: { depth: 'deep' } } });
  record.status = 'completed';
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  const asked = host.events.filter((event) => event.topic === 'approvals' && event.event.type === 'input.added');
  expect(asked).toHaveLength(1);
});

test('cancelling reaches the server, ends the call and leaves the turn to go on; stopping the turn cancels too', async () => {
  for (const how of ['task', 'turn'] as const) {
    const lab = await gateway();
    const world = featureWorld(research());
    const { host, conversationId } = await begin(world, lab);
    const { callId } = await host.until(running);
    const turnId = (await messagesOf(host, conversationId))[1]?.turn?.id;
    if (turnId === undefined) throw new Error('no turn');
    if (how === 'task') await host.run('task.cancel', { callId });
    else await host.run('turn.stop', { turnId });
    expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: how === 'task' ? 'done' : 'stopped' });
    expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ state: 'cancelled' }]);
    expect(taskOf(lab).record.status).toBe('cancelled');
    expect((await host.refused('task.cancel', { callId })).code).toBe('wrongState');
    expect(storedTasks(host)).toBe(0);
    await host.close();
  }
});

test.each([
  ['failed', (record: TaskRecord) => void (record.status = 'failed'), 'protocolError', 'library burnt down'],
  ['cancelled by its server', (record: TaskRecord) => void (record.status = 'cancelled'), 'serverUnavailable', 'cancelled the call'],
])('a task that %s says so in words', async (_how, change, code, words) => {
  const lab = await gateway();
  const { host, conversationId } = await begin(featureWorld(research()), lab);
  change(taskOf(lab).record);
  await host.until(turnEnd(conversationId));
  const [call] = callsOf((await messagesOf(host, conversationId))[1]);
  expect(call).toMatchObject({ state: 'failed', error: { code, message: expect.stringContaining(words) } });
});

test('a task that its server has forgotten, or whose time is over, is given up, and its outcome called unknown', async () => {
  const forgetful = await gateway();
  const one = await begin(featureWorld(research()), forgetful);
  forgetful.store.tasks = {};
  await one.host.until(turnEnd(one.conversationId));
  expect(callsOf((await messagesOf(one.host, one.conversationId))[1])).toMatchObject([
    { state: 'failed', error: { message: expect.stringMatching(/no longer knows.*not known/) } },
  ]);

  const brief = await gateway();
  const two = await begin(featureWorld(research({ ttlMs: 300 })), brief);
  await two.host.until(turnEnd(two.conversationId));
  expect(callsOf((await messagesOf(two.host, two.conversationId))[1])).toMatchObject([
    { state: 'failed', error: { message: expect.stringContaining('limited time') } },
  ]);
});

test('a gateway that is busy while a task is polled loses neither the task nor its answer', async () => {
  const lab = await gateway();
  const { host, conversationId } = await begin(featureWorld(research()), lab);
  lab.turnAway.push({ method: 'tasks/get', status: 503, retryAfter: '0' }, { method: 'tasks/get', status: 429, retryAfter: '0' });
  await expect.poll(() => lab.turnAway.length).toBe(0);
  taskOf(lab).record.status = 'completed';
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
});

test('a server that is gone for a while is asked again when it is back, and the task comes to its end', async () => {
  const lab = await gateway();
  const { host, conversationId } = await begin(featureWorld(research()), lab);
  const port = Number(new URL(lab.url).port);
  await lab.close();
  await host.until(
    (event) => event.topic === 'servers' && event.event.type === 'server.changed' && event.event.server.status.state === 'failed',
  );
  taskOf(lab).record.status = 'completed';
  const back = await startGateway(lab.store, port);
  onTestFinished(() => back.close());
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ state: 'succeeded' }]);
  expect(lab.store.ledger).toEqual(['research owls']);
});

test('deleting a chat cancels what servers still do for it', async () => {
  const lab = await gateway();
  const world = featureWorld(research());
  const first = await begin(world, lab);
  await expect.poll(() => storedTasks(first.host)).toBe(1);
  await first.host.close();
  const host = await world.start();
  await expect.poll(async () => (await host.run('task.list', {})).tasks.length).toBe(1);
  await host.run('conversation.delete', { conversationId: first.conversationId });
  await expect.poll(() => taskOf(lab).record.status).toBe('cancelled');
  await expect.poll(async () => (await host.run('task.list', {})).tasks).toEqual([]);
  expect(storedTasks(host)).toBe(0);
  expect(storedTasks(host, "secrets WHERE owner LIKE 'task:%'")).toBe(0);
});

test('the tasks of 2025-11-25: a tool that demands one gets it, its question comes while its result is waited for', async () => {
  const world = featureWorld([
    { calls: [{ tool: 'Everything.simulate-research-query', arguments: { topic: 'owls', ambiguous: true } }] },
    { text: 'Found.' },
  ]);
  const host = await world.start();
  await addLocal(host, 'Everything', [packageFile('server-everything', 'dist/index.js'), 'stdio']);
  const asks = (kind: string) => (event: EventMessage) =>
    event.topic === 'approvals' && event.event.type === 'input.added' && event.event.input.kind === kind && event.event.input;
  const roots = await host.until(asks('roots'));
  await host.run('input.answer', { inputId: roots.id, answer: { action: 'decline' } });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Research' });
  await allow(host, await host.until(card(0)));
  const input = await host.until(asks('elicitation'));
  const schema = JSON.parse(input.schema ?? '{}') as { properties?: Record<string, { oneOf?: { const: string }[]; enum?: string[] }> };
  const [field, of] = Object.entries(schema.properties ?? {})[0] ?? [];
  const value = of?.oneOf?.[0]?.const ?? of?.enum?.[0] ?? 'owls';
  await host.run('input.answer', { inputId: input.id, answer: { action: 'accept', content: { [field ?? '']: value } } });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  const [call] = callsOf((await messagesOf(host, conversationId))[1]);
  expect(call).toMatchObject({ state: 'succeeded' });
  await host.until(ended);
}, 60_000);

function storedTasks(host: TestHost, of = 'tasks'): number {
  const rows = filesUnder(host.dataDir).filter((file) => /maitre\.db/.test(file));
  if (rows.length === 0) return 0;
  const db = new Database(path.join(host.dataDir, 'maitre.db'), { readonly: true });
  try {
    return Number(db.prepare(`SELECT count(*) FROM ${of}`).pluck().get());
  } finally {
    db.close();
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}
