import { ProtocolError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { readList } from '../../../main/host/mcp/lists.ts';
import { createReadCache, ttlOf } from '../../../main/host/mcp/readCache.ts';
import { handClock } from './handClock.ts';

const page = (value: string, ttlMs?: unknown, cacheScope?: string) => ({ value, ttlMs, cacheScope });

test('an answer is fresh for as long as its server says, and not a millisecond longer', async () => {
  const clock = handClock();
  const cache = createReadCache(clock, () => '');
  cache.keep('resources/read', 'a', page('first', 1000), cache.asOf());
  await clock.pass(999);
  expect(cache.read('resources/read', 'a')).toMatchObject({ value: 'first' });
  expect(cache.isFresh('resources/read', 'a')).toBe(true);
  await clock.pass(1);
  expect(cache.read('resources/read', 'a')).toBeUndefined();
  expect(cache.isFresh('resources/read', 'a')).toBe(false);
});

test.each([undefined, 0, -5, '1000', Number.NaN, null])('a time to live of %s keeps nothing', (ttl) => {
  const cache = createReadCache(handClock(), () => '');
  cache.keep('tools/list', '', page('x', ttl), cache.asOf());
  expect(cache.read('tools/list', '')).toBeUndefined();
});

test.each([
  [-5, 0],
  [0, 0],
  [1, 1],
  ['1000', 0],
  [undefined, 0],
  [86_400_001, 86_400_000],
])('a time to live of %s is one of %i ms', (ttlMs, ms) => {
  expect(ttlOf({ ttlMs })).toBe(ms);
});

test('no server keeps an answer alive for longer than a day', () => {
  expect(ttlOf({ ttlMs: 1e15 })).toBe(86_400_000);
});

test('what is private is found by the one who was signed in, what is public by everybody, and a missing scope is private', () => {
  let account = 'ada';
  const cache = createReadCache(handClock(), () => account);
  cache.keep('tools/list', '', page('hers', 1000), cache.asOf());
  cache.keep('prompts/list', '', page('open', 1000, 'public'), cache.asOf());
  account = 'bob';
  expect(cache.read('tools/list', '')).toBeUndefined();
  expect(cache.read('prompts/list', '')).toMatchObject({ value: 'open' });
  cache.keep('tools/list', '', page('his', 1000, 'private'), cache.asOf());
  account = 'ada';
  expect(cache.read('tools/list', '')).toMatchObject({ value: 'hers' });
});

test('an answer that was asked for before a notice is not kept after it', () => {
  const cache = createReadCache(handClock(), () => '');
  const before = cache.asOf();
  cache.forget('tools/list');
  cache.keep('tools/list', '', page('old', 1000), before);
  expect(cache.read('tools/list', '')).toBeUndefined();
});

test('one resource is forgotten alone, a list with all its pages, and neither for another method', () => {
  const cache = createReadCache(handClock(), () => '');
  for (const params of ['', 'two']) cache.keep('tools/list', params, page(params, 1000), cache.asOf());
  for (const uri of ['a', 'b']) cache.keep('resources/read', uri, page(uri, 1000), cache.asOf());
  cache.forget('resources/read', 'a');
  expect([cache.isFresh('resources/read', 'a'), cache.isFresh('resources/read', 'b')]).toEqual([false, true]);
  cache.forget('tools/list');
  expect([cache.isFresh('tools/list', ''), cache.isFresh('tools/list', 'two')]).toEqual([false, false]);
  expect(cache.isFresh('resources/read', 'b')).toBe(true);
});

test('an answer of more than a million characters is asked for again', () => {
  const cache = createReadCache(handClock(), () => '');
  cache.keep('resources/read', 'a', page('x'.repeat(1024 * 1024), 1000), cache.asOf());
  expect(cache.isFresh('resources/read', 'a')).toBe(false);
});

test('the largest answer is kept, and of resources the 64 newest', () => {
  const cache = createReadCache(handClock(), () => '');
  const frame = JSON.stringify(page('', 1000)).length;
  cache.keep('resources/read', 'large', page('x'.repeat(1024 * 1024 - frame), 1000), cache.asOf());
  expect(cache.isFresh('resources/read', 'large')).toBe(true);
  for (let index = 0; index < 64; index += 1) cache.keep('resources/read', `${index}`, page('x', 1000), cache.asOf());
  expect(['large', '0', '63'].map((uri) => cache.isFresh('resources/read', uri))).toEqual([false, true, true]);
});

/** A client that is asked for pages only. */
type Client = Parameters<typeof readList>[0];
function pagedClient(pages: Record<string, () => Record<string, unknown>>): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    request: async ({ params }: { params: { cursor?: string } }) => {
      asked.push(params.cursor ?? '');
      const give = pages[params.cursor ?? ''];
      if (!give) throw new ProtocolError(-32602, 'Unknown cursor');
      return give();
    },
  };
  return { client: client as unknown as Client, asked };
}

test('each page has a clock of its own: the one whose time is over is read again by its cursor, the others are not', async () => {
  const clock = handClock();
  const cache = createReadCache(clock, () => '');
  const { client, asked } = pagedClient({
    '': () => ({ tools: [1], nextCursor: 'b', ttlMs: 10_000 }),
    b: () => ({ tools: [2], nextCursor: 'c', ttlMs: 1000 }),
    c: () => ({ tools: [3], ttlMs: 10_000 }),
  });
  const read = () => readList(client, 'tools', { timeoutMs: 1000, signal: new AbortController().signal, cache });
  expect(await read()).toEqual({ items: [1, 2, 3], warnings: [], pages: ['', 'b', 'c'], hasTtl: true });
  await clock.pass(5000);
  expect((await read()).items).toEqual([1, 2, 3]);
  expect(asked).toEqual(['', 'b', 'c', 'b']);
});

test('a cursor that is not known any more makes the whole list new; without kept pages it is an incomplete list', async () => {
  const clock = handClock();
  const cache = createReadCache(clock, () => '');
  const pages: Record<string, () => Record<string, unknown>> = {
    '': () => ({ tools: ['old'], nextCursor: 'b', ttlMs: 10_000 }),
    b: () => ({ tools: [2], ttlMs: 1000 }),
  };
  const { client, asked } = pagedClient(pages);
  const read = () => readList(client, 'tools', { timeoutMs: 1000, signal: new AbortController().signal, cache });
  await read();
  await clock.pass(2000);
  delete pages['b'];
  pages[''] = () => ({ tools: ['new'], nextCursor: 'c', ttlMs: 10_000 });
  pages['c'] = () => ({ tools: [3] });
  expect((await read()).items).toEqual(['new', 3]);
  expect(asked).toEqual(['', 'b', 'b', '', 'c']);
  cache.forget('tools/list');
  delete pages['c'];
  expect(await read()).toMatchObject({ items: ['new'], warnings: [expect.stringContaining('Unknown cursor')] });
});

test('only a cursor that is unknown after a kept page makes a list new; a list from kept pages alone has its time too', async () => {
  const cache = createReadCache(handClock(), () => '');
  const pages: Record<string, () => Record<string, unknown>> = { '': () => ({ tools: [1], nextCursor: 'b', ttlMs: 1000 }) };
  const { client, asked } = pagedClient(pages);
  const read = () => readList(client, 'tools', { timeoutMs: 1000, signal: new AbortController().signal, cache });
  pages['b'] = () => {
    throw new ProtocolError(-32603, 'broken');
  };
  const broken = { items: [1], warnings: [expect.stringContaining('broken')], pages: ['', 'b'], hasTtl: true };
  expect(await read()).toEqual(broken);
  expect(await read()).toEqual(broken);
  expect(asked).toEqual(['', 'b', 'b']);
  // Unknown already in the answer that came with its page just now: reading once more would change nothing.
  delete pages['b'];
  expect(await read()).toMatchObject({ items: [1], warnings: [expect.stringContaining('Unknown cursor')], pages: ['', 'b'] });
  expect(asked).toEqual(['', 'b', 'b', 'b', '', 'b']);
});
