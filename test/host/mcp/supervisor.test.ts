import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuse } from '../../../main/host/refusal.ts';
import type { WireTrace } from '../../../main/host/trace/wireTrace.ts';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import {
  call,
  clock,
  discovered,
  endChild,
  env,
  eventually,
  folder,
  freePort,
  http,
  isAlive,
  jsonRpcOverHttp,
  linesOf,
  nodeProgram,
  packageFile,
  program,
  serve,
  supervise,
  testServer,
  textOf,
} from './harness.ts';
import { handClock } from './handClock.ts';

const forever = new AbortController().signal;

test('a server killed during a call fails the call at once and is back within five seconds', async () => {
  const record = join(folder(), 'starts');
  const { server, states, until } = supervise(() => Promise.resolve(nodeProgram(testServer('diesInCall'), record)));
  server.start();
  const connection = await server.ready(forever);
  if ('code' in connection) throw new Error(connection.message);
  expect(await call(connection, 'kill')).toMatchObject({ kind: 'exited', detail: expect.stringContaining('panic') });
  const failed = await until((state) => state.state === 'failed');
  expect(failed).toMatchObject({ failure: { code: 'exited', message: expect.stringContaining('SIGKILL') } });
  // The rest of the five seconds is its own start, which takes as long as the machine lets it.
  expect(failed.state === 'failed' && (failed.retryAt ?? Infinity) - Date.now()).toBeLessThan(1000);
  await eventually(() => states.at(-1)?.state === 'ready');
  const again = await server.ready(forever);
  if ('code' in again) throw new Error(again.message);
  expect(textOf(await call(again, 'echo'))).toBe('alive');
  expect(linesOf(record).filter((line) => line.startsWith('start'))).toHaveLength(2);
});

test('a server that ends every time after it was ready is given up after three starts, until the person restarts it', async () => {
  const record = join(folder(), 'starts');
  const { server, states, until } = supervise(() => Promise.resolve(nodeProgram(testServer('exitsWhenReady'), record)), {
    // On a busy machine three starts may take longer than the time in which they are too many.
    clock: { ...clock, elapsed: () => 0 },
    rememberedEra: () => ({ era: 'legacy', version: '2025-11-25' }),
  });
  server.start();
  const given = await until((state) => state.state === 'failed' && state.failure.code === 'crashLoop');
  expect(given).toMatchObject({
    failure: { message: expect.stringContaining('3 times within 20 seconds'), detail: expect.stringContaining('out of memory') },
  });
  expect(given.state === 'failed' && given.retryAt).toBeFalsy();
  expect(linesOf(record).filter((line) => line.startsWith('start'))).toHaveLength(3);
  expect(await server.ready(forever)).toMatchObject({ code: 'crashLoop' });
  states.length = 0;
  await server.restart();
  await until((state) => state.state === 'ready');
});

test('a server that exits at once says why and is not started over and over', async () => {
  const { server } = supervise(() => Promise.resolve(nodeProgram(testServer('exitsAtStart'))));
  server.start();
  await server.settled();
  expect(server.status()).toMatchObject({
    state: 'failed',
    failure: { code: 'exitedAtStart', detail: expect.stringContaining('DATABASE_URL') },
  });
  expect(server.status()).not.toHaveProperty('retryAt');
  expect(server.log().some((line) => line.stream === 'stderr' && line.text.includes('DATABASE_URL'))).toBe(true);
});

test('a silent server keeps no other one waiting, and stopping it in the middle of its start leaves nothing', async () => {
  let pid: number | undefined;
  const silent = supervise(() =>
    Promise.resolve({
      kind: 'stdio',
      start() {
        const child = spawnProgram(process.execPath, [testServer('silent')], { env });
        pid = child.pid;
        return child;
      },
    }),
  );
  const other = supervise(() => Promise.resolve(nodeProgram(testServer('diesInCall'))));
  silent.server.start();
  other.server.start();
  expect(await other.server.ready(forever)).toHaveProperty('protocol');
  expect(silent.server.status().state).toBe('starting');
  await silent.server.stop();
  expect(silent.server.status()).toEqual({ state: 'off' });
  expect(pid !== undefined && isAlive(pid)).toBe(false);
});

test.runIf(process.platform !== 'win32')('stop ends a stubborn server behind a shell wrapper, and start waits for that', async () => {
  const file = join(folder(), 'pid');
  const wrapper = () => Promise.resolve(program('/bin/sh', '-c', `"$0" "$1" "$2"; true`, process.execPath, testServer('stubborn'), file));
  const { server } = supervise(wrapper);
  server.start();
  expect(await server.ready(forever)).toHaveProperty('protocol');
  const pid = Number(linesOf(file)[0]);
  const stopped = server.stop();
  server.start();
  await stopped;
  expect(isAlive(pid)).toBe(false);
  expect(await server.ready(forever)).toHaveProperty('protocol');
  expect(Number(linesOf(file)[0])).not.toBe(pid);
});

test('starting twice starts one program', async () => {
  const record = join(folder(), 'starts');
  const { server } = supervise(() => Promise.resolve(nodeProgram(testServer('diesInCall'), record)));
  server.start();
  server.start();
  expect(await server.ready(forever)).toHaveProperty('protocol');
  server.start();
  expect(linesOf(record)).toHaveLength(1);
});

test('a configuration that cannot be used fails with its own sentence', async () => {
  const { server } = supervise(async () =>
    refuse('invalidInput', 'The secret GITHUB_TOKEN is not set. Set it in the settings of the server.'),
  );
  server.start();
  await server.settled();
  expect(server.status()).toEqual({
    state: 'failed',
    failure: { code: 'configurationInvalid', message: 'The secret GITHUB_TOKEN is not set. Set it in the settings of the server.' },
  });
});

test('a server that is off, and a wait that was given up, answer with a sentence instead of waiting', async () => {
  const { server } = supervise(() => Promise.resolve(nodeProgram(testServer('silent'))));
  expect(await server.ready(forever)).toMatchObject({ message: expect.stringContaining('turned off') });
  server.start();
  const giveUp = new AbortController();
  const waited = server.ready(giveUp.signal);
  giveUp.abort();
  expect(await waited).toMatchObject({ code: 'noAnswer' });
});

test('a program that writes something else than an answer fails with that in its detail, and names it in the trace', async () => {
  const noise: string[] = [];
  const trace: WireTrace = {
    sent: () => undefined,
    received: () => undefined,
    answered: () => undefined,
    exchanged: () => undefined,
    noise: (text) => void noise.push(text),
    connection: () => undefined,
    belongs: () => undefined,
    newestFromServer: () => 7,
  };
  const clock = handClock();
  const target = nodeProgram(testServer('brokenMessages'), 'initialize', 'Content-Length: 2');
  const { server, until } = supervise(() => Promise.resolve(target), { clock, trace });
  server.start();
  await eventually(() => noise.length > 0);
  await clock.pass(30_000);
  expect(await until((state) => state.state === 'failed')).toMatchObject({
    failure: { code: 'noAnswer', detail: 'Content-Length: 2', traceId: 7 },
  });
});

test('a remote server that is busy at its start is left alone for as long as it asks, and then connected to', async () => {
  let busy = true;
  const heard: unknown[] = [];
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    heard.push(method);
    if (busy) response.writeHead(503, { 'retry-after': '90' }).end();
    else
      answer(
        method === 'server/discover' ? discovered : { result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } },
      );
  });
  const clock = handClock();
  const { server, until } = supervise(() => Promise.resolve(http(url)), { clock });
  server.start();
  expect(await until((state) => state.state === 'failed')).toMatchObject({
    failure: { code: 'httpError', message: '"Odd" takes no more requests at present (HTTP status 503). It is tried again by itself.' },
    retryAt: clock.now() + 90_000,
  });
  busy = false;
  // Not even for somebody who needs it now.
  expect(await server.ready(forever)).toMatchObject({ code: 'httpError' });
  await clock.pass(89_000);
  expect(heard).toEqual(['server/discover']);
  await clock.pass(1000);
  await until((state) => state.state === 'ready');
});

// Each further try waits twice as long, so that a server is found after up to twice the time that its own start takes on this machine.
test('a remote server that is not there yet is found when it comes, and again after it was restarted', { timeout: 240_000 }, async () => {
  const port = await freePort();
  const script = packageFile('server-everything', 'dist/index.js');
  const { server, states, until } = supervise(() => Promise.resolve(http(`http://127.0.0.1:${port}/mcp`)));
  server.start();
  expect(await until((state) => state.state === 'failed')).toMatchObject({
    failure: { code: 'connectionRefused' },
    retryAt: expect.any(Number),
  });
  const child = await serve(script, ['streamableHttp'], port, /listening/);
  await until((state) => state.state === 'ready');

  states.length = 0;
  await endChild(child);
  // The stream that is open for notices breaks, and nobody answers when it is opened again.
  await until((state) => state.state === 'failed');
  await serve(script, ['streamableHttp'], port, /listening/);
  await until((state) => state.state === 'ready');
  const connection = await server.ready(forever);
  if ('code' in connection) throw new Error(connection.message);
  expect(textOf(await call(connection, 'echo', { message: 'back' }))).toContain('back');
});
