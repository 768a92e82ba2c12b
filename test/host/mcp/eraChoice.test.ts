import { expect, test } from 'vitest';
import { call, freePort, http, nodeProgram, open, serve, testServer, textOf } from './harness.ts';

test('found out, the era says so; remembered, it says that; and what was chosen is not remembered as found', async () => {
  const probed = await open(nodeProgram(testServer('modernStdio')));
  expect(probed.connection.protocol).toMatchObject({ era: 'modern', how: 'probed' });
  expect(probed.remembered).toHaveLength(1);
  const remembered = await open(nodeProgram(testServer('modernStdio')), { remembered: { era: 'modern', version: '2026-07-28' } });
  expect(remembered.connection.protocol).toMatchObject({ era: 'modern', how: 'remembered' });
  const chosen = await open(nodeProgram(testServer('modernStdio')), { era: 'legacy' });
  expect(chosen.connection.protocol).toMatchObject({ era: 'legacy', how: 'set' });
  expect(chosen.remembered).toEqual([]);
  expect(textOf(await call(chosen.connection, 'echo', { text: 'old' }))).toBe('old');
});

test('a server of both generations over HTTP is spoken to in the one that was chosen', async () => {
  const port = await freePort();
  await serve(testServer('modernHttp'), [], port, /http/);
  const url = `http://127.0.0.1:${port}/mcp`;
  expect((await open(http(url), { era: 'legacy' })).connection.protocol).toMatchObject({ era: 'legacy', how: 'set' });
  expect((await open(http(url), { era: 'modern' })).connection.protocol).toMatchObject({ era: 'modern', how: 'set' });
});

test('chosen as modern, a server is used though it lacks server/discover', async () => {
  const { connection } = await open(nodeProgram(testServer('noDiscover')), { era: 'modern' });
  expect(connection.protocol).toMatchObject({ era: 'modern', version: '2026-07-28', how: 'set' });
  expect(textOf(await call(connection, 'hello'))).toBe('hello');

  const port = await freePort();
  await serve(testServer('noDiscover'), ['http'], port, /http/);
  const overHttp = await open(http(`http://127.0.0.1:${port}/mcp`), { era: 'modern' });
  expect(textOf(await call(overHttp.connection, 'hello'))).toBe('hello');
});

test('chosen as modern, an old server is never sent initialize and gets a sentence that says what to change', async () => {
  await expect(open(nodeProgram(testServer('progress')), { era: 'modern' })).rejects.toMatchObject({
    failure: { code: 'protocolError', message: expect.stringMatching(/does not speak revision 2026-07-28.*"era" to "auto"/) },
  });
});

test('chosen as legacy, a modern-only server says which revisions it has', async () => {
  await expect(open(nodeProgram(testServer('modernStdio'), 'only'), { era: 'legacy' })).rejects.toMatchObject({
    failure: { code: 'protocolError', detail: expect.stringContaining('-32022') },
  });
});
