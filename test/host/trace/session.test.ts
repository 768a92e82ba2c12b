import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { TraceEntry } from '../../../preload/contract/trace.ts';
import { tempFolder } from '../../doubles/hostParts.ts';
import { card, startTestHost, turnEnd, type TestHost } from '../../doubles/testHost.ts';
import { freePort, linesOf, packageFile, serve, testServer } from '../mcp/harness.ts';
import { recordingProxy } from './recordingProxy.ts';

const everything = packageFile('server-everything', 'dist/index.js');

/** A host over one configured server and a script, with all it traced, oldest first. */
async function traced(config: object, steps: unknown[]) {
  const dir = tempFolder();
  const serversFile = path.join(dir, 'servers.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { odd: config } }));
  const script = path.join(dir, 'script.json');
  writeFileSync(script, JSON.stringify({ steps }));
  const host = await startTestHost({ serversFile, scriptFiles: [script], dataDir: path.join(dir, 'data') });
  await host.serversReady();
  const { servers } = await host.run('server.list', {});
  const serverId = servers[0]?.id;
  if (serverId === undefined) throw new Error('No server is configured.');
  return { host, serverId, dir, model: `scripted:${script}` };
}

async function converse(host: TestHost, model: string, cards: number) {
  const { conversation } = await host.run('conversation.create', { model });
  await host.run('turn.send', { conversationId: conversation.id, text: 'Go on.' });
  for (let n = 0; n < cards; n += 1) {
    const { id, argumentsHash } = await host.until(card(n));
    await host.run('approval.answer', { approvalId: id, argumentsHash, decision: { kind: 'allow', scope: 'once' } });
  }
  await host.until(turnEnd(conversation.id));
  return conversation.id;
}

async function allOf(host: TestHost, serverId: ServerId): Promise<TraceEntry[]> {
  const { entries } = await host.run('trace.list', { serverId, limit: 500 });
  return entries.reverse();
}

const isMessage = ({ kind }: TraceEntry) => kind === 'request' || kind === 'response' || kind === 'error' || kind === 'notification';

async function textsOf(host: TestHost, entries: TraceEntry[]): Promise<string[]> {
  const read = await Promise.all(entries.map(({ id }) => host.run('trace.read', { entryId: id })));
  return read.map(({ text }) => text);
}

const steps = [
  { calls: [{ tool: 'odd.echo', arguments: { message: 'first' } }] },
  { calls: [{ tool: 'odd.trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }] },
  { text: 'Done.' },
];

test('every line of a session over stdio is in the trace, in order, in both directions', async () => {
  const record = path.join(tempFolder(), 'record.txt');
  const { host, serverId, model } = await traced(
    { command: process.execPath, args: [testServer('recordedPipe'), record, everything] },
    steps,
  );
  const conversationId = await converse(host, model, 2);
  const seen = async () => {
    const entries = (await allOf(host, serverId)).filter(isMessage);
    const texts = await textsOf(host, entries);
    const passed = linesOf(record);
    const of = (direction: TraceEntry['direction']) => texts.filter((_text, index) => entries[index]?.direction === direction);
    const wire = (sign: string) => passed.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
    return { entries, trace: [of('toServer'), of('fromServer')], pipe: [wire('>'), wire('<')] };
  };
  // A line may be on its way through the pipe while the two are read.
  let last = await seen();
  await expect
    .poll(async () => {
      last = await seen();
      return { trace: last.trace, isWhole: JSON.stringify(last.trace) === JSON.stringify(last.pipe) };
    })
    .toMatchObject({ isWhole: true });
  const { entries } = last;
  expect(entries.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toSorted((a, b) => a - b));

  const ofCall = entries.filter(({ subject, kind }) => subject === 'echo' && kind === 'request');
  expect(ofCall).toMatchObject([
    {
      method: 'tools/call',
      direction: 'toServer',
      era: 'legacy',
      purpose: { kind: 'call', conversationId, title: 'Go on.', triedByHand: false },
    },
  ]);
  const answer = entries.find(({ id }) => id === ofCall[0]?.pairId);
  expect(answer).toMatchObject({
    kind: 'response',
    direction: 'fromServer',
    method: 'tools/call',
    subject: 'echo',
    tookMs: ofCall[0]?.tookMs,
  });
  // Progress names its call by the token alone.
  const progress = entries.filter(({ method }) => method === 'notifications/progress');
  expect(progress.length).toBe(2);
  expect(progress.every(({ purpose }) => purpose?.kind === 'call')).toBe(true);

  const callId = ofCall[0]?.purpose?.kind === 'call' ? ofCall[0].purpose.callId : undefined;
  if (callId === undefined) throw new Error('The call is not named.');
  const behind = await host.run('trace.list', { filter: { callId } });
  // What the server asked for while the call ran is taken for a part of it.
  expect(behind.entries.filter(({ method }) => method === 'tools/call').map(({ kind }) => kind)).toEqual(['response', 'request']);
});

test('every message of a session over Streamable HTTP is in the trace, with its exchange and the ids of its events', async () => {
  const port = await freePort();
  await serve(everything, ['streamableHttp'], port, /listening/);
  const proxy = await recordingProxy(port);
  const { host, serverId, model } = await traced({ type: 'http', url: `http://127.0.0.1:${proxy.port}/mcp` }, steps);
  await converse(host, model, 2);
  const entries = (await allOf(host, serverId)).filter(isMessage);
  const texts = await textsOf(host, entries);
  const of = (direction: TraceEntry['direction']) => texts.filter((_text, index) => entries[index]?.direction === direction).toSorted();
  expect(of('toServer')).toEqual(proxy.passed.toServer.toSorted());
  expect(of('fromServer')).toEqual(proxy.passed.fromServer.toSorted());
  const call = entries.find(({ subject, kind }) => subject === 'echo' && kind === 'request');
  const answer = entries.find(({ id }) => id === call?.pairId);
  if (!call || !answer) throw new Error('The call is not in the trace.');
  expect(answer.id).toBeGreaterThan(call.id);
  const { http } = await host.run('trace.read', { entryId: answer.id });
  expect(http).toMatchObject({ method: 'POST', status: 200, url: `http://127.0.0.1:${proxy.port}/mcp` });
  expect(proxy.passed.eventIds).toContain(http?.eventId);
  const headers = Object.fromEntries(http?.requestHeaders ?? []);
  expect(headers['mcp-protocol-version']).toBe('2025-11-25');
  // With the session's id anybody on this machine could go on with it.
  expect(headers['mcp-session-id']).toBe('[removed]');
  const { entries: http405 } = await host.run('trace.list', { serverId, filter: { method: 'GET' } });
  expect(http405.every(({ kind }) => kind === 'http')).toBe(true);
});

test('what stands on stdout besides messages is in the trace, and a broken message says so', async () => {
  const { host, serverId } = await traced({ command: process.execPath, args: [testServer('brokenAnswer')] }, []);
  const noise = (await allOf(host, serverId)).filter(({ kind }) => kind === 'noise');
  expect(noise.length).toBe(2);
  expect(await textsOf(host, noise)).toEqual(['Starting up...', '{"jsonrpc":"2.0","id":99,"result":{"unfinished"']);
  expect(noise.map(({ problem }) => problem !== undefined)).toEqual([false, true]);
  const { entries } = await host.run('trace.list', { serverId, filter: { errorsOnly: true } });
  expect(entries.some(({ id }) => id === noise[1]?.id)).toBe(true);
});
