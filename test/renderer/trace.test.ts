import { expect, test } from 'vitest';
import type { StartId, ServerId } from '../../preload/contract/ids.ts';
import { fail, ok } from '../../preload/contract/result.ts';
import type { TraceEntry } from '../../preload/contract/trace.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { argumentsText, requestText, traceIdOf } from '../../renderer/features/inspector/requestText.ts';
import { createTraceStore } from '../../renderer/state/trace.ts';

const serverId = 'server' as ServerId;
const entry = (id: number, more: Partial<TraceEntry> = {}): TraceEntry => ({
  id,
  serverId,
  at: id,
  direction: 'toServer',
  kind: 'notification',
  method: 'notifications/a',
  bytes: 10,
  ...more,
});

/** A trace store over a host whose trace is the given list. */
function traceOver(all: TraceEntry[]) {
  const bridge = fakeBridge({
    'trace.list': ({ after = 0, before = Infinity, limit = 200, filter = {} }) => {
      const found = all
        .filter(({ id, problem }) => id > after && id < before && (filter.errorsOnly !== true || problem !== undefined))
        .reverse();
      return ok({ entries: found.slice(0, limit), hasMore: found.length > limit, last: all.at(-1)?.id ?? 0 });
    },
  });
  const trace = createTraceStore(bridge);
  const grew = (last = all.at(-1)?.id ?? 0, of = serverId) =>
    trace.apply({ startId: 's' as StartId, topic: 'trace', revision: 1, event: { type: 'trace.grew', serverId: of, last } });
  const ids = () => trace.store.getState().entries.map(({ id }) => id);
  return { bridge, trace, grew, ids };
}

test('what comes is put on top once, and a request learns from its answer how long it took', async () => {
  const all = [entry(1), entry(2, { kind: 'request' })];
  const { trace, grew, ids } = traceOver(all);
  await trace.open(serverId);
  expect(ids()).toEqual([2, 1]);
  all.push(entry(3, { direction: 'fromServer', kind: 'response', pairId: 2, tookMs: 40 }), entry(4));
  grew();
  grew();
  await expect.poll(ids).toEqual([4, 3, 2, 1]);
  const { entries, prepended } = trace.store.getState();
  expect(entries[2]).toMatchObject({ id: 2, tookMs: 40, pairId: 3 });
  expect(prepended).toBe(2);
});

test('more than one page of news takes the place of the list, so that nothing is missing in the middle', async () => {
  const all = [entry(1), entry(2)];
  const { trace, grew, ids } = traceOver(all);
  await trace.open(serverId);
  for (let id = 3; id <= 900; id += 1) all.push(entry(id));
  grew();
  await expect.poll(() => ids().length).toBe(500);
  expect(ids()[0]).toBe(900);
  expect(trace.store.getState()).toMatchObject({ hasMore: true, prepended: 0 });
  await trace.loadOlder();
  expect(ids().slice(499, 502)).toEqual([401, 400, 399]);
});

test('news of another server, and news that are known, ask for nothing', async () => {
  const { bridge, trace, grew } = traceOver([entry(1)]);
  await trace.open(serverId);
  const before = bridge.sent.length;
  grew(1);
  grew(9, 'another' as ServerId);
  expect(bridge.sent.length).toBe(before);
});

test('an answer for a page that was left, or a filter that was changed, is dropped', async () => {
  const all = [entry(1), entry(2, { problem: 'Wrong.' })];
  const { trace, ids } = traceOver(all);
  const opening = trace.open(serverId);
  await trace.setFilter({ errorsOnly: true });
  await opening;
  expect(ids()).toEqual([2]);
  const leaving = trace.setFilter({});
  await trace.open(null);
  await leaving;
  expect(trace.store.getState()).toMatchObject({ status: 'none', entries: [] });
});

test('a trace that cannot be read says why, and is read again with another host', async () => {
  let broken = true;
  const bridge = fakeBridge({
    'trace.list': () => (broken ? fail('notFound', 'There is no such server.') : ok({ entries: [entry(1)], hasMore: false, last: 1 })),
  });
  const trace = createTraceStore(bridge);
  await trace.open(serverId);
  expect(trace.store.getState()).toMatchObject({ status: 'failed', error: { message: 'There is no such server.' } });
  broken = false;
  trace.load({} as never);
  await expect.poll(() => trace.store.getState().status).toBe('ready');
});

test('a request is offered for editing without what the connection writes', () => {
  const text = '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a","arguments":{"b":1},"_meta":{"progressToken":4}}}';
  expect(JSON.parse(requestText(text))).toEqual({ method: 'tools/call', params: { name: 'a', arguments: { b: 1 } } });
  expect(requestText('no JSON')).toBe('no JSON');
});

test('arguments to begin with are what the schema demands, empty, and nothing where there is no usable schema', () => {
  const schema = {
    type: 'object',
    required: ['path', 'count', 'deep', 'kind', 'on'],
    properties: {
      path: { type: 'string' },
      count: { type: 'integer' },
      deep: { type: 'object' },
      kind: { enum: ['a', 'b'] },
      on: { type: 'boolean', default: true },
      optional: { type: 'string' },
    },
  };
  expect(JSON.parse(argumentsText(JSON.stringify(schema)))).toEqual({ path: '', count: 0, deep: {}, kind: 'a', on: true });
  expect(argumentsText('{"required":5,"properties":null}')).toBe('{}');
  expect(argumentsText('[')).toBe('{}');
});

test('the trace id of a request is read off for whoever runs the server; anything else has none (§2.15)', () => {
  const traced = (traceparent: unknown) => JSON.stringify({ method: 'tools/call', params: { _meta: { traceparent } } });
  const id = '4bf92f3577b34da6a3ce929d0e0e4736';
  expect(traceIdOf(traced(`00-${id}-00f067aa0ba902b7-01`))).toBe(id);
  for (const text of [traced(5), traced(`00-${id.slice(1)}-00f067aa0ba902b7-01`), '{"params":null}', '[]', 'no JSON'])
    expect(traceIdOf(text)).toBeUndefined();
});
