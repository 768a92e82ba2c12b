import { expect, onTestFinished, test } from 'vitest';
import type { AnswerServerRequest } from '../../../main/host/mcp/callTool.ts';
import { type Gateway, startGateway } from '../../servers/gateway.ts';
import { newStore } from '../../servers/statelessInstance.ts';
import { call, eventually, http, open, textOf } from './harness.ts';

async function gateway(): Promise<Gateway> {
  const started = await startGateway();
  onTestFinished(() => started.close());
  return started;
}
const asker = () => ({ signal: new AbortController().signal });

test('calls and rounds of questions succeed over two instances behind a gateway that reads headers only', async () => {
  const { url, routed } = await gateway();
  const answers: Record<string, string> = { 'First?': '1', 'Second?': '2', 'Third?': '3' };
  const asked: string[] = [];
  const answer: AnswerServerRequest = (request) => {
    const question = request.kind === 'elicitation' ? request.message : '';
    asked.push(question);
    return Promise.resolve({ kind: 'result', result: { action: 'accept', content: { value: answers[question] ?? '' } } });
  };
  const { connection } = await open(http(url), { answer });
  expect(connection.protocol).toMatchObject({ era: 'modern', transport: 'http' });
  const places = [textOf(await call(connection, 'where')), textOf(await call(connection, 'where'))];
  expect(places.sort()).toEqual(['one', 'two']);
  expect(textOf(await call(connection, 'ask'))).toBe('first=1 second=2 third=3');
  expect(asked.sort()).toEqual(['First?', 'Second?', 'Third?']);
  const rounds = routed.filter(({ method }) => method === 'tools/call').slice(2);
  expect(new Set(rounds.map(({ instance }) => instance)).size).toBe(2);
});

test('429 and 503 prove that nothing was begun: the call is made again, as Retry-After says, and takes effect once', async () => {
  const { url, store, turnAway } = await gateway();
  const { connection } = await open(http(url));
  turnAway.push(
    { method: 'tools/call', status: 429, retryAfter: '0' },
    { method: 'tools/call', status: 503, retryAfter: new Date(Date.now() - 1000).toUTCString() },
    { method: 'tools/call', status: 503 },
  );
  expect(textOf(await call(connection, 'record', { text: 'once' }))).toMatch(/^recorded by/);
  expect(store.ledger).toEqual(['once']);
  expect(turnAway).toEqual([]);
});

test('a server that wants more patience than a call has is named, and the call is not made', async () => {
  const { url, store, turnAway } = await gateway();
  const { connection } = await open(http(url));
  turnAway.push({ method: 'tools/call', status: 429, retryAfter: '7200' });
  expect(await call(connection, 'record', { text: 'never' })).toEqual({
    kind: 'unavailable',
    message: '"Odd" takes no more requests at present (HTTP status 429), so the call was not carried out. Try again in 7200 seconds.',
  });
  expect(store.ledger).toEqual([]);
});

test('stopping a call that waits for its turn ends the wait, and nothing is sent', async () => {
  const { url, store, turnAway } = await gateway();
  const { connection } = await open(http(url));
  turnAway.push({ method: 'tools/call', status: 429, retryAfter: '30' });
  const stop = new AbortController();
  const outcome = call(connection, 'record', { text: 'never' }, { signal: stop.signal });
  await eventually(() => turnAway.length === 0);
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  expect(store.ledger).toEqual([]);
});

test('an answer that broke off proves nothing: a call with effect is not repeated, and what came of it is called unknown', async () => {
  const broken = await gateway();
  const { connection } = await open(http(broken.url));
  broken.breakAfter = 'tools/call';
  const outcome = await call(connection, 'record', { text: 'perhaps' });
  expect(outcome).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('not known') });
  expect(broken.store.ledger).toEqual(['perhaps']);
});

test('arguments that must stand in headers do; when the server has changed which, the list is read and the call made once more (-32020)', async () => {
  const { url, store, routed } = await gateway();
  const { connection } = await open(http(url));
  expect(await call(connection, 'region', { region: 'eu' })).toMatchObject({ kind: 'result' });
  store.regionHeader = 'Place';
  const before = routed.length;
  expect(await call(connection, 'region', { region: 'Zürich' })).toMatchObject({ kind: 'protocolError', code: -32020 });
  // The header is Base64 of the UTF-8, which this server does not decode: it stays wrong, and is not tried without end.
  expect(routed.slice(before).map(({ method }) => method)).toEqual(['tools/call', 'tools/list', 'tools/call']);
  store.regionHeader = 'Country';
  expect(await call(connection, 'region', { region: 'ch' })).toMatchObject({ kind: 'result' });
});

test('a request that the gateway does not let pass is refused in words, and is no outage', async () => {
  const { url, forbidden } = await gateway();
  const { connection } = await open(http(url));
  forbidden.add('where');
  expect(await call(connection, 'where')).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('HTTP status 403. It does not let you do this'),
  });
  expect(await call(connection, 'record', { text: 'other' })).toMatchObject({ kind: 'result' });
});

test('resources, prompts and completion are read as they come; what is not there is a sentence and no exception', async () => {
  const { url } = await gateway();
  const { connection } = await open(http(url));
  expect(await connection.readResource('note://one', asker())).toEqual({
    kind: 'ok',
    value: { contents: [{ uri: 'note://one', mimeType: 'text/plain', text: 'first note' }] },
  });
  expect(await connection.readResource('note://none', asker())).toEqual({
    kind: 'notFound',
    message: expect.stringContaining('note://none'),
  });
  expect(await connection.getPrompt('greet', { who: 'Ada' }, asker())).toEqual({
    kind: 'ok',
    value: { messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }] },
  });
  const completed = await connection.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'who', value: 'v' }, {}, asker());
  expect(completed).toMatchObject({ kind: 'ok', value: { total: 150, hasMore: true } });
  expect(completed.kind === 'ok' && completed.value.values).toHaveLength(100);
  expect(connection.lists().templates).toEqual([
    { uriTemplate: 'note://{name}', name: 'Notes', title: undefined, description: undefined, mimeType: undefined, variables: ['name'] },
  ]);
  expect(connection.lists().prompts[0]?.arguments).toMatchObject([{ name: 'who', required: true }]);
});

test('a resource is served from the cache while its server allows it, for the same sign-in only, and a notice ends that at once', async () => {
  const { url, store } = await gateway();
  store.ttlMs = 60_000;
  let account = 'ada';
  const { connection, updated } = await open(http(url), { authorizationKey: () => account });
  const read = async () => {
    const answer = await connection.readResource('note://one', asker());
    return answer.kind === 'ok' && answer.value.contents[0];
  };
  await read();
  store.notes['note://one'] = 'second note';
  expect(await read()).toMatchObject({ text: 'first note' });
  account = 'bob';
  expect(await read()).toMatchObject({ text: 'second note' });
  account = 'ada';
  expect(await read()).toMatchObject({ text: 'first note' });
  await connection.subscriptions.watch(new Set(['note://one']));
  store.tell('note://one');
  await eventually(() => updated.includes('note://one'));
  expect(await read()).toMatchObject({ text: 'second note' });
  expect(store.asked['resources/read']).toBe(3);
});

test('what the person has had a part in is never cached, nor is a call', async () => {
  const { url, store } = await gateway();
  store.ttlMs = 60_000;
  const answer: AnswerServerRequest = () => Promise.resolve({ kind: 'result', result: { action: 'accept', content: { value: 'me' } } });
  const { connection } = await open(http(url), { answer });
  for (let times = 0; times < 2; times += 1) {
    expect(await connection.readResource('note://asks', asker())).toMatchObject({ value: { contents: [{ text: 'for you only' }] } });
    await call(connection, 'where');
  }
  expect(store.asked).toMatchObject({ 'resources/read': 4, 'tools/call': 2 });
});

test('a list is read again when it is needed after its time, not before and not by itself', async () => {
  const store = newStore();
  store.ttlMs = 60_000;
  store.ungranted.add('toolsListChanged');
  const started = await startGateway(store);
  onTestFinished(() => started.close());
  const { connection, lists } = await open(http(started.url));
  store.tools.push('added');
  connection.refreshLists();
  expect(await call(connection, 'where')).toMatchObject({ kind: 'result' });
  expect(store.asked['tools/list']).toBe(1);
  expect(lists).toEqual([]);
});
