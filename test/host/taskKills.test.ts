import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { databaseFile, openReadOnly } from '../../main/host/store/database.ts';
import { EventMessage } from '../../preload/contract/events.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import { fileKeychain } from '../doubles/fileKeychain.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { startGateway } from '../servers/gateway.ts';
import { addLocal, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { testServer } from './mcp/harness.ts';

const program = path.resolve('test/host/programs/hostInAProcess.ts');

/** A person's folders for a host in a process of its own, whose model calls one tool of one server. */
function world(server: Record<string, unknown>, call: { tool: string; arguments: Record<string, unknown> }) {
  const dir = tempFolder();
  const [dataDir, serversFile, script, keychain] = ['data', 'servers.json', 'script.json', 'keychain.json'].map((name) =>
    path.join(dir, name),
  ) as [string, string, string, string];
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { Lab: server } }));
  writeFileSync(script, JSON.stringify({ steps: [{ calls: [call] }, { text: 'That is it.' }] }));
  return { dataDir, serversFile, script, keychain };
}
type World = ReturnType<typeof world>;

/** Runs a host until the database knows its task, and kills it then. */
async function killedInTask({ dataDir, serversFile, script, keychain }: World): Promise<ConversationId> {
  const child = spawn(process.execPath, [program, dataDir, serversFile, script, 'allow', keychain], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const message = EventMessage.parse(JSON.parse(line));
    if (message.topic !== 'servers' || message.event.type !== 'task.changed') continue;
    await expect.poll(() => tasksIn(dataDir)).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return message.event.task.conversationId;
  }
  throw new Error('The host ended before its task began.');
}

function tasksIn(dataDir: string): number {
  const db = openReadOnly(databaseFile(dataDir));
  try {
    return Number(db.prepare('SELECT count(*) FROM tasks').pluck().get());
  } finally {
    db.close();
  }
}

const restart = ({ dataDir, serversFile, script, keychain }: World): Promise<TestHost> =>
  startTestHost({ dataDir, serversFile, scriptFiles: [script], ports: { keychain: fileKeychain(keychain) } });

/** Nobody was asked again, the result stands in the chat, and the model gets it with Continue. */
async function endsUnderItsApproval(host: TestHost, conversationId: ConversationId, result: string): Promise<void> {
  await host.until((message) => message.topic === 'servers' && message.event.type === 'task.ended');
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', reason: { verdict: 'ask' }, content: [{ text: { text: result } }] },
  ]);
  expect(host.events.some((event) => event.topic === 'approvals' && event.event.type === 'approval.added')).toBe(false);
  expect((await host.run('task.list', {})).tasks).toEqual([]);
  expect(tasksIn(host.dataDir)).toBe(0);
  const turn = (await messagesOf(host, conversationId))[1]?.turn;
  if (turn?.state !== 'interrupted') throw new Error(`The turn is ${turn?.state}.`);
  await host.run('turn.continue', { turnId: turn.id });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
}

test('a task at a server that lives on is followed under its approval after the application was killed, and done once', async () => {
  const lab = await startGateway();
  onTestFinished(() => lab.close());
  const given = world({ url: lab.url }, { tool: 'Lab.research', arguments: { topic: 'owls' } });
  const conversationId = await killedInTask(given);
  const [record] = Object.values(lab.store.tasks);
  if (!record) throw new Error('There is no task.');
  expect(record.status).toBe('working');
  const polls = record.polls;
  const host = await restart(given);
  await expect.poll(() => record.polls).toBeGreaterThan(polls);
  record.status = 'completed';
  await endsUnderItsApproval(host, conversationId, 'found {}');
  expect(lab.store.ledger).toEqual(['research owls']);
});

test('a task of a program that died with the application is found again where the program kept it', async () => {
  const folder = tempFolder();
  const until = path.join(folder, 'until');
  const given = world(
    { command: process.execPath, args: [testServer('legacyTasks'), folder] },
    { tool: 'Lab.survey', arguments: { until } },
  );
  const conversationId = await killedInTask(given);
  const host = await restart(given);
  await host.until(
    (message) => message.topic === 'servers' && message.event.type === 'server.changed' && message.event.server.status.state === 'ready',
  );
  writeFileSync(until, '');
  await endsUnderItsApproval(host, conversationId, 'nine owls');
  expect(asked(folder).filter((line) => line.startsWith('survey'))).toEqual(['survey as task']);
});

test('a program that is killed during its task is started again, and the task is followed there to its end', async () => {
  const folder = tempFolder();
  const until = path.join(folder, 'until');
  const given = featureWorld([{ calls: [{ tool: 'Lab.survey', arguments: { until } }] }, { text: 'That is it.' }]);
  const host = await given.start();
  await addLocal(host, 'Lab', [testServer('legacyTasks'), folder]);
  const conversationId = await chat(host, given.model);
  await host.run('turn.send', { conversationId, text: 'Count' });
  await allow(host, await host.until(card(0)));
  await expect.poll(() => asked(folder)).toContain('tasks/result');
  const pid = pidIn(folder);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => pidIn(folder)).not.toBe(pid);
  writeFileSync(until, '');
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: 'nine owls' } }] },
  ]);
  expect(asked(folder).filter((line) => line.startsWith('survey'))).toEqual(['survey as task']);
});

const asked = (folder: string): string[] => {
  const file = path.join(folder, 'asked.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};
const pidIn = (folder: string): number => Number(readFileSync(path.join(folder, 'pid.txt'), 'utf8'));
