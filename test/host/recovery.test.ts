import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { EventMessage } from '../../preload/contract/events.ts';
import type { ToolCall } from '../../preload/contract/calls.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, turnEnd, type TestHost } from '../doubles/testHost.ts';

const program = path.resolve('test/host/programs/hostInAProcess.ts');

/** A server whose tool `wait` writes to a file that it was called and never answers; `note` writes and answers. */
function world() {
  const dir = tempFolder();
  const marks = path.join(dir, 'calls.txt');
  writeFileSync(marks, '');
  const serversFile = path.join(dir, 'servers.json');
  writeFileSync(
    serversFile,
    JSON.stringify({ mcpServers: { slow: { command: process.execPath, args: [path.resolve('test/servers/marks.ts'), marks] } } }),
  );
  const script = path.join(dir, 'script.json');
  return { dir, marks, serversFile, script, dataDir: path.join(dir, 'data') };
}

async function killedWhen(given: ReturnType<typeof world>, steps: unknown[], answer: 'allow' | 'wait', when: (call: ToolCall) => boolean) {
  writeFileSync(given.script, JSON.stringify({ steps }));
  const child = spawn(process.execPath, [program, given.dataDir, given.serversFile, given.script, answer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const message = EventMessage.parse(JSON.parse(line));
    if (message.topic !== 'conversation' || message.event.type !== 'part.changed' || message.event.part.kind !== 'call') continue;
    if (!when(message.event.part.call)) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
    return message.conversationId;
  }
  throw new Error('The host ended before the moment came.');
}

const restart = (given: ReturnType<typeof world>) =>
  startTestHost({ dataDir: given.dataDir, serversFile: given.serversFile, scriptFiles: [given.script] });

async function openChat(host: TestHost, conversationId: Parameters<typeof turnEnd>[0]) {
  const { messages } = await host.run('conversation.open', { conversationId });
  const turn = messages[1]?.turn;
  const calls = messages[1]?.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])) ?? [];
  if (!turn) throw new Error('There is no turn.');
  return { turn, calls };
}

test('a card that a crash closed is asked again, and only then the call is made', async () => {
  const given = world();
  const steps = [{ calls: [{ tool: 'slow.note', arguments: { text: 'once' } }] }, { text: 'noted' }];
  const chat = await killedWhen(given, steps, 'wait', (call) => call.state === 'awaitingApproval');
  const host = await restart(given);
  const { turn, calls } = await openChat(host, chat);
  expect(turn.state).toBe('interrupted');
  expect(calls).toMatchObject([{ state: 'interrupted', was: 'awaitingApproval' }]);
  expect((await host.run('approval.list', {})).approvals).toEqual([]);

  await host.run('call.askAgain', { callId: calls[0]!.id });
  const asked = await host.until(card(0));
  expect(JSON.parse(asked.arguments.text)).toEqual({ text: 'once' });
  expect(readFileSync(given.marks, 'utf8')).toBe('');
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'once' },
  });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(readFileSync(given.marks, 'utf8')).toBe('note once\n');
});

test('a call that ran when the application was killed is never repeated; the model is told that its outcome is unknown', async () => {
  const given = world();
  const steps = [{ calls: [{ tool: 'slow.wait', arguments: {} }] }, { text: 'I do not know.' }];
  const chat = await killedWhen(given, steps, 'allow', (call) => call.state === 'running');
  const requests: string[] = [];
  const host = await startTestHost({
    dataDir: given.dataDir,
    serversFile: given.serversFile,
    scriptFiles: [given.script],
    onModelRequest: (request) => requests.push(JSON.stringify(request.messages)),
  });
  const { turn, calls } = await openChat(host, chat);
  expect(calls).toMatchObject([{ state: 'interrupted', was: 'running' }]);
  expect((await host.refused('call.askAgain', { callId: calls[0]!.id })).code).toBe('wrongState');
  await host.run('turn.continue', { turnId: turn.id });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toContain('The outcome of this call is unknown');
  expect(readFileSync(given.marks, 'utf8').split('\n').filter(Boolean).length).toBeLessThanOrEqual(1);
});

test('a turn that waits when Maitre quits can be continued after the restart', async () => {
  const given = world();
  writeFileSync(given.script, JSON.stringify({ steps: [{ calls: [{ tool: 'slow.note', arguments: { text: 'x' } }] }, { text: 'ok' }] }));
  const first = await restart(given);
  await first.serversReady();
  const chat = (await first.run('conversation.create', { model: `scripted:${given.script}` })).conversation.id;
  await first.run('turn.send', { conversationId: chat, text: 'go' });
  await first.until(card(0));
  await first.close();
  const host = await restart(given);
  const { turn, calls } = await openChat(host, chat);
  expect(turn.state).toBe('interrupted');
  expect(calls).toMatchObject([{ state: 'interrupted', was: 'awaitingApproval' }]);
  await host.run('turn.continue', { turnId: turn.id });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(readFileSync(given.marks, 'utf8')).toBe('');
});

test('a call of a request that a crash cut off is a step of its own: what follows it is not asked for twice', async () => {
  const given = world();
  const note = (text: string) => ({ calls: [{ tool: 'slow.note', arguments: { text } }] });
  writeFileSync(given.script, JSON.stringify({ steps: [note('a'), note('b'), { text: 'done' }] }));
  const first = await restart(given);
  await first.serversReady();
  const chat = (await first.run('conversation.create', { model: `scripted:${given.script}` })).conversation.id;
  await first.run('turn.send', { conversationId: chat, text: 'go' });
  await first.until(card(0));
  await first.close();
  // As a kill leaves it between the row of the call and the end of the request that asked for it.
  const db = new Database(path.join(given.dataDir, 'maitre.db'));
  db.exec(
    "DELETE FROM steps; UPDATE turns SET steps = 0, state = 'running'; UPDATE calls SET state = 'proposed', state_data = NULL, ended_at = NULL",
  );
  db.close();

  const host = await restart(given);
  await host.serversReady();
  const { turn, calls } = await openChat(host, chat);
  expect(calls).toMatchObject([{ state: 'interrupted', was: 'proposed' }]);
  await host.run('turn.continue', { turnId: turn.id });
  const asked = await host.until(card(0));
  expect(JSON.parse(asked.arguments.text)).toEqual({ text: 'b' });
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'turn' },
  });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(readFileSync(given.marks, 'utf8')).toBe('note b\n');
  expect((await openChat(host, chat)).calls.map((call) => call.step)).toEqual([0, 1]);
});
