import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { InputRequest } from '../../preload/contract/policy.ts';
import { card, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { startGateway } from '../servers/gateway.ts';
import { addLocal, addRemote, allow, chat, featureWorld } from './featureWorld.ts';
import { folder, freePort, linesOf, packageFile, serve, testServer } from './mcp/harness.ts';
import { recordingProxy } from './trace/recordingProxy.ts';

const everything = packageFile('server-everything', 'dist/index.js');

interface Wire {
  /** Adds the server, and gives all messages that have reached it. */
  add(host: TestHost): Promise<{ serverId: ServerId; sent(): string[] }>;
}

const overStdio = (script: string, ...args: string[]): Wire => ({
  async add(host) {
    const record = path.join(folder(), 'passed');
    const serverId = await addLocal(host, 'Lab', [testServer('recordedPipe'), record, script, ...args]);
    return {
      serverId,
      sent: () =>
        linesOf(record)
          .filter((line) => line.startsWith('>'))
          .map((line) => line.slice(1)),
    };
  },
});

const overHttp = (start: (port: number) => Promise<unknown>): Wire => ({
  async add(host) {
    const port = await freePort();
    await start(port);
    const { port: proxied, passed } = await recordingProxy(port);
    return { serverId: await addRemote(host, 'Lab', `http://127.0.0.1:${proxied}/mcp`), sent: () => passed.toServer };
  },
});

interface Sent {
  method: string;
  isRequest: boolean;
  traceId: string | undefined;
  spanId: string | undefined;
  metaKeys: string[];
}

/** What was sent, with a `traceparent` that has to be a valid one where there is one (W3C Trace Context, version 00). */
function read(texts: readonly string[]): Sent[] {
  return texts.flatMap((text): Sent[] => {
    const { method, id, params } = JSON.parse(text);
    if (typeof method !== 'string') return [];
    const traceparent: unknown = params?._meta?.traceparent;
    const parts = typeof traceparent === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-0[01]$/.exec(traceparent) : null;
    if (traceparent !== undefined) expect({ traceparent, isValid: parts !== null }).toMatchObject({ isValid: true });
    for (const part of parts?.slice(1) ?? []) expect(part).not.toMatch(/^0+$/);
    return [{ method, isRequest: id !== undefined, traceId: parts?.[1], spanId: parts?.[2], metaKeys: Object.keys(params?._meta ?? {}) }];
  });
}

const calls = (sent: readonly Sent[]): Sent[] => sent.filter(({ method }) => method === 'tools/call');
const idsOf = (sent: readonly Sent[]): (string | undefined)[] => [...new Set(sent.map(({ traceId }) => traceId))];

test.each([
  ['stdio, modern', { message: 'text' }, overStdio(testServer('modernStdio'), 'only')],
  ['stdio, legacy', { message: 'message' }, overStdio(everything)],
  ['HTTP, modern', { message: 'text' }, overHttp((port) => serve(testServer('modernHttp'), ['only'], port, /http:/))],
  ['HTTP, legacy', { message: 'message' }, overHttp((port) => serve(everything, ['streamableHttp'], port, /listening/))],
])(
  '%s: no trace context on the wire until it is switched on, then a fresh span in each request and one trace id a turn (§2.15)',
  async (_name, { message }, wire) => {
    const twice = { calls: [1, 2].map((n) => ({ tool: 'Lab.echo', arguments: { [message]: `hello ${n}` } })) };
    const world = featureWorld([twice, { text: 'Off.' }, twice, { text: 'On.' }, twice, { text: 'On again.' }]);
    const host = await world.start();
    const { serverId, sent } = await wire.add(host);
    const conversationId = await chat(host, world.model);
    let cards = 0;
    const turn = async (n: number) => {
      await host.run('turn.send', { conversationId, text: 'Say it twice' });
      for (const _call of twice.calls) await allow(host, await host.until(card(cards++)));
      expect(await host.until(turnEnd(conversationId, n))).toMatchObject({ state: 'done' });
    };

    await turn(0);
    expect(calls(read(sent()))).toHaveLength(2);
    expect(sent().join('\n')).not.toMatch(/traceparent|tracestate|baggage/);

    const { features } = await host.run('server.setClientFeatures', { serverId, sendsTraceIds: true });
    expect(features.sendsTraceIds).toBe(true);
    const before = sent().length;
    await turn(1);
    await turn(2);
    const on = read(sent().slice(before));
    const [one, two, three, four] = calls(on);
    expect(one?.traceId).toBeDefined();
    expect(two?.traceId).toBe(one?.traceId);
    expect(four?.traceId).toBe(three?.traceId);
    expect(three?.traceId).not.toBe(one?.traceId);

    // What is no part of a turn stands alone: the whole start, its probe and its lists.
    await host.run('server.restart', { serverId });
    await expect.poll(async () => (await host.run('server.details', { serverId })).details.server.status.state).toBe('ready');
    const requests = read(sent().slice(before)).filter(({ isRequest }) => isRequest);
    expect(requests.map(({ method }) => method)).toContain('tools/list');
    expect(requests.every(({ spanId }) => spanId !== undefined)).toBe(true);
    expect(new Set(requests.map(({ spanId }) => spanId)).size).toBe(requests.length);
    expect(idsOf(requests)).toHaveLength(requests.length - 2);
    expect(requests.flatMap(({ metaKeys }) => metaKeys).filter((key) => key === 'tracestate' || key === 'baggage')).toEqual([]);

    // The person sees it: the messages in the trace are those of the wire.
    const { entries } = await host.run('trace.list', { serverId, filter: { text: one?.spanId ?? 'none' } });
    expect(entries).toMatchObject([{ direction: 'toServer', method: 'tools/call' }]);
  },
  60_000,
);

test('rounds of input are requests of their own: the same trace, another span (§2.15, M6)', async () => {
  const world = featureWorld([{ calls: [{ tool: 'Lab.greet', arguments: {} }] }, { text: 'Greeted.' }]);
  const host = await world.start();
  const { serverId, sent } = await overStdio(testServer('modernStdio'), 'only').add(host);
  await host.run('server.setClientFeatures', { serverId, sendsTraceIds: true });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Greet me' });
  await allow(host, await host.until(card(0)));
  const asked = await host.until((event): InputRequest | undefined =>
    event.topic === 'approvals' && event.event.type === 'input.added' ? event.event.input : undefined,
  );
  await host.run('input.answer', { inputId: asked.id, answer: { action: 'accept', content: { name: 'Ada' } } });
  await host.until(turnEnd(conversationId));
  const rounds = calls(read(sent()));
  expect(rounds).toHaveLength(2);
  expect(idsOf(rounds)).toEqual([rounds[0]?.traceId]);
  expect(rounds[0]?.spanId).toBeDefined();
  expect(rounds[1]?.spanId).not.toBe(rounds[0]?.spanId);
});

test('questions about a task belong to the turn whose call it is, each with a span of its own (§2.15)', async () => {
  const lab = await startGateway();
  onTestFinished(() => lab.close());
  const world = featureWorld([{ calls: [{ tool: 'Lab.research', arguments: { topic: 'owls' } }] }, { text: 'Found.' }]);
  const host = await world.start();
  const { port, passed } = await recordingProxy(Number(new URL(lab.url).port));
  const serverId = await addRemote(host, 'Lab', `http://127.0.0.1:${port}/mcp`);
  await host.run('server.setClientFeatures', { serverId, sendsTraceIds: true });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Look for owls' });
  await allow(host, await host.until(card(0)));
  await host.until((event) => event.topic === 'servers' && event.event.type === 'task.changed' && event.event.task.state.message);
  for (const record of Object.values(lab.store.tasks)) record.status = 'completed';
  await host.until(turnEnd(conversationId));
  const sent = read(passed.toServer);
  const polls = sent.filter(({ method }) => method === 'tasks/get');
  const ofTheCall = [...calls(sent), ...polls];
  expect(polls).not.toEqual([]);
  expect(idsOf(ofTheCall)).toEqual([calls(sent)[0]?.traceId]);
  expect(calls(sent)[0]?.traceId).toBeDefined();
  expect(new Set(ofTheCall.map(({ spanId }) => spanId)).size).toBe(ofTheCall.length);
});
