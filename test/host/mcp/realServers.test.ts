import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerRequest } from '../../../main/host/mcp/callTool.ts';
import { call, folder, freePort, http, nodeProgram, open, packageFile, serve, testServer, textOf } from './harness.ts';

const everything = packageFile('server-everything', 'dist/index.js');
const everythingProgram = nodeProgram(everything, 'stdio');

test('everything over stdio: connects in the legacy era, lists and calls', async () => {
  const { connection, remembered, log } = await open(everythingProgram);
  expect(connection.protocol).toEqual({ era: 'legacy', version: '2025-11-25', transport: 'stdio', how: 'probed' });
  expect(remembered).toEqual([{ era: 'legacy', version: '2025-11-25' }]);
  const lists = connection.lists();
  expect(lists.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['echo', 'get-sum']));
  expect(lists.tools.filter((tool) => tool.problem)).toEqual([]);
  expect(lists.resources.length).toBeGreaterThan(0);
  expect(lists.prompts.length).toBeGreaterThan(0);
  expect(lists.reported?.name).toContain('everything');
  expect(lists.instructions).toBeTruthy();
  expect(lists.warnings).toEqual([]);
  expect(textOf(await call(connection, 'echo', { message: 'hällo' }))).toContain('hällo');
  expect(log.lines().some((line) => line.stream === 'stderr')).toBe(true);
});

test('a form asked for by a legacy server is answered once, for the call that runs, without a mode counting as a form', async () => {
  const asked: ServerRequest[] = [];
  const { connection } = await open(everythingProgram, {
    answer(request) {
      asked.push(request);
      if (request.kind === 'roots') return Promise.resolve({ kind: 'result', result: { roots: [] } });
      return Promise.resolve({ kind: 'declined' });
    },
  });
  const outcome = await call(connection, 'trigger-elicitation-request');
  expect(JSON.stringify(outcome)).toMatch(/decline/i);
  const [form] = asked.filter((request) => request.kind === 'elicitation');
  expect(form).toMatchObject({ kind: 'elicitation', serverName: 'Odd', conversationId: 'conversation-1' });
  expect(form?.callId).toMatch(/^call-/);

  const sampled = await call(connection, 'trigger-sampling-request', { prompt: 'hi', maxTokens: 5 });
  expect(JSON.stringify(sampled)).toContain('rejected');
  expect(asked.filter((request) => request.kind === 'sampling')).toHaveLength(1);
});

test('what was not declared is not offered to the server', async () => {
  const { connection } = await open(everythingProgram, { declared: { elicitation: false, sampling: false, roots: false } });
  const names = connection.lists().tools.map((tool) => tool.name);
  expect(names).not.toContain('trigger-elicitation-request');
  expect(names).not.toContain('trigger-sampling-request');
});

test('filesystem over stdio: lists the files of a folder with a name in Chinese', async () => {
  const dir = folder();
  mkdirSync(join(dir, 'sub'));
  writeFileSync(join(dir, 'notes.txt'), 'hello');
  const { connection } = await open(nodeProgram(packageFile('server-filesystem', 'dist/index.js'), dir), {
    declared: { elicitation: false, sampling: false, roots: false },
  });
  const listed = textOf(await call(connection, 'list_directory', { path: dir }));
  expect(listed.split('\n').sort()).toEqual(['[DIR] sub', '[FILE] notes.txt']);
  const refused = await call(connection, 'read_text_file', { path: '/etc/passwd' });
  expect(refused).toMatchObject({ kind: 'result', isError: true });
});

test('memory over stdio: writes and reads its graph', async () => {
  const { connection } = await open(nodeProgram(packageFile('server-memory', 'dist/index.js')));
  expect(connection.lists().tools.map((tool) => tool.name)).toContain('read_graph');
  expect(await call(connection, 'search_nodes', { query: 'nothing like this' })).toMatchObject({
    kind: 'result',
    isError: false,
    hasStructuredContent: true,
  });
});

test('everything over Streamable HTTP: connects, lists and calls with progress', async () => {
  const port = await freePort();
  await serve(everything, ['streamableHttp'], port, /listening/);
  const { connection } = await open(http(`http://127.0.0.1:${port}/mcp`));
  expect(connection.protocol).toEqual({ era: 'legacy', version: '2025-11-25', transport: 'http', how: 'probed' });
  expect(connection.lists().tools.map((tool) => tool.name)).toContain('echo');
  const steps: number[] = [];
  const outcome = await call(
    connection,
    'trigger-long-running-operation',
    { duration: 1, steps: 3 },
    { onProgress: ({ progress }) => steps.push(progress) },
  );
  expect(outcome.kind).toBe('result');
  expect(steps).toEqual([1, 2, 3]);
});

test('everything over SSE: found by itself behind an address that only speaks the oldest transport', async () => {
  const port = await freePort();
  await serve(everything, ['sse'], port, /running/);
  const { connection } = await open(http(`http://127.0.0.1:${port}/sse`));
  expect(connection.protocol.transport).toBe('sse');
  expect(connection.protocol.era).toBe('legacy');
  expect(textOf(await call(connection, 'echo', { message: 'old' }))).toContain('old');
});

test('a modern server over stdio needs no initialize: its tools, instructions and calls work', async () => {
  for (const only of [[], ['only']]) {
    const { connection, remembered } = await open(nodeProgram(testServer('modernStdio'), ...only));
    expect(connection.protocol).toEqual({ era: 'modern', version: '2026-07-28', transport: 'stdio', how: 'probed' });
    expect(remembered).toEqual([{ era: 'modern', version: '2026-07-28' }]);
    expect(connection.lists().instructions).toBe('Be brief.');
    expect(textOf(await call(connection, 'echo', { text: 'new' }))).toBe('new');
  }
});

test('a verdict that is out of date mends itself: legacy was remembered, the server is modern only', async () => {
  const { connection, remembered } = await open(nodeProgram(testServer('modernStdio'), 'only'), {
    remembered: { era: 'legacy', version: '2025-11-25' },
  });
  expect(connection.protocol.era).toBe('modern');
  expect(remembered.at(-1)?.era).toBe('modern');
});

test('a modern server over HTTP: calls, and questions inside a result are asked for the call they belong to', async () => {
  for (const only of [[], ['only']]) {
    const port = await freePort();
    await serve(testServer('modernHttp'), only, port, /mcp/);
    const asked: ServerRequest[] = [];
    const { connection } = await open(http(`http://127.0.0.1:${port}/mcp`), {
      answer(request) {
        asked.push(request);
        return Promise.resolve({ kind: 'result', result: { action: 'accept', content: { name: `guest ${asked.length}` } } });
      },
    });
    expect(connection.protocol).toEqual({ era: 'modern', version: '2026-07-28', transport: 'http', how: 'probed' });
    const outcomes = await Promise.all([
      call(connection, 'greet'),
      call(connection, 'greet'),
      call(connection, 'echo', { text: 'beside' }),
    ]);
    expect(outcomes.map(textOf).sort()).toEqual(['Hello guest 1', 'Hello guest 2', 'beside']);
    expect(new Set(asked.map((request) => request.callId)).size).toBe(2);
    expect(asked.every((request) => request.kind === 'elicitation' && request.message === 'Your name?')).toBe(true);
  }
});

test('a declined question of a modern server comes back to it as declined', async () => {
  const { connection } = await open(nodeProgram(testServer('modernStdio')));
  expect(textOf(await call(connection, 'greet'))).toBe('Hello nobody');
});

test('a modern server tells changes of its tools through a subscription', async () => {
  const { connection, lists } = await open(nodeProgram(testServer('modernStdio')));
  expect(textOf(await call(connection, 'add-tool', { name: 'fresh' }))).toBe('added');
  await expect.poll(() => lists.at(-1)?.tools.some((tool) => tool.name === 'fresh')).toBe(true);
  expect(connection.lists().tools.some((tool) => tool.name === 'fresh')).toBe(true);
});
