import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { AuditFilter, AuditRow } from '../../preload/contract/audit.ts';
import type { ApprovalDecision } from '../../preload/contract/policy.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';

const canary = 'canary-5f2c9a7e';

/** A host with a server whose `note` writes a line to a file, and a model that calls it as often as `steps` say. */
async function world(calls: number) {
  const dir = tempFolder();
  const marks = path.join(dir, 'calls.txt');
  writeFileSync(marks, '');
  const serversFile = path.join(dir, 'servers.json');
  writeFileSync(
    serversFile,
    JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [path.resolve('test/servers/marks.ts'), marks] } } }),
  );
  const script = path.join(dir, 'script.json');
  const note = (n: number) => ({ calls: [{ tool: 'notes.note', arguments: { text: `${canary} ${n}` } }] });
  writeFileSync(script, JSON.stringify({ steps: [...Array.from({ length: calls }, (_, n) => note(n)), { text: 'done' }] }));
  const dataDir = path.join(dir, 'data');
  const keychain = memoryKeychain();
  const start = () => startTestHost({ dataDir, serversFile, scriptFiles: [script], ports: { keychain } });
  return {
    dir,
    marks,
    dataDir,
    keychain,
    start,
    model: `scripted:${script}`,
    calls: () => readFileSync(marks, 'utf8').split('\n').length - 1,
  };
}

async function chatOf(host: TestHost, model: string) {
  await host.serversReady();
  const { conversation } = await host.run('conversation.create', { model });
  await host.run('turn.send', { conversationId: conversation.id, text: 'go' });
  return conversation.id;
}

async function answer(host: TestHost, n: number, decision: ApprovalDecision) {
  const { id, argumentsHash } = await host.until(card(n));
  await host.run('approval.answer', { approvalId: id, argumentsHash, decision });
}

const told = ({ kind, tool, outcome, code, scope, summary }: AuditRow) =>
  [kind, tool, outcome, scope ?? code, ...(kind === 'trust.changed' ? [summary] : [])].filter((word) => word !== undefined).join(' ');

/** Oldest first, without what naming a file of servers says of them by itself. */
async function rowsOf(host: TestHost) {
  const { rows } = await host.run('audit.list', { limit: 500 });
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => rows.length - index));
  return rows.filter((row) => row.kind !== 'start.answered' && row.kind !== 'definition.accepted').toReversed();
}

test('every call stands in the log twice, as it was decided and as it ended, with whoever decided it', async () => {
  const { start, model } = await world(3);
  const host = await start();
  await host.serversReady();
  const [server] = (await host.run('server.list', {})).servers;
  await host.run('server.classifyTool', { serverId: server!.id, tool: 'note', effects: ['reads'] });
  const chat = await chatOf(host, model);
  await answer(host, 0, { kind: 'deny', reason: `not ${canary}` });
  await answer(host, 1, { kind: 'allow', scope: 'chat' });
  await host.until(turnEnd(chat));

  const rows = await rowsOf(host);
  expect(rows.map(told)).toEqual([
    'trust.changed note effects reads',
    'call.answered note denied noRule',
    'call.answered note allowed chat',
    'rule.added note chat',
    'call.ended note succeeded',
    'call.decided note allowed ruleAllows',
    'call.ended note succeeded',
  ]);
  expect(rows.filter((row) => row.callId !== undefined).every((row) => row.chat === 'go' && row.serverName === 'notes')).toBe(true);
  expect((await host.run('audit.verify', {})).check).toMatchObject({ state: 'intact', rows: rows.at(-1)!.seq });
});

test('rules that go with their server are told of as well', async () => {
  const host = await startTestHost();
  const { server } = await host.run('server.addBundled', { bundled: 'memory', folderIds: [] });
  await host.run('rule.add', { rule: { serverId: server.id, tool: '*', verdict: 'deny', scope: 'always', patterns: [] } });
  await host.run('server.remove', { serverId: server.id });
  const rows = await rowsOf(host);
  expect(rows.map(told)).toEqual(['rule.added * always', 'rule.removed * always']);
  expect(rows[1]).toMatchObject({ serverId: server.id, serverName: server.name, verdict: 'deny', ruleId: rows[0]?.ruleId });
});

test('a call is not made when its row cannot be written, nor does an answer count', async () => {
  const { start, model, dataDir, calls } = await world(1);
  const host = await start();
  const chat = await chatOf(host, model);
  const asked = await host.until(card(0));
  const other = new Database(path.join(dataDir, 'maitre.db'));
  other.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'no room'); END");
  const allow = { approvalId: asked.id, argumentsHash: asked.argumentsHash, decision: { kind: 'allow', scope: 'once' } } as const;
  expect(await host.refused('approval.answer', allow)).toMatchObject({ code: 'internal', detail: 'no room' });
  expect((await host.run('approval.list', {})).approvals).toHaveLength(1);
  expect(calls()).toBe(0);
  other.exec('DROP TRIGGER full');
  other.close();
  await host.run('approval.answer', allow);
  await host.until(turnEnd(chat));
  expect(calls()).toBe(1);
});

test('no argument, no result and no secret stands in a row or in what is exported', async () => {
  const { start, model, dataDir } = await world(2);
  const host = await start();
  await host.serversReady();
  const [server] = (await host.run('server.list', {})).servers;
  await host.run('secret.set', { owner: { kind: 'server', serverId: server!.id, name: 'TOKEN' }, value: canary });
  const chat = await chatOf(host, model);
  await answer(host, 0, { kind: 'allow', scope: 'once' });
  await answer(host, 1, { kind: 'deny', reason: canary });
  await host.until(turnEnd(chat));
  const { jsonl, rows, next } = await host.run('audit.export', {});
  expect({ rows, next }).toEqual({ rows: (await rowsOf(host)).at(-1)!.seq, next: undefined });
  const lines = jsonl
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map((line) => line['seq'])).toEqual(lines.map((_, index) => index + 1));
  expect(lines.find((line) => line['kind'] === 'call.answered')).toMatchObject({
    tool: 'note',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    mac: expect.any(String),
  });
  await host.close();
  const db = new Database(path.join(dataDir, 'maitre.db'), { readonly: true });
  expect(JSON.stringify([jsonl, db.prepare('SELECT * FROM audit').all()])).not.toContain(canary);
  db.close();
});

test('the log is found by server, kind, verdict, words and time, page by page, and outlives the chat', async () => {
  const { start, model } = await world(4);
  const host = await start();
  const chat = await chatOf(host, model);
  for (const n of [0, 1, 2]) await answer(host, n, { kind: 'allow', scope: 'once' });
  await answer(host, 3, { kind: 'deny' });
  await host.until(turnEnd(chat));
  const all = await rowsOf(host);
  expect(all.map((row) => row.kind)).toEqual([...Array.from({ length: 3 }, () => ['call.answered', 'call.ended']).flat(), 'call.answered']);
  const seqs = all.map((row) => row.seq);
  const ofCalls: AuditFilter = { kinds: ['call.answered', 'call.ended'] };
  const find = async (filter: Parameters<typeof host.run<'audit.list'>>[1]['filter']) =>
    (await host.run('audit.list', { filter })).rows.map((row) => row.seq);
  expect(await find({ verdict: 'deny' })).toEqual([seqs[6]]);
  expect(await find({ kinds: ['call.ended'] })).toEqual([seqs[5], seqs[3], seqs[1]]);
  expect(await find({ ...ofCalls, text: 'NOTE notes' })).toEqual(seqs.toReversed());
  expect(await find({ text: '100%' })).toEqual([]);
  expect(await find({ from: all[2]!.at, to: all[2]!.at })).toContain(seqs[2]);
  expect(await find({ serverId: all[0]!.serverId!, kinds: ['call.ended'] })).toHaveLength(3);

  const first = await host.run('audit.list', { filter: ofCalls, limit: 3 });
  expect([first.rows.map((row) => row.seq), first.hasMore]).toEqual([[seqs[6], seqs[5], seqs[4]], true]);
  const last = await host.run('audit.list', { filter: ofCalls, limit: 4, before: seqs[4]! });
  expect([last.rows.map((row) => row.seq), last.hasMore]).toEqual([[seqs[3], seqs[2], seqs[1], seqs[0]], false]);

  await host.run('conversation.delete', { conversationId: chat });
  const kept = await rowsOf(host);
  expect(kept).toHaveLength(7);
  expect(kept.every((row) => row.chat === undefined)).toBe(true);
  expect((await host.run('audit.verify', {})).check.state).toBe('intact');
});

test('a quit leaves the keychain the head of the log, and rows that go missing then are named', async () => {
  const { start, model, dataDir } = await world(1);
  const host = await start();
  const chat = await chatOf(host, model);
  await answer(host, 0, { kind: 'allow', scope: 'once' });
  await host.until(turnEnd(chat));
  await host.close();
  const db = new Database(path.join(dataDir, 'maitre.db'));
  db.exec('DROP TRIGGER audit_only_grows; DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)');
  db.close();
  const again = await start();
  await expect.poll(async () => (await rowsOf(again)).map(told)).toEqual(['call.answered note allowed once', 'log.damaged truncated']);
  const damaged = (await rowsOf(again)).at(-1)!;
  expect((await again.run('audit.verify', {})).check).toMatchObject({ state: 'broken', seq: damaged.seq });
});
