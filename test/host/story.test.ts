import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Message } from '../../preload/contract/conversations.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, turnEnd, type TestHost } from '../doubles/testHost.ts';

/** A home with two files and a script over the Files server. */
function world(steps: unknown[]) {
  const home = tempFolder();
  const docs = path.join(home, 'docs');
  mkdirSync(docs);
  writeFileSync(path.join(docs, 'alpha.txt'), 'first');
  writeFileSync(path.join(docs, 'beta 二.txt'), 'second');
  const script = path.join(home, 'script.json');
  writeFileSync(script, JSON.stringify({ steps }));
  return { home, docs, script, dataDir: path.join(home, 'data'), model: `scripted:${script}` };
}

async function start(given: ReturnType<typeof world>): Promise<TestHost> {
  return startTestHost({
    dataDir: given.dataDir,
    scriptFiles: [given.script],
    ports: { paths: { ...nodePorts({ env: {}, dataDir: given.dataDir }).paths, home: given.home } },
  });
}

async function addFiles(host: TestHost) {
  const { entries } = await host.run('folder.browse', {});
  const docs = entries.find((entry) => entry.name === 'docs');
  if (!docs) throw new Error('The folder is not listed.');
  const { server } = await host.run('server.addBundled', { bundled: 'files', folderIds: [docs.id] });
  await host.serversReady();
  return server;
}

const callsOf = (message: Message | undefined) => message?.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])) ?? [];
const textOf = (message: Message | undefined) =>
  message?.parts.flatMap((part) => (part.kind === 'text' ? [part.text.text] : [])).join('\n') ?? '';

test('first run to restart: a call is allowed, the next one denied, the model is told, and both are in the history', async () => {
  const given = world([]);
  writeFileSync(
    given.script,
    JSON.stringify({
      steps: [
        { text: 'Looking.', calls: [{ tool: 'Files.list_directory', arguments: { path: given.docs } }] },
        { calls: [{ tool: 'Files.read_text_file', arguments: { path: path.join(given.docs, 'alpha.txt') } }] },
        { text: 'Two files are there.' },
      ],
    }),
  );
  const host = await start(given);
  await addFiles(host);
  const { conversation } = await host.run('conversation.create', { model: given.model });
  await host.run('turn.send', { conversationId: conversation.id, text: 'list the files in docs' });

  const first = await host.until(card(0));
  expect(JSON.parse(first.arguments.text)).toEqual({ path: given.docs });
  expect(first).toMatchObject({ serverName: 'Files', tool: 'list_directory', effects: { set: ['reads'], source: 'profile' } });
  await host.run('approval.answer', {
    approvalId: first.id,
    argumentsHash: first.argumentsHash,
    decision: { kind: 'allow', scope: 'once' },
  });

  const second = await host.until(card(1));
  expect(second.tool).toBe('read_text_file');
  const wrong = await host.refused('approval.answer', {
    approvalId: second.id,
    argumentsHash: first.argumentsHash,
    decision: { kind: 'allow', scope: 'once' },
  });
  expect(wrong.code).toBe('wrongHash');
  await host.run('approval.answer', {
    approvalId: second.id,
    argumentsHash: second.argumentsHash,
    decision: { kind: 'deny', reason: 'not that one' },
  });
  const late = await host.refused('approval.answer', {
    approvalId: second.id,
    argumentsHash: second.argumentsHash,
    decision: { kind: 'allow', scope: 'once' },
  });
  expect(late).toMatchObject({ code: 'alreadyAnswered', detail: 'denied' });
  expect(await host.until(turnEnd(conversation.id))).toMatchObject({ state: 'done', steps: 3 });
  await host.close();

  const again = await start(given);
  const { conversations } = await again.run('conversation.list', {});
  expect(conversations).toMatchObject([{ title: 'list the files in docs', activity: 'idle' }]);
  const { messages } = await again.run('conversation.open', { conversationId: conversation.id });
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
  const [listed, denied] = callsOf(messages[1]);
  expect(listed).toMatchObject({ state: 'succeeded', reason: { verdict: 'ask', code: 'noRule' } });
  expect(JSON.stringify(listed)).toContain('beta 二.txt');
  expect(denied).toMatchObject({ state: 'denied', by: 'user', message: 'not that one' });
  expect(textOf(messages[1])).toContain('Two files are there.');
  const { hits } = await again.run('conversation.search', { query: 'files' });
  expect(hits.length).toBeGreaterThan(0);
});

test('the model is told of a denial and of an outcome, in words', async () => {
  const given = world([
    { calls: [{ tool: 'Files.list_allowed_directories', arguments: {} }] },
    {
      calls: [
        { tool: 'Files.no_such_tool', arguments: {} },
        { tool: 'Files.read_text_file', arguments: { wrong: 1 } },
      ],
    },
    { calls: [{ tool: 'Files.read_text_file', argumentsText: '{"path": "unfin' }] },
    { text: 'done' },
  ]);
  const requests: { messages: unknown }[] = [];
  const host = await startTestHost({
    dataDir: given.dataDir,
    scriptFiles: [given.script],
    ports: { paths: { ...nodePorts({ env: {}, dataDir: given.dataDir }).paths, home: given.home } },
    onModelRequest: (request) => requests.push(structuredClone({ messages: request.messages })),
  });
  await addFiles(host);
  const { conversation } = await host.run('conversation.create', { model: given.model });
  await host.run('turn.send', { conversationId: conversation.id, text: 'go' });
  const asked = await host.until(card(0));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'deny', reason: 'I would rather not' },
  });
  await host.until(turnEnd(conversation.id));
  const told = requests.map((request) => JSON.stringify(request.messages));
  expect(told[1]).toContain('The user denied this call. It was not made. The user says: I would rather not');
  expect(told[2]).toContain('There is no tool named');
  expect(told[2]).toContain('do not fit the schema');
  expect(told[3]).toContain('no JSON object');
  const { messages } = await host.run('conversation.open', { conversationId: conversation.id });
  expect(callsOf(messages[1]).map((call) => (call.state === 'failed' ? call.error.code : call.state))).toEqual([
    'denied',
    'unknownTool',
    'invalidArguments',
    'invalidArguments',
  ]);
});

test('a permission for the chat lets the next call pass, one for good is kept over a restart, and both can be taken back', async () => {
  const given = world([]);
  const list = { tool: 'Files.list_directory', arguments: { path: given.docs } };
  writeFileSync(given.script, JSON.stringify({ steps: [{ calls: [list] }, { calls: [list] }, { text: 'done' }] }));
  const host = await start(given);
  await addFiles(host);
  const chat = (await host.run('conversation.create', { model: given.model })).conversation.id;
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  const asked = await host.until(card(0));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'always' },
  });
  await host.until(turnEnd(chat));
  const { messages } = await host.run('conversation.open', { conversationId: chat });
  expect(callsOf(messages[1]).map((call) => call.reason?.code)).toEqual(['noRule', 'ruleAllows']);
  await host.close();

  const again = await start(given);
  const { rules } = await again.run('rule.list', {});
  expect(rules).toMatchObject([{ serverName: 'Files', tool: 'list_directory', scope: 'always', uses: 1 }]);
  const other = (await again.run('conversation.create', { model: given.model })).conversation.id;
  await again.run('turn.send', { conversationId: other, text: 'go' });
  expect(await again.until(turnEnd(other))).toMatchObject({ state: 'done' });
  expect(again.events.some((message) => message.topic === 'approvals')).toBe(false);
  await again.run('rule.remove', { ruleId: rules[0]!.id });
  await again.run('turn.send', { conversationId: other, text: 'again' });
  await again.until(card(0));
});

test('a stopped turn ends its card, and a turn that meets the step limit goes on with one command', async () => {
  const given = world([]);
  const list = { tool: 'Files.list_directory', arguments: { path: given.docs } };
  writeFileSync(given.script, JSON.stringify({ steps: [{ calls: [list] }, { calls: [list] }, { calls: [list] }, { text: 'all done' }] }));
  const host = await start(given);
  await addFiles(host);
  const chat = (await host.run('conversation.create', { model: given.model })).conversation.id;
  const { turnId } = await host.run('turn.send', { conversationId: chat, text: 'go' });
  await host.until(card(0));
  await host.run('turn.stop', { turnId });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'stopped' });
  const stopped = await host.run('conversation.open', { conversationId: chat });
  expect(callsOf(stopped.messages[1])).toMatchObject([{ state: 'cancelled' }]);
  expect((await host.run('approval.list', {})).approvals).toEqual([]);

  await host.run('settings.set', { patch: { stepLimit: 1 } });
  const second = await host.run('turn.send', { conversationId: chat, text: 'again' });
  const asked = await host.until(card(1));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'chat' },
  });
  expect(await host.until(turnEnd(chat, 1))).toMatchObject({ state: 'stepLimit', steps: 1 });
  await host.run('settings.set', { patch: { stepLimit: 10 } });
  await host.run('turn.continue', { turnId: second.turnId });
  expect(await host.until(turnEnd(chat, 2))).toMatchObject({ id: second.turnId, state: 'done', steps: 4 });
});

test('a repeated command gets the first answer and does nothing again', async () => {
  const given = world([{ text: 'hello' }]);
  const host = await start(given);
  const chat = (await host.run('conversation.create', { model: given.model })).conversation.id;
  const send = () => host.host.invoke('turn.send', { commandId: 'same', conversationId: chat, text: 'hi' });
  const [first, second] = await Promise.all([send(), send()]);
  expect(first).toEqual(second);
  await host.until(turnEnd(chat));
  expect(await send()).toEqual(first);
  expect((await host.run('conversation.open', { conversationId: chat })).messages).toHaveLength(2);
});

test('an edited message begins a new branch, and the old one can be shown again', async () => {
  const given = world([{ text: 'answer' }]);
  const host = await start(given);
  const chat = (await host.run('conversation.create', { model: given.model })).conversation.id;
  const { messageId: old } = await host.run('turn.send', { conversationId: chat, text: 'first wording' });
  await host.until(turnEnd(chat));
  await host.run('turn.send', { conversationId: chat, text: 'second wording', parentId: null });
  await host.until(turnEnd(chat, 1));
  const edited = await host.run('conversation.open', { conversationId: chat });
  expect(textOf(edited.messages[0])).toBe('second wording');
  expect(edited.messages[0]?.siblings).toHaveLength(2);
  await host.run('conversation.showBranch', { conversationId: chat, messageId: old });
  const shown = await host.run('conversation.open', { conversationId: chat });
  expect(shown.messages.map(textOf)).toEqual(['first wording', 'answer']);
});

test('bad input from outside is answered with a sentence and changes nothing', async () => {
  const host = await start(world([]));
  expect(await host.host.invoke('shell.run', { command: 'ls' })).toMatchObject({ ok: false, error: { code: 'unknownCommand' } });
  expect(await host.host.invoke('__proto__', {})).toMatchObject({ ok: false, error: { code: 'unknownCommand' } });
  expect(await host.host.invoke('conversation.rename', { commandId: 'x', conversationId: 5 })).toMatchObject({
    error: { code: 'invalidInput' },
  });
  expect(await host.host.invoke('settings.set', { commandId: 'y', patch: { stepLimit: 0 } })).toMatchObject({
    error: { code: 'invalidInput' },
  });
  expect(await host.host.invoke('turn.stop', null)).toMatchObject({ error: { code: 'invalidInput' } });
  const { conversation } = await host.run('conversation.create', {});
  expect(await host.refused('turn.send', { conversationId: conversation.id, text: 'hi' })).toMatchObject({ code: 'modelUnavailable' });
});

test('a permission for the turn also answers the cards beside it, and ends with the turn', async () => {
  const given = world([]);
  const readFile = (name: string) => ({ tool: 'Files.read_text_file', arguments: { path: path.join(given.docs, name) } });
  writeFileSync(given.script, JSON.stringify({ steps: [{ calls: [readFile('alpha.txt'), readFile('beta 二.txt')] }, { text: 'read' }] }));
  const host = await start(given);
  await addFiles(host);
  const chat = (await host.run('conversation.create', { model: given.model })).conversation.id;
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  await host.until(card(1));
  const { approvals } = await host.run('approval.list', {});
  expect(approvals.map((approval) => path.basename(JSON.parse(approval.arguments.text).path))).toEqual(['alpha.txt', 'beta 二.txt']);
  const first = approvals[0]!;
  await host.run('approval.answer', {
    approvalId: first.id,
    argumentsHash: first.argumentsHash,
    decision: { kind: 'allow', scope: 'turn' },
  });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  const { messages } = await host.run('conversation.open', { conversationId: chat });
  expect(callsOf(messages[1]).map((call) => [call.state, call.reason?.code])).toEqual([
    ['succeeded', 'noRule'],
    ['succeeded', 'ruleAllows'],
  ]);
  expect((await host.run('rule.list', {})).rules).toEqual([]);
});
