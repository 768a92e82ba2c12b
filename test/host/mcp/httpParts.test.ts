import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs, TooBusy, waitingFetch } from '../../../main/host/mcp/retryAfter.ts';
import { splitBatches } from '../../../main/host/mcp/splitBatches.ts';
import { handClock } from './handClock.ts';

test.each([
  ['3', 3000],
  [' 0 ', 0],
  ['Mon, 30 Nov 2026 12:00:10 GMT', 10_000],
  ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['7s', undefined],
  ['11/30/2026 12:00:10', undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After %s is a wait of %s ms', (header, ms) => {
  expect(retryAfterMs(header, Date.UTC(2026, 10, 30, 12))).toBe(ms);
});

/** Answers with these statuses, one after the other, then 200. */
function busyServer(answers: { status: number; retryAfter?: string }[]) {
  const asked: number[] = [];
  const clock = handClock();
  const inner: typeof fetch = () => {
    asked.push(clock.now());
    const answer = answers.shift();
    const headers = answer?.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
    return Promise.resolve(new Response('{}', { status: answer?.status ?? 200, headers }));
  };
  const waits = () => asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  return { clock, fetch: waitingFetch(inner, clock), asked, waits };
}

/** Lets time pass until something has come of it. */
async function settled<Value>(clock: ReturnType<typeof handClock>, work: Promise<Value>): Promise<PromiseSettledResult<Value> | undefined> {
  const outcomes: PromiseSettledResult<Value>[] = [];
  void Promise.allSettled([work]).then(([first]) => outcomes.push(first));
  while (outcomes.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.pass(250);
  }
  return outcomes[0];
}

test('the waits are those that were asked for; without a wish they double and vary', async () => {
  const { clock, fetch, waits } = busyServer([{ status: 429, retryAfter: '7' }, { status: 503 }, { status: 503 }]);
  expect(await settled(clock, fetch('http://x/'))).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
  const [asked, own, longer] = waits();
  expect(asked).toBe(7000);
  expect(own).toBeGreaterThanOrEqual(750);
  expect(own).toBeLessThanOrEqual(1250);
  expect(longer).toBeGreaterThanOrEqual(1500);
  expect(longer).toBeLessThanOrEqual(2500);
});

test('nobody waits for longer than a minute, or for ever', async () => {
  const long = busyServer([{ status: 429, retryAfter: '61' }]);
  await expect(long.fetch('http://x/')).rejects.toMatchObject({ status: 429, retryAfterMs: 61_000 });
  expect(long.asked).toHaveLength(1);
  const stubborn = busyServer(Array.from({ length: 20 }, () => ({ status: 503, retryAfter: '1' })));
  expect(await settled(stubborn.clock, stubborn.fetch('http://x/'))).toMatchObject({ status: 'rejected', reason: expect.any(TooBusy) });
  expect(stubborn.asked).toHaveLength(6);
});

test('while a connection is made, a busy server is waited for a quarter of a minute only', async () => {
  const asked: number[] = [];
  const clock = handClock();
  const busy: typeof fetch = () => {
    asked.push(clock.now());
    return Promise.resolve(new Response('', { status: 503, headers: { 'retry-after': asked.length === 1 ? '15' : '1' } }));
  };
  let isStarting = true;
  const waiting = waitingFetch(busy, clock, () => isStarting);
  expect(await settled(clock, waiting('http://x/'))).toMatchObject({ status: 'rejected', reason: { retryAfterMs: 1000 } });
  expect(asked).toHaveLength(2);
  isStarting = false;
  asked.length = 0;
  await settled(clock, waiting('http://x/'));
  expect(asked).toHaveLength(6);
});

test('what was answered to a request that is made again is thrown away; a minute in all is waited for, and not more', async () => {
  const clock = handClock();
  const cancelled: number[] = [];
  let asked = 0;
  const waiting = waitingFetch(async () => {
    const index = asked++;
    const body = new ReadableStream({ cancel: () => void cancelled.push(index) });
    return new Response(index < 2 ? body : 'done', { status: index < 2 ? 503 : 200, headers: { 'retry-after': '30' } });
  }, clock);
  expect(await settled(clock, waiting('http://x/'))).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
  expect(cancelled).toEqual([0, 1]);
  const long = busyServer([
    { status: 503, retryAfter: '30' },
    { status: 503, retryAfter: '31' },
  ]);
  expect(await settled(long.clock, long.fetch('http://x/'))).toMatchObject({
    reason: { name: 'TooBusy', message: 'HTTP status 503', status: 503, retryAfterMs: 31_000 },
  });
});

test('an abort is heard during a wait, before it, and no longer after it', async () => {
  const stop = new AbortController();
  const heard: string[] = [];
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (heard.push(`+${args[0]}`), add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (heard.push(`-${args[0]}`), remove(...args));
  const once = busyServer([{ status: 429, retryAfter: '1' }]);
  await settled(once.clock, once.fetch('http://x/', { signal }));
  expect(heard).toEqual(['+abort', '-abort']);
  const twice = busyServer([{ status: 429, retryAfter: '1' }]);
  const answer = twice.fetch('http://x/', { signal });
  const outcome = Promise.allSettled([answer]);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort(new Error('stopped'));
  expect(await outcome).toMatchObject([{ status: 'rejected', reason: { message: 'stopped' } }]);
  await twice.clock.pass(1000);
  expect(twice.asked).toHaveLength(1);
  await expect(busyServer([{ status: 429, retryAfter: '1' }]).fetch('http://x/', { signal })).rejects.toThrow('stopped');
  expect(heard).toEqual(['+abort', '-abort', '+abort']);
});

test.each([200, 202, 400, 404, 500, 502, 504])('status %s proves nothing of the kind and is handed on at once', async (status) => {
  const { fetch, asked } = busyServer([{ status }]);
  expect((await fetch('http://x/')).status).toBe(status);
  expect(asked).toHaveLength(1);
});

test('an aborted request ends its wait', async () => {
  const { fetch, asked } = busyServer([{ status: 429, retryAfter: '30' }]);
  const stop = new AbortController();
  const answer = fetch('http://x/', { signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(answer).rejects.toThrow('stopped');
  expect(asked).toHaveLength(1);
});

/** What an event stream says, as its lines are read by anybody: the data of each event. */
function eventsIn(stream: string): string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

async function through(text: string, cuts: number[], type = 'text/event-stream'): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const places = [0, ...[...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b), bytes.length];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [index, from] of places.slice(0, -1).entries()) controller.enqueue(bytes.slice(from, places[index + 1]));
      controller.close();
    },
  });
  const response = await splitBatches(() => Promise.resolve(new Response(body, { headers: { 'content-type': type } })))('http://x/');
  return response.text();
}

test('a batch becomes events of one message each, wherever the stream is cut into pieces, and everything else stays', async () => {
  const stream =
    ': hello\n\nid: 7\ndata: [{"a":"ü"},{"b":[1]}]\n\nevent: message\ndata: {"c":[1,2]}\r\n\r\ndata: [not json]\n\ndata:[{"d":1}]\n\n';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), async (cuts) => {
      const out = await through(stream, cuts);
      expect(eventsIn(out)).toEqual(['{"a":"ü"}', '{"b":[1]}', '{"c":[1,2]}', '[not json]', '{"d":1}']);
      expect(out.startsWith(': hello\n\nid: 7\ndata: {"a":"ü"}\n\n')).toBe(true);
    }),
  );
});

test('what does not end with a line end, and what is no event stream, comes through as it is', async () => {
  expect(await through('data: [1', [3])).toBe('data: [1');
  expect(await through('data: [{"a":1},{"b":2}]\n\n', [], 'application/json')).toBe('data: [{"a":1},{"b":2}]\n\n');
});

test('what a stream is goes by its type, however it is written; a body that is none is let through', async () => {
  const [batch, split] = ['data: [1,2]\n', 'data: 1\n\ndata: 2\n'];
  for (const type of ['TEXT/Event-Stream', 'text/event-stream; charset=utf-8']) expect(await through(batch, [], type)).toBe(split);
  for (const type of ['application/x; of=text/event-stream', 'text/event-streams']) expect(await through(batch, [], type)).toBe(batch);
  const empty = new Response(null, { status: 202, headers: { 'content-type': 'text/event-stream' } });
  expect(await splitBatches(async () => empty)('http://x/')).toBe(empty);
  const untyped = new Response(new Uint8Array([1]));
  expect(await splitBatches(async () => untyped)('http://x/')).toBe(untyped);
});

test('only a list with something in it that is the whole of a line of data is a batch', async () => {
  for (const line of ['data: []', 'data: [1] ', 'data:  [1]', 'xdata: [1]', 'data: [1', 'data: 1]', 'data: {"a":[1]}'])
    expect(await through(`data: [7]\n\n${line}\n\n`, [])).toBe(`data: 7\n\n${line}\n\n`);
  expect(await through('data:[1,2]\r\n', [])).toBe('data: 1\n\ndata: 2\n');
  const deep = `data: [${'['.repeat(10_000)}${']'.repeat(10_000)}]`;
  expect(await through(`${deep}\n\ndata: [7]\n\n`, [])).toBe(`${deep}\n\ndata: 7\n\n`);
  expect(await through('data: [1]', [2, 4])).toBe('data: [1]');
});
