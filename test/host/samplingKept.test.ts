import { expect, test } from 'vitest';
import { ConversationId, ServerId } from '../../preload/contract/ids.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import { createQuestionLimits, maxSamplingPerTurn, maxTokensPerTurn } from '../../main/host/policy/questionLimits.ts';
import { deleteConversation } from '../../main/host/store/conversations.ts';
import { addWaiver, getSamplingUsed, hasWaiver, setSamplingUsed } from '../../main/host/store/samplingRows.ts';
import { deleteServerRows, removeGrants } from '../../main/host/store/serverRows.ts';
import { handClock, insertConversation, insertMessage, tempDatabase } from '../doubles/hostParts.ts';
import { card, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { addLocal, allow, callsOf, chat, featureWorld, messagesOf } from './featureWorld.ts';
import { testServer } from './mcp/harness.ts';

const asks = [
  {
    calls: [
      {
        tool: 'asks.ask',
        arguments: {
          method: 'sampling/createMessage',
          params: { messages: [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }], maxTokens: 30 },
        },
      },
    ],
  },
  { text: 'An owl.' },
  { text: 'Done.' },
];

/** Sends a message, allows the call, and resolves with the question of its server. */
async function asked(host: TestHost, conversationId: ConversationId, text: string, n: number) {
  await host.run('turn.send', { conversationId, text });
  await allow(host, await host.until(card(n)));
  let seen = 0;
  return host.until((message: EventMessage) => {
    if (message.topic !== 'approvals' || message.event.type !== 'input.added') return undefined;
    return message.event.input.kind === 'sampling' && seen++ === n ? message.event.input : undefined;
  });
}

test('the second look that was waived for a chat and a server stays waived over a restart, stands on the server’s page, and comes back when the person says so', async () => {
  const world = featureWorld(asks);
  const first = await world.start();
  const serverId = await addLocal(first, 'asks', [testServer('askAnything')]);
  const conversationId = await chat(first, world.model);
  const question = await asked(first, conversationId, 'Go', 0);
  await first.run('input.answer', { inputId: question.id, answer: { action: 'accept', waiveResult: true } });
  expect(await first.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  expect((await first.run('server.clientFeatures', { serverId })).features.waivers).toMatchObject([{ conversationId }]);
  await first.close();

  const host = await world.start();
  await host.serversReady();
  const again = await asked(host, conversationId, 'Once more', 0);
  await host.run('input.answer', { inputId: again.id, answer: { action: 'accept' } });
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  const [call] = callsOf((await messagesOf(host, conversationId)).at(-1));
  expect(call).toMatchObject({ state: 'succeeded', content: [{ text: { text: expect.stringContaining('"role":"assistant"') } }] });
  const looked = (message: EventMessage) =>
    message.topic === 'approvals' && message.event.type === 'input.changed' && message.event.input.stage === 'result';
  expect(host.events.filter(looked)).toEqual([]);

  const { features } = await host.run('server.setClientFeatures', { serverId, withdrawWaiver: conversationId });
  expect(features.waivers).toEqual([]);
  const third = await asked(host, conversationId, 'And again', 1);
  await host.run('input.answer', { inputId: third.id, answer: { action: 'accept' } });
  await host.until(looked);
}, 60_000);

test('the activity log says of a question to a model and of its answer what was sent, what was changed before, and what was kept back', async () => {
  const world = featureWorld([...asks, ...asks]);
  const host = await world.start();
  await addLocal(host, 'asks', [testServer('askAnything')]);
  const conversationId = await chat(host, world.model);
  let seen = 0;
  const looked = () => {
    let at = 0;
    const wanted = seen++;
    return host.until((message: EventMessage) => {
      if (message.topic !== 'approvals' || message.event.type !== 'input.changed' || message.event.input.stage !== 'result')
        return undefined;
      return at++ === wanted ? message.event.input : undefined;
    });
  };
  const first = await asked(host, conversationId, 'Go', 0);
  const editedMessages = [{ message: 0, block: 0, text: 'Sum up kindly.' }];
  await host.run('input.answer', { inputId: first.id, answer: { action: 'accept', editedMessages } });
  await looked();
  const editedResult = [{ block: 0, text: 'A kind owl.' }];
  await host.run('input.answer', { inputId: first.id, answer: { action: 'accept', stage: 'result', editedResult } });
  await host.until(turnEnd(conversationId));
  const second = await asked(host, conversationId, 'Again', 1);
  await host.run('input.answer', { inputId: second.id, answer: { action: 'accept' } });
  await looked();
  await host.run('input.answer', { inputId: second.id, answer: { action: 'decline' } });
  const { rows: told } = await host.run('audit.list', { filter: { kinds: ['input.answered'] } });
  expect(told.map(({ outcome }) => outcome).toReversed()).toEqual(['accepted edited', 'sent edited', 'accepted', 'withheld']);
  expect(JSON.stringify(told)).not.toMatch(/kind(ly| owl)/);
}, 60_000);

const [one, two] = [ServerId.parse('one'), ServerId.parse('two')];
const [chatOne, chatTwo] = [ConversationId.parse('c'), ConversationId.parse('d')];

function rows() {
  const { db } = tempDatabase();
  for (const id of [chatOne, chatTwo]) insertConversation(db, id);
  insertMessage(db, 'm', chatOne);
  db.exec(`INSERT INTO messages (id, conversation_id, parent_id, role, created_at) VALUES ('a', 'c', 'm', 'assistant', 2);
    INSERT INTO turns (id, conversation_id, user_message_id, assistant_message_id, state, model, step_limit, started_at)
      VALUES ('t', 'c', 'm', 'a', 'running', 'demo', 25, 1)`);
  return db;
}

test('what a server has used of the model in a turn is counted on after a restart, each server and turn for itself', () => {
  const db = rows();
  const kept = {
    get: (serverId: ServerId, turn: string) => getSamplingUsed(db, serverId, turn),
    set: (serverId: ServerId, turn: string, used: { requests: number; tokens: number }) => setSamplingUsed(db, serverId, turn, used),
  };
  const whole = { requests: maxSamplingPerTurn, tokens: maxTokensPerTurn };
  const before = createQuestionLimits(handClock(), kept);
  before.countSampling(one, 't', 1000)(400);
  // It went out and never came back.
  before.countSampling(one, 't', 5000);
  before.countSampling(one, 'hour 7', 5000);
  const after = createQuestionLimits(handClock(), kept);
  expect(after.samplingLeft(one, 't')).toEqual({ requests: maxSamplingPerTurn - 2, tokens: maxTokensPerTurn - 5400 });
  expect(after.samplingLeft(two, 't')).toEqual(whole);
  // Outside any turn there is none that could go on.
  expect(after.samplingLeft(one, 'hour 7')).toEqual(whole);
});

test('waivers and what was used go with the chat and with the server; a chat without a row keeps none', () => {
  const db = rows();
  for (const server of [one, two]) for (const id of [chatOne, chatTwo]) addWaiver(db, server, id, 1);
  addWaiver(db, one, ConversationId.parse('nowhere'), 1);
  expect(hasWaiver(db, one, ConversationId.parse('nowhere'))).toBe(false);
  for (const server of [one, two]) setSamplingUsed(db, server, 't', { requests: 1, tokens: 1 });
  deleteServerRows(db, one);
  const left = () => [one, two].flatMap((server) => [chatOne, chatTwo].map((id) => hasWaiver(db, server, id)));
  expect(left()).toEqual([false, false, true, true]);
  expect(getSamplingUsed(db, one, 't')).toBeUndefined();
  deleteConversation(db, chatOne);
  expect(left()).toEqual([false, false, false, true]);
  expect(getSamplingUsed(db, two, 't')).toBeUndefined();
});

test('another program under the same entry inherits no waiver', () => {
  const db = rows();
  for (const server of [one, two]) addWaiver(db, server, chatOne, 1);
  removeGrants(db, one);
  expect([hasWaiver(db, one, chatOne), hasWaiver(db, two, chatOne)]).toEqual([false, true]);
});
