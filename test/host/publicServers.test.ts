import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgres } from '../../build/postgres.ts';
import type { ServerId } from '../../preload/contract/ids.ts';
import { startPostgres } from '../doubles/postgres.ts';
import { card, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { startGithubApi } from '../servers/githubApi.ts';
import { addLocal, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { packageFile, testServer } from './mcp/harness.ts';

const detailsOf = async (host: TestHost, serverId: ServerId) => (await host.run('server.details', { serverId })).details;

test('GitHub’s public server: issues are listed and made behind cards, its token reaches its API and nothing else', async () => {
  const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const world = featureWorld([
    { calls: [{ tool: 'github.list_issues', arguments: { owner: 'ada', repo: 'kettle', state: 'open' } }] },
    { calls: [{ tool: 'github.create_issue', arguments: { owner: 'ada', repo: 'kettle', title: '壶 is hot', body: 'Take care ☕' } }] },
    { calls: [{ tool: 'github.create_issue', arguments: { owner: 'ada', repo: 'none', title: 'Lost' } }] },
    { text: 'Done.' },
  ]);
  const api = await startGithubApi(token);
  onTestFinished(() => api.close());
  const host = await world.start();
  const serverId = await addLocal(
    host,
    'github',
    ['--import', pathToFileURL(testServer('githubAtHome')).href, packageFile('server-github', 'dist/index.js')],
    { env: { GITHUB_PERSONAL_ACCESS_TOKEN: token, GITHUB_API_AT_HOME: api.url } },
  );
  // Its library is of the end of 2024 and knows the first revision alone.
  expect((await detailsOf(host, serverId)).server.protocol).toMatchObject({ era: 'legacy', version: '2024-11-05' });

  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'What is open? Then report the heat.' });
  for (const n of [0, 1, 2]) {
    const asked = await host.until(card(n));
    expect(api.requests).toHaveLength(n);
    await allow(host, asked);
  }
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });

  const [listed, made, lost] = callsOf((await messagesOf(host, conversationId))[1]);
  expect(listed).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining('太吵了') } }] });
  expect(made).toMatchObject({ state: 'succeeded' });
  expect(api.issues.at(-1)).toEqual({ number: 2, title: '壶 is hot', body: 'Take care ☕' });
  expect(lost).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('ada/none') } });
  expect(api.requests).toEqual(['GET /repos/ada/kettle/issues', 'POST /repos/ada/kettle/issues', 'POST /repos/ada/none/issues']);

  expect(readFileSync(path.join(host.dataDir, 'servers.json'), 'utf8')).toContain('${secret:GITHUB_PERSONAL_ACCESS_TOKEN}');
  expect(JSON.stringify([host.events, world.requests, host.log.lines])).not.toContain(token);
}, 60_000);

test('the public Postgres server over a real database: schemas as resources, queries behind cards, a write is an error told to the model', async (context) => {
  const bin = findPostgres();
  if (bin === null) return context.skip('PostgreSQL is not installed here.');
  const sql = "CREATE TABLE guests AS SELECT 1 AS id, 'Ada 阿达'::text AS name";
  const postgres = await startPostgres(bin, sql);
  const world = featureWorld([
    { calls: [{ tool: 'db.query', arguments: { sql: 'SELECT name FROM guests' } }] },
    { calls: [{ tool: 'db.query', arguments: { sql: 'DELETE FROM guests' } }] },
    { calls: [{ tool: 'db.query', arguments: { sql: 'SELECT count(*) AS left FROM guests' } }] },
    { text: 'Done.' },
  ]);
  const host = await world.start();
  const address = `postgres://${postgres.user}@${postgres.host}:${postgres.port}/postgres`;
  const serverId = await addLocal(host, 'db', [packageFile('server-postgres', 'dist/index.js'), address], {
    env: { PGPASSWORD: postgres.password },
  });
  expect((await detailsOf(host, serverId)).server.protocol).toMatchObject({ era: 'legacy', version: '2024-11-05' });
  const { resources } = await detailsOf(host, serverId);
  expect(resources.map(({ name }) => name)).toEqual(['"guests" database schema']);
  const uri = resources[0]?.uri ?? '';

  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Who is there?', attachments: [{ serverId, uri }] });
  for (const n of [0, 1, 2]) await allow(host, await host.until(card(n)));
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });

  const [message, answer] = await messagesOf(host, conversationId);
  expect(message?.parts[1]).toMatchObject({
    kind: 'attachment',
    content: [{ text: { text: expect.stringContaining('"column_name": "name"') } }],
  });
  const [read, written, left] = callsOf(answer);
  expect(read).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining('Ada 阿达') } }] });
  expect(written).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('read-only transaction') } });
  expect(left).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining('"left": "1"') } }] });
  expect(JSON.stringify(world.requests[2]?.messages)).toContain('read-only transaction');
  expect(JSON.stringify([host.events, world.requests, host.log.lines])).not.toContain(postgres.password);
}, 60_000);

test('the official library’s summarising server, which writes to stdout before it speaks: it uses the model through its card', async () => {
  const world = featureWorld([
    { text: 'A kettle whistles.', calls: [{ tool: 'summary.summarize', arguments: { text: 'A long story about a kettle.' } }] },
    { text: 'Done.' },
  ]);
  const host = await world.start();
  const serverId = await addLocal(host, 'summary', [packageFile('sdk', 'dist/esm/examples/server/toolWithSampleServer.js')]);
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Summarise it' });
  await allow(host, await host.until(card(0)));
  const asked = await host.until((event) => event.topic === 'approvals' && event.event.type === 'input.added' && event.event.input);
  expect(asked).toMatchObject({ kind: 'sampling', serverId, conversationId, sampling: { maxTokens: 500 } });
  await host.run('input.answer', { inputId: asked.id, answer: { action: 'accept', waiveResult: true } });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  const [call] = callsOf((await messagesOf(host, conversationId))[1]);
  expect(call).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining('A kettle whistles.') } }] });
  const { log } = await detailsOf(host, serverId);
  expect(log.some(({ text }) => text.includes('MCP server is running'))).toBe(true);
}, 60_000);
