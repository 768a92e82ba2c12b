import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../../servers/gateway.ts';
import { call, eventually, http, nodeProgram, open, testServer, textOf } from './harness.ts';

test('a legacy server is told the level once, and what it logs stands in its log with level and logger', async () => {
  const { connection, log } = await open(nodeProgram(testServer('logs')));
  expect(textOf(await call(connection, 'echo'))).toBe('emergency');
  await connection.setLogLevel('notice');
  expect(textOf(await call(connection, 'echo'))).toBe('notice');
  const messages = log.lines().filter(({ stream }) => stream === 'message');
  expect(messages).toMatchObject([
    { text: 'disk: {"free":3}', level: 'warning' },
    { text: 'disk: {"free":3}', level: 'warning' },
  ]);
  // Off means for a legacy server that nothing more is asked for: there is no request that says so.
  await connection.setLogLevel(undefined);
  expect(textOf(await call(connection, 'echo'))).toBe('notice');
});

test('a modern server is asked to log by each request, and only while the person wants it', async () => {
  const { url, store, close } = await startGateway();
  onTestFinished(close);
  const { connection } = await open(http(url));
  const asked = async () => {
    store.levels.length = 0;
    await call(connection, 'where');
    return store.levels;
  };
  expect(await asked()).toEqual([undefined]);
  await connection.setLogLevel('debug');
  expect(await asked()).toEqual(['debug']);
  expect(await connection.readResource('note://one', { signal: new AbortController().signal })).toMatchObject({ kind: 'ok' });
  expect(store.levels.at(-1)).toBe('debug');
  await connection.setLogLevel(undefined);
  expect(await asked()).toEqual([undefined]);
  await eventually(() => store.levels.length > 0);
});
