import { expect, test } from 'vitest';
import { maxBridgeMessageBytes } from '../../preload/contract/bridge.ts';
import type { Notification } from '../../main/host/ports.ts';
import { attackedHost, callsOf, hostile, obey } from './world.ts';

const one = (tool: string, values: unknown = {}) => [{ calls: [{ tool: `odd.${tool}`, arguments: values }] }, { text: 'Done.' }];
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test.each([
  ['a result', 'deepStructure', 'failed'],
  ['a text that is JSON', 'deepText', 'succeeded'],
  ['a notice in a batch', 'deepBatch', 'succeeded'],
])('%s, nested a hundred thousand deep, neither ends the host nor the chat', async (_what, tool, state) => {
  const { host, model } = await attackedHost({ odd: hostile() }, one(tool));
  const { turn, messages } = await obey(host, model);
  expect(turn.state).toBe('done');
  expect(callsOf(messages)[0]).toMatchObject({ state });
  expect((await host.run('server.list', {})).servers[0]?.status.state).toBe('ready');
});

test('links, kinds and names of two megabytes stay below what one message to a window may hold', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, one('giantLinks'));
  const { turn, conversation } = await obey(host, model);
  expect(turn.state).toBe('done');
  for (const message of host.events) expect(bytes(message)).toBeLessThan(maxBridgeMessageBytes);
  expect(bytes(await host.run('conversation.open', { conversationId: conversation.id }))).toBeLessThan(maxBridgeMessageBytes);
});

test('no half of a character reaches the model, wherever a server put it or a cut would make it', async () => {
  const { host, model, requests } = await attackedHost({ odd: hostile() }, one('halfCharacter'));
  const { turn } = await obey(host, model);
  expect(turn.state).toBe('done');
  const texts: string[] = [];
  JSON.stringify(requests.at(-1)?.messages, (_, value: unknown) => (typeof value === 'string' ? texts.push(value) && value : value));
  expect(texts.some((text) => text.includes('half'))).toBe(true);
  for (const text of texts) expect(text.isWellFormed()).toBe(true);
});

test('stderr, stack and data of an error never reach the model, and its message only cut', async () => {
  const { host, model, requests } = await attackedHost({ odd: hostile() }, one('stackTrace'));
  await obey(host, model);
  const told = JSON.stringify(requests.at(-1));
  expect(told).toContain('failed mmm');
  expect(told).not.toContain('canary-of');
  expect(told).not.toContain('m'.repeat(2001));
});

test('a picture that is none is not handed to a model as a picture', async () => {
  const { host, model, requests } = await attackedHost({ odd: hostile() }, one('badImage'));
  const { turn } = await obey(host, model);
  expect(turn.state).toBe('done');
  expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain('"type":"image"');
});

test('a notification names server and tool in plain words of one line, whatever the tool is called', async () => {
  const told: Notification[] = [];
  const { host, model } = await attackedHost({ odd: hostile() }, [], { ports: { notify: (notification) => void told.push(notification) } });
  const { servers } = await host.run('server.list', {});
  const { details } = await host.run('server.details', { serverId: servers[0]!.id });
  const name = details.tools.find((tool) => tool.name.startsWith('fine'))!.name;
  void model;
  await host.run('tool.try', { serverId: servers[0]!.id, tool: name, argumentsJson: '{}' });
  await host.until((message) => message.topic === 'approvals' && message.event.type === 'approval.added');
  expect(told).toHaveLength(1);
  expect(told[0]?.body).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(told[0]?.body.length).toBeLessThan(200);
});

test('a server that says its tool only reads is asked about all the same, without "always"', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, one('readsOnly'));
  const { messages } = await obey(host, model);
  const asked = host.events.flatMap((message) =>
    message.topic === 'approvals' && message.event.type === 'approval.added' ? [message.event.approval] : [],
  );
  expect(asked[0]).toMatchObject({ effects: { source: 'nobody' }, scopes: ['once', 'turn', 'chat'] });
  expect(callsOf(messages)[0]?.state).toBe('succeeded');
});

test('sixty thousand notices for strangers keep no command waiting and are not kept', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, one('flood'));
  const { turn } = await obey(host, model);
  expect(turn.state).toBe('done');
  const { servers } = await host.run('server.list', {});
  const { details } = await host.run('server.details', { serverId: servers[0]!.id });
  expect(details.log.length).toBeLessThanOrEqual(200);
});

test('a form of five megabytes is refused before anybody sees it, or stays below what a message may hold', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, one('asksMuch'));
  const { turn } = await obey(host, model);
  expect(turn.state).toBe('done');
  for (const message of host.events) expect(bytes(message)).toBeLessThan(maxBridgeMessageBytes);
});

test('a list with descriptions of megabytes reaches the window and the model cut', async () => {
  const { host, model, requests } = await attackedHost({ odd: hostile() }, [{ text: 'Hello.' }]);
  await obey(host, model);
  const { servers } = await host.run('server.list', {});
  expect(bytes(await host.run('server.details', { serverId: servers[0]!.id }))).toBeLessThan(maxBridgeMessageBytes);
  const tools = JSON.stringify(requests[0]?.tools, (key, value: unknown) => (key === 'origin' ? undefined : value));
  expect(tools.length).toBeLessThan(50_000);
  expect(tools).toContain('secretWords');
  // Neither in a name, a description, a default, a pattern, nor in what the schema was turned into words for.
  expect(tools).not.toMatch(/[\u{e0000}-\u{e0fff}\u202e\u200b]/u);
  // One tool that cannot be read costs no other.
  expect(tools).not.toContain('deepSchema');
});

test('arguments nested fifteen hundred deep go back to the model as an error, and the chat goes on', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, [
    { calls: [{ tool: 'odd.echo', argumentsText: `{"a":${'['.repeat(1500)}${']'.repeat(1500)}}` }] },
    { text: 'Done.' },
  ]);
  const { turn, messages } = await obey(host, model);
  expect(turn.state).toBe('done');
  expect(callsOf(messages)[0]).toMatchObject({ state: 'failed', error: { code: 'invalidArguments' } });
});
