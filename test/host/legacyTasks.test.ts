import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventMessage } from '../../preload/contract/events.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, turnEnd } from '../doubles/testHost.ts';
import { addLocal, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { testServer } from './mcp/harness.ts';

const hour = 60 * 60 * 1000;
const changed = (message: EventMessage) =>
  message.topic === 'servers' && message.event.type === 'task.changed' ? message.event.task : undefined;

/** A turn that calls tools of the server of 2025-11-25 with tasks, the first one allowed. */
async function begin(calls: { tool: string; arguments: Record<string, unknown> }[], more: string[] = []) {
  const folder = tempFolder();
  const world = featureWorld([{ calls: calls.map((call) => ({ ...call, tool: `Owls.${call.tool}` })) }, { text: 'Counted.' }]);
  const host = await world.start();
  const serverId = await addLocal(host, 'Owls', [testServer('legacyTasks'), folder, ...more]);
  for (const tool of new Set(calls.map((call) => call.tool))) await host.run('server.classifyTool', { serverId, tool, effects: ['reads'] });
  const conversationId = await chat(host, world.model);
  await host.run('turn.send', { conversationId, text: 'Count the owls' });
  await allow(host, await host.until(card(0)));
  return {
    world,
    host,
    folder,
    conversationId,
    asked: () => readFileSync(path.join(folder, 'asked.txt'), 'utf8').split('\n').filter(Boolean),
    finish: (file: string) => writeFileSync(file, ''),
  };
}
const inUntil = (file: string) => path.join(tempFolder(), file);

test('a tool that may run as a task does, and its result is there as soon as it has ended, however rarely the server may be asked', async () => {
  const until = inUntil('until');
  const { host, conversationId, asked, finish } = await begin([{ tool: 'survey', arguments: { until, pollMs: hour } }]);
  expect(await host.until(changed)).toMatchObject({ tool: 'survey', state: { status: 'working', message: 'counting' } });
  finish(until);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([
    { state: 'succeeded', content: [{ text: { text: 'nine owls' } }] },
  ]);
  expect(asked()).toEqual(['survey as task', 'tasks/result']);
});

test('a server that does not say that it takes tasks gets a plain call of the same tool', async () => {
  const { host, conversationId, asked } = await begin([{ tool: 'survey', arguments: {} }], ['noTasks']);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ content: [{ text: { text: 'nine owls, at once' } }] }]);
  expect(asked()).toEqual(['survey']);
});

test('a notice shortens the wait, and a result that the open request does not bring is asked for anew', async () => {
  const until = inUntil('until');
  const survey = { until, pollMs: hour, silent: true, notifies: true };
  const { host, conversationId, asked, finish } = await begin([{ tool: 'survey', arguments: survey }]);
  await expect.poll(asked).toContain('tasks/result');
  finish(until);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ content: [{ text: { text: 'nine owls' } }] }]);
  expect(asked()).toEqual(['survey as task', 'tasks/result', 'tasks/get', 'tasks/result']);
});

test('the progress of a task is heard after its call was answered, and still shown after a restart', async () => {
  const until = inUntil('until');
  const { world, host, conversationId, finish } = await begin([{ tool: 'survey', arguments: { until, progress: [0.25, 0.5] } }]);
  await host.until(
    (message) => message.topic === 'conversation' && message.event.type === 'call.progress' && message.event.progress.progress === 0.5,
  );
  expect((await host.run('task.list', {})).tasks).toMatchObject([{ progress: { progress: 0.5, total: 1 } }]);
  await expect.poll(() => world.keychain.entries.size).toBeGreaterThan(0);
  await host.close();
  const again = await world.start();
  expect((await again.run('task.list', {})).tasks).toMatchObject([
    { tool: 'survey', conversationId, progress: { progress: 0.5, total: 1 }, state: { message: 'counting' } },
  ]);
  finish(until);
  await again.until((message) => message.topic === 'servers' && message.event.type === 'task.ended');
  expect(callsOf((await messagesOf(again, conversationId))[1])).toMatchObject([{ state: 'succeeded' }]);
});

test('a question belongs to the task that it names, and one that names none to the call beside it', async () => {
  const until = inUntil('until');
  const { host, conversationId, finish } = await begin([
    { tool: 'survey', arguments: { until, ask: true } },
    { tool: 'plain', arguments: {} },
  ]);
  const asks = (text: string) => (message: EventMessage) =>
    message.topic === 'approvals' &&
    message.event.type === 'input.added' &&
    message.event.input.message.text === text &&
    message.event.input;
  const ofSurvey = await host.until(asks('Survey?'));
  await allow(host, await host.until(card(1)));
  const ofPlain = await host.until(asks('Plain?'));
  const [survey, plain] = callsOf((await messagesOf(host, conversationId))[1]);
  expect([ofSurvey.callId, ofPlain.callId]).toEqual([survey?.id, plain?.id]);
  for (const { id } of [ofPlain, ofSurvey]) await host.run('input.answer', { inputId: id, answer: { action: 'accept', content: {} } });
  finish(until);
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
});

test('cancelling reaches a server of 2025-11-25 as the cancelling of its task', async () => {
  const { host, conversationId, asked } = await begin([{ tool: 'survey', arguments: { until: inUntil('never') } }]);
  const { callId } = await host.until(changed);
  await host.run('task.cancel', { callId });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect(callsOf((await messagesOf(host, conversationId))[1])).toMatchObject([{ state: 'cancelled' }]);
  expect(asked()).toContain('tasks/cancel');
});
