import { expect, onTestFinished, test } from 'vitest';
import type { EventMessage } from '../../preload/contract/events.ts';
import { card, turnEnd } from '../doubles/testHost.ts';
import { startGateway } from '../servers/gateway.ts';
import { newStore, type Store } from '../servers/statelessInstance.ts';
import { addRemote, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';

const hour = 60 * 60 * 1000;
const changed = (message: EventMessage) =>
  message.topic === 'servers' && message.event.type === 'task.changed' ? message.event.task : undefined;

/** A task of a server that wishes to be asked once an hour at most: only its notices can end it within a test. */
async function begin(store: Store, more: Record<string, unknown> = {}) {
  const lab = await startGateway(store);
  onTestFinished(() => lab.close());
  const world = featureWorld([{ calls: [{ tool: 'Lab.research', arguments: { topic: 'owls', ...more } }] }, { text: 'Found.' }]);
  const host = await world.start();
  await addRemote(host, 'Lab', lab.url);
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Look for owls' });
  await allow(host, await host.until(card(0)));
  await host.until(changed);
  const [id, record] = Object.entries(store.tasks)[0] ?? [];
  if (id === undefined || record === undefined) throw new Error('There is no task.');
  const asked = () => store.asked['tasks/get'] ?? 0;
  return { host, conversationId, id, record, asked };
}

const rare = (more: Partial<Store> = {}): Store => Object.assign(newStore(), { pollIntervalMs: hour, ...more });

test('the whole task of a notice is taken: its words, its question and its result, with one question to the server', async () => {
  const store = rare();
  const { host, conversationId, id, record, asked } = await begin(store);
  // Once, when the subscription stands: what was told before it is not told again.
  await expect.poll(asked).toBe(1);
  store.tellTask(id, { status: 'working', statusMessage: 'looking into nests' });
  await host.until((event) => changed(event)?.state.message === 'looking into nests');

  record.status = 'input_required';
  store.tellTask(id);
  const input = await host.until((event) => event.topic === 'approvals' && event.event.type === 'input.added' && event.event.input);
  expect(input).toMatchObject({ kind: 'elicitation', message: { text: 'How deep?' }, conversationId });
  store.tellTask(id);
  await host.run('input.answer', { inputId: input.id, answer: { action: 'accept', content: { depth: 'deep' } } });
  await expect.poll(() => record.answers).toEqual({ depth: { action: 'accept', content: { depth: 'deep' } } });

  record.status = 'completed';
  store.tellTask(id);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: expect.stringContaining('found {"depth"') } }] },
  ]);
  expect(host.events.filter((event) => event.topic === 'approvals' && event.event.type === 'input.added')).toHaveLength(1);
  expect(asked()).toBe(1);
  // Nothing is listened for any more.
  await expect.poll(() => store.asked['subscriptions/listen']).toBeGreaterThan(1);
});

test('S23: a notice of a task that nobody follows is dropped; one that says half or nonsense only has the server asked', async () => {
  const store = rare();
  const { host, conversationId, id, record, asked } = await begin(store);
  await expect.poll(asked).toBe(1);
  const forged = { taskId: 'task-of-somebody-else', status: 'completed', result: { content: [{ type: 'text', text: 'forged' }] } };
  store.tellTask(id, forged);
  store.tellTask(id, { status: 'completed' });
  await expect.poll(asked).toBe(2);
  store.tellTask(id, { status: 'on holiday' });
  await expect.poll(asked).toBe(3);
  let deep: unknown = [];
  for (let level = 0; level < 600; level += 1) deep = [deep];
  store.tellTask(id, { status: 'completed', result: { content: deep } });
  await expect.poll(asked).toBe(4);
  expect((await host.run('task.list', {})).tasks).toMatchObject([{ state: { status: 'working' } }]);
  record.status = 'completed';
  store.tellTask(id);
  await host.until(turnEnd(conversationId));
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: 'found {}' } }] },
  ]);
  expect(asked()).toBe(4);
});

test('a task that has ended stays so, whatever is told behind its end', async () => {
  const store = rare();
  const { host, conversationId, id, record, asked } = await begin(store);
  await expect.poll(asked).toBe(1);
  record.status = 'completed';
  // In one burst: they wait beside each other for the moment of quiet after the last question.
  store.tellTask(id, { status: 'working', statusMessage: 'nearly there' });
  store.tellTask(id);
  store.tellTask(id, { status: 'working', statusMessage: 'not there at all' });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ state: 'succeeded' }]);
  expect(asked()).toBe(1);
});

test('a storm of notices makes no storm of questions', async () => {
  const store = rare();
  const { host, conversationId, id, record, asked } = await begin(store);
  await expect.poll(asked).toBe(1);
  for (let n = 0; n < 500; n += 1) store.tellTask(id, { status: 'completed' });
  record.status = 'completed';
  store.tellTask(id);
  await host.until(turnEnd(conversationId));
  expect(asked()).toBeLessThan(20);
});

test.each(['graceful', 'broken'] as const)(
  'a subscription that ends (%s) is opened again, and what it missed is asked for',
  async (how) => {
    const store = rare();
    const { host, conversationId, record, asked } = await begin(store);
    await expect.poll(asked).toBe(1);
    record.status = 'completed';
    store.tell('', how);
    expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
    expect(asked()).toBe(2);
  },
);

test('a server that grants no subscription to tasks is asked as often as it wishes', async () => {
  const store = rare({ pollIntervalMs: 50, ungranted: new Set(['taskIds']) });
  const { host, conversationId, id, record, asked } = await begin(store);
  await expect.poll(asked).toBeGreaterThan(2);
  record.status = 'completed';
  store.tellTask(id);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
});
