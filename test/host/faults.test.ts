import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { BlobId, ConversationId } from '../../preload/contract/ids.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, turnEnd, type TestHost } from '../doubles/testHost.ts';

const program = (name: string, ...args: string[]) => ({ command: process.execPath, args: [path.resolve('test/servers', name), ...args] });

/** A host over some of the odd servers, with a script as its model. */
async function start(mcpServers: Record<string, unknown>, steps: unknown[]) {
  const dir = tempFolder();
  const serversFile = path.join(dir, 'servers.json');
  const script = path.join(dir, 'script.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers }));
  writeFileSync(script, JSON.stringify({ steps }));
  const requests: string[] = [];
  const host = await startTestHost({
    dataDir: path.join(dir, 'data'),
    serversFile,
    scriptFiles: [script],
    onModelRequest: (request) => requests.push(JSON.stringify(request.messages)),
  });
  await host.serversReady();
  const chat = (await host.run('conversation.create', { model: `scripted:${script}` })).conversation.id;
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  return { host, chat, requests };
}

async function allow(host: TestHost, n: number): Promise<void> {
  const asked = await host.until(card(n));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'once' },
  });
}

async function callsIn(host: TestHost, conversationId: ConversationId): Promise<ToolCall[]> {
  const { messages } = await host.run('conversation.open', { conversationId });
  return messages.flatMap((message) => message.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
}

test('a result of 5 MB is kept whole: the card gets its head, the model a bounded part and a way to read on', async () => {
  const bytes = 5 * 1024 * 1024;
  const { host, chat, requests } = await start({ big: program('big.ts') }, [
    { calls: [{ tool: 'big.echo', arguments: { bytes } }] },
    { text: 'That is a lot.' },
  ]);
  await allow(host, 0);
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  const [call] = await callsIn(host, chat);
  if (call?.state !== 'succeeded' || call.content[0]?.type !== 'text') throw new Error('The call did not succeed.');
  const { text } = call.content[0];
  expect(text.length).toBe(bytes);
  expect(text.text.length).toBeLessThanOrEqual(65_536);
  const last = await host.run('blob.read', { blobId: text.blobId as BlobId, offset: bytes - 10, length: 100, as: 'text' });
  expect(last).toEqual({ data: 'x'.repeat(10), bytes });
  expect(requests[1]?.length).toBeLessThan(60_000);
  expect(requests[1]).toContain('read_result');
  for (const message of host.events) expect(JSON.stringify(message).length).toBeLessThan(1_048_576);
});

test('an answer whose end could not be saved is told as failed, and saved when the store can be written again', async () => {
  const dir = tempFolder();
  const script = path.join(dir, 'script.json');
  writeFileSync(script, JSON.stringify({ steps: [{ text: 'All of it.' }] }));
  const host = await startTestHost({ dataDir: path.join(dir, 'data'), scriptFiles: [script] });
  const chat = (await host.run('conversation.create', { model: `scripted:${script}` })).conversation.id;
  const beside = new Database(path.join(host.dataDir, 'maitre.db'));
  onTestFinished(() => void beside.close());
  beside.exec("CREATE TRIGGER no_room BEFORE UPDATE OF state ON turns BEGIN SELECT RAISE(ABORT, 'no room'); END");
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'failed' });
  const turn = async () => (await host.run('conversation.open', { conversationId: chat })).messages[1]?.turn;
  expect(await turn()).toMatchObject({ state: 'running' });

  beside.exec('DROP TRIGGER no_room');
  expect(await host.until(turnEnd(chat, 1))).toMatchObject({ state: 'done' });
  expect(await turn()).toMatchObject({ state: 'done' });
});

test('a server that dies in a call fails the card at once with what it said last; the model hears neither stderr nor a stack', async () => {
  const { host, chat, requests } = await start({ fragile: program('diesInCall.ts') }, [
    { calls: [{ tool: 'fragile.exit', arguments: {} }] },
    { text: 'It broke.' },
  ]);
  await allow(host, 0);
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  const [call] = await callsIn(host, chat);
  expect(call).toMatchObject({ state: 'failed', error: { code: 'serverExited' } });
  expect(JSON.stringify(call)).toContain('panic: index out of range');
  expect(requests[1]).not.toContain('panic');
});

test('a server that asks in the middle of a call gets the answer of the person, and exactly one', async () => {
  const { host, chat } = await start({ asks: program('asks.ts') }, [{ calls: [{ tool: 'asks.ask', arguments: {} }] }, { text: 'ok' }]);
  await allow(host, 0);
  const input = await host.until((message) =>
    message.topic === 'approvals' && message.event.type === 'input.added' ? message.event.input : undefined,
  );
  expect(input).toMatchObject({ kind: 'elicitation', serverName: 'asks', message: { text: 'Which one?' }, conversationId: chat });
  const waiting = await callsIn(host, chat);
  expect(waiting[0]).toMatchObject({ state: 'awaitingInput', inputId: input.id });
  await host.run('input.answer', { inputId: input.id, answer: { action: 'accept', content: {} } });
  expect((await host.refused('input.answer', { inputId: input.id, answer: { action: 'decline' } })).code).toBe('alreadyAnswered');
  await host.until(turnEnd(chat));
  const [call] = await callsIn(host, chat);
  expect(JSON.stringify(call)).toContain('\\"action\\":\\"accept\\"');
});

test('a failed model request is said in words, and the turn goes on from there when it is tried again', async () => {
  const provider = await startProviderServer();
  const host = await startTestHost({
    env: { MAITRE_KEY_ANTHROPIC: 'sk-ant-canary-key-0123456789' },
    endpoints: { local: [], providers: { anthropic: `${provider.url}/v1` } },
  });
  provider.queue.push({ status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } } });
  const chat = (await host.run('conversation.create', { model: 'anthropic/claude-test' })).conversation.id;
  const { turnId } = await host.run('turn.send', { conversationId: chat, text: 'hello' });
  const failed = await host.until(turnEnd(chat));
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'keyWrong' } });
  provider.queue.push({ parts: [{ text: 'Hello there.' }] });
  await host.run('turn.continue', { turnId });
  expect(await host.until(turnEnd(chat, 1))).toMatchObject({ state: 'done' });
  const { messages } = await host.run('conversation.open', { conversationId: chat });
  expect(JSON.stringify(messages[1]?.parts)).toContain('Hello there.');
  expect(JSON.stringify(host.events) + JSON.stringify(host.log.lines)).not.toContain('canary');
  await provider.close();
});

test('a request that could not be made is tried again by itself before anything was heard', async () => {
  const provider = await startProviderServer();
  const host = await startTestHost({
    env: { MAITRE_KEY_OPENAI: 'sk-test' },
    endpoints: { local: [], providers: { openai: `${provider.url}/v1` } },
  });
  provider.queue.push({ status: 503, body: { error: { message: 'overloaded' } } }, { parts: [{ text: 'Back again.' }] });
  const chat = (await host.run('conversation.create', { model: 'openai/gpt-test' })).conversation.id;
  await host.run('turn.send', { conversationId: chat, text: 'hello' });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done', steps: 1 });
  await provider.close();
});

test('a second host on the folder is refused with the owner, and the first is not disturbed', async () => {
  const host = await startTestHost();
  const second = await startTestHost({ dataDir: host.dataDir }).catch((error: unknown) => error);
  expect(second).toMatchObject({ failure: { code: 'dataFolderInUse', detail: expect.stringContaining(String(process.pid)) } });
  await host.run('conversation.create', {});
});

test('a database of a newer version is refused and left as it is', async () => {
  const host = await startTestHost();
  await host.close();
  const file = path.join(host.dataDir, 'maitre.db');
  const db = new Database(file);
  db.pragma('user_version = 999');
  db.close();
  const refused = await startTestHost({ dataDir: host.dataDir }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ failure: { code: 'databaseTooNew' } });
  expect(existsSync(file)).toBe(true);
  const untouched = new Database(file, { readonly: true });
  expect(untouched.pragma('user_version', { simple: true })).toBe(999);
  untouched.close();
  // The refused host left nothing locked behind.
  expect(readdirSync(host.dataDir)).toContain('lock.db');
  expect((await startTestHost({ dataDir: host.dataDir }).catch((error: unknown) => error)) as object).toMatchObject({
    failure: { code: 'databaseTooNew' },
  });
});

test('a deleted chat that still asks is stopped first and is gone from the history and the search', async () => {
  const { host, chat } = await start({ asks: program('asks.ts') }, [{ calls: [{ tool: 'asks.ask', arguments: {} }] }]);
  await host.until(card(0));
  await host.run('conversation.delete', { conversationId: chat });
  expect((await host.run('conversation.list', {})).conversations).toEqual([]);
  expect((await host.run('conversation.search', { query: 'go' })).hits).toEqual([]);
  expect((await host.run('approval.list', {})).approvals).toEqual([]);
});
