import { expect, onTestFinished, test } from 'vitest';
import { isAtOrBelow } from '../../../main/host/mcp/subscriptions.ts';
import { type Gateway, startGateway } from '../../servers/gateway.ts';
import { newStore, type Store } from '../../servers/statelessInstance.ts';
import { call, eventually, http, nodeProgram, open, packageFile, textOf } from './harness.ts';

async function gateway(store: Store = newStore()): Promise<Gateway> {
  const started = await startGateway(store);
  onTestFinished(() => started.close());
  return started;
}

test('what the server grants is watched, what it leaves out is named in its log and not believed', async () => {
  const store = newStore();
  store.ungranted.add('note://secret').add('toolsListChanged');
  const { url } = await gateway(store);
  const { connection, updated, log } = await open(http(url));
  await connection.subscriptions.watch(new Set(['note://one', 'note://secret']));
  expect([...connection.subscriptions.watched()]).toEqual(['note://one']);
  expect(log.lines().map(({ text }) => text)).toContainEqual('It does not tell of changes of: tools, note://secret');
  // One below the watched resource counts for it; another one, which only begins alike, does not.
  store.tell('note://oneandonly');
  store.tell('note://one/part/of/it');
  await eventually(() => updated.length > 0);
  expect(updated).toEqual(['note://one']);
});

test('the wishes change without a gap: the new stream stands before the old one ends', async () => {
  const { url, store } = await gateway();
  const { connection, updated } = await open(http(url));
  await connection.subscriptions.watch(new Set(['note://one']));
  let least = store.listeners.size;
  const { delete: remove } = store.listeners;
  store.listeners.delete = function counted(listener) {
    const removed = remove.call(this, listener);
    least = Math.min(least, this.size);
    return removed;
  };
  await connection.subscriptions.watch(new Set(['note://one', 'note://two']));
  await eventually(() => store.listeners.size === 1);
  expect(least).toBe(1);
  store.tell('note://two');
  await eventually(() => updated.includes('note://two'));
  await connection.subscriptions.watch(new Set());
  expect(connection.subscriptions.watched().size).toBe(0);
});

test.each(['graceful', 'broken'] as const)(
  'a stream that ends (%s) is opened again, and what may have changed meanwhile is read again',
  async (how) => {
    const { url, store } = await gateway();
    const { connection, updated } = await open(http(url));
    await connection.subscriptions.watch(new Set(['note://one']));
    await eventually(() => store.listeners.size === 1);
    store.tell('', how);
    store.tools.push('while-away');
    await eventually(() => connection.lists().tools.some(({ name }) => name === 'while-away'));
    await eventually(() => updated.includes('note://one'));
    expect([...connection.subscriptions.watched()]).toEqual(['note://one']);
  },
);

test('a storm of updates of one resource is told as two, the first and the last', async () => {
  const { url, store } = await gateway();
  const { connection, updated } = await open(http(url));
  await connection.subscriptions.watch(new Set(['note://one']));
  for (let times = 0; times < 500; times += 1) store.tell('note://one');
  await eventually(() => updated.length >= 2);
  expect(textOf(await call(connection, 'where'))).toMatch(/one|two/);
  expect(updated.length).toBeLessThanOrEqual(3);
});

test('a legacy server is asked with resources/subscribe and tells the same way', async () => {
  const { connection, updated } = await open(nodeProgram(packageFile('server-everything', 'dist/index.js'), 'stdio'));
  const uri = connection.lists().resources[0]?.uri ?? '';
  await connection.subscriptions.watch(new Set([uri]));
  expect([...connection.subscriptions.watched()]).toEqual([uri]);
  await call(connection, 'toggle-subscriber-updates');
  await eventually(() => updated.includes(uri));
  await connection.subscriptions.watch(new Set());
  expect(connection.subscriptions.watched().size).toBe(0);
});

test.each([
  ['file:///a/b', 'file:///a', true],
  ['file:///a', 'file:///a', true],
  ['file:///ab', 'file:///a', false],
  ['file:///a/b', 'file:///a/', true],
  ['note://x#part', 'note://x', true],
  ['file:///', 'file:///a', false],
])('%s stands at or below %s: %s', (uri, above, expected) => {
  expect(isAtOrBelow(uri, above)).toBe(expected);
});
