import { expect, test } from 'vitest';
import type { ServersEvent } from '../../preload/contract/events.ts';
import type { ResultBlock } from '../../preload/contract/content.ts';
import type { CallId, ConversationId, MessageId, ServerId, StartId } from '../../preload/contract/ids.ts';
import { fail, ok, type Result } from '../../preload/contract/result.ts';
import type { ServerDetails } from '../../preload/contract/servers.ts';
import type { Task } from '../../preload/contract/tasks.ts';
import { type FakeAnswers, fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { resourceChoices } from '../../renderer/features/attachments/resourceChoices.ts';
import { emptyClientDraft, readClientDraft } from '../../renderer/features/signin/clientDraft.ts';
import { attachedIn, createAttachmentsStore } from '../../renderer/state/attachments.ts';
import { createChosenPromptsStore, promptIn } from '../../renderer/state/chosenPrompts.ts';
import type { AppSnapshot } from '../../renderer/state/mirror.ts';
import { createTasksStore } from '../../renderer/state/tasks.ts';
import { triggerAt, withoutTrigger } from '../../renderer/text/triggerAt.ts';

const serverId = 'acme' as ServerId;
const chat = 'chat' as ConversationId;
const notes = { serverId, serverName: 'Acme', uri: 'note://one', title: 'Note' };
const text = (words: string): ResultBlock => ({ type: 'text', text: { text: words, length: words.length } });
const told = (revision: number, event: ServersEvent) => ({ startId: 's' as StartId, topic: 'servers' as const, revision, event });

test.each([
  ['@', 1, { kind: 'resource', query: '', start: 0 }],
  ['see @no', 7, { kind: 'resource', query: 'no', start: 4 }],
  ['line\n@no and', 8, { kind: 'resource', query: 'no', start: 5 }],
  ['西贡 @笔记', 6, { kind: 'resource', query: '笔记', start: 3 }],
  ['mail bob@acme.example', 21, null],
  ['@no more', 8, null],
  ['/week', 5, { kind: 'prompt', query: 'week', start: 0 }],
  ['/usr/lib', 8, null],
  ['in /week', 8, null],
  [' /week', 6, null],
  ['//', 2, null],
])('in %j with the caret at %i a pick begins where a word does', (words, caret, expected) => {
  const found = triggerAt(words, caret);
  expect(found).toEqual(expected === null ? null : { ...expected, end: caret });
  if (found === null) return;
  const rest = withoutTrigger(words, found);
  expect(rest.text).toBe(words.slice(0, found.start) + words.slice(caret));
  expect(rest.caret).toBe(found.start);
});

test('every word of a query counts, and a template that cannot be filled is not offered', () => {
  const details = {
    server: { id: serverId, name: 'Acme' },
    resources: [
      { uri: 'note://one', name: 'one', title: 'First note' },
      { uri: 'note://two', name: 'two' },
    ],
    templates: [
      { name: 'page', uriTemplate: 'page://{name}', variables: ['name'] },
      { name: 'odd', uriTemplate: 'page://{', variables: [], problem: 'A brace is not closed.' },
    ],
  } as unknown as ServerDetails;
  const found = (query: string) =>
    resourceChoices([details], query).map((choice) => (choice.kind === 'resource' ? choice.resource.uri : choice.template.uriTemplate));
  expect(found('')).toEqual(['note://one', 'note://two', 'page://{name}']);
  expect(found('FIRST acme')).toEqual(['note://one']);
  expect(found('first two')).toEqual([]);
});

test('the newest reading of an attachment counts, whatever order the answers come in', async () => {
  const waiting: ((result: Result<{ blocks: ResultBlock[] }>) => void)[] = [];
  const store = createAttachmentsStore(
    fakeBridge({
      'resource.subscribe': () => ok({ told: true }),
      'resource.read': () => new Promise((resolve) => waiting.push(resolve)),
    }),
  );
  const shown = () => attachedIn(store.store.getState().lists, chat)[0];
  const first = store.attach(chat, notes);
  expect(shown()).toMatchObject({ status: 'reading' });
  store.apply(told(1, { type: 'resource.updated', serverId, uri: notes.uri }));
  expect(shown()).toMatchObject({ changed: true });
  const second = store.readAgain(notes);
  waiting[1]?.(ok({ blocks: [text('new')] }));
  await second;
  waiting[0]?.(ok({ blocks: [text('old')] }));
  await first;
  expect(shown()).toMatchObject({ status: 'ready', changed: false, blocks: [text('new')] });
});

test('what was attached before a chat began belongs to it, and is let go only when no chat holds it', async () => {
  const answers: FakeAnswers = {
    'resource.subscribe': () => ok({ told: true }),
    'resource.unsubscribe': () => ok({}),
    'resource.read': () => fail('serverFailed', 'It does not answer.'),
  };
  const bridge = fakeBridge(answers);
  const store = createAttachmentsStore(bridge);
  const other = 'other' as ConversationId;
  const list = (id: ConversationId | null) => attachedIn(store.store.getState().lists, id);
  await store.attach(null, notes);
  await store.attach(null, notes);
  expect(list(null)).toMatchObject([{ status: 'failed', failure: { message: 'It does not answer.' } }]);
  store.begin(chat);
  expect([list(null).length, list(chat).length]).toEqual([0, 1]);
  await store.attach(other, notes);
  const released = () => bridge.sent.filter(({ name }) => name === 'resource.unsubscribe').length;
  store.remove(other, notes);
  expect(released()).toBe(0);
  store.remove(chat, notes);
  expect([list(chat).length, released()]).toEqual([0, 1]);
});

test('tasks that change while their list is read are neither lost nor brought back', async () => {
  const task = (id: string, message: string): Task => ({
    callId: id as CallId,
    conversationId: chat,
    serverId,
    serverName: 'Acme',
    tool: id,
    startedAt: 0,
    state: { status: 'working', message },
  });
  const list = Promise.withResolvers<Result<{ tasks: Task[]; revision: number }>>();
  const store = createTasksStore(fakeBridge({ 'task.list': () => list.promise }));
  store.load({} as AppSnapshot);
  // The list was made after these two, and before the next two.
  store.apply(told(4, { type: 'task.changed', task: task('gone', 'soon over') }));
  store.apply(told(5, { type: 'task.ended', callId: 'gone' as CallId }));
  store.apply(told(6, { type: 'task.changed', task: task('old', 'half') }));
  store.apply(told(7, { type: 'task.changed', task: task('new', 'begun') }));
  list.resolve(ok({ tasks: [task('old', 'begun')], revision: 5 }));
  await expect.poll(() => store.store.getState().tasks).toEqual([task('old', 'half'), task('new', 'begun')]);
  store.apply({
    startId: 's' as StartId,
    topic: 'conversation',
    conversationId: chat,
    revision: 1,
    event: { type: 'call.progress', messageId: 'm' as MessageId, callId: 'new' as CallId, progress: { progress: 1, total: 4 } },
  });
  expect(store.store.getState().progress).toEqual({ new: { progress: 1, total: 4 } });
  store.apply(told(8, { type: 'task.ended', callId: 'old' as CallId }));
  expect(store.store.getState().tasks).toEqual([task('new', 'begun')]);
});

test('the prompt of a chat that is begun goes with it, one a message, and no other chat sends it', () => {
  const store = createChosenPromptsStore();
  const inPlace = (place: ConversationId | null) => promptIn(store.store.getState().chosen, place)?.name;
  const prompt = (name: string) => ({ serverId, serverName: 'Acme', name, title: name, values: {}, messages: [] });
  store.choose(null, prompt('first'));
  store.choose(null, prompt('second'));
  store.choose('other' as ConversationId, prompt('third'));
  store.begin(chat);
  expect([inPlace(null), inPlace(chat), inPlace('other' as ConversationId)]).toEqual([undefined, 'second', 'third']);
  store.remove(chat);
  expect([inPlace(chat), inPlace('other' as ConversationId)]).toEqual([undefined, 'third']);
});

test('a client’s form says what is missing, and passes on nothing of another kind', () => {
  expect(readClientDraft({ ...emptyClientDraft, redirectPort: '80' })).toEqual({
    ok: false,
    problems: { clientId: 'missing', redirectPort: 'port' },
  });
  expect(
    readClientDraft({ ...emptyClientDraft, clientId: ' me ', clientSecret: 's', redirectPort: '8123', idpClientSecret: 'left over' }),
  ).toEqual({
    ok: true,
    client: { kind: 'person', clientId: 'me', clientSecret: 's', redirectPort: 8123 },
  });
  expect(readClientDraft({ ...emptyClientDraft, kind: 'machine', proof: 'key', clientId: 'me', clientSecret: 'left over' })).toEqual({
    ok: false,
    problems: { privateKey: 'missing' },
  });
  const organization = { ...emptyClientDraft, kind: 'organization' as const, clientId: 'me', clientSecret: 's', idpClientId: 'work' };
  expect(readClientDraft({ ...organization, idpIssuer: 'id.company.example' })).toEqual({ ok: false, problems: { idpIssuer: 'address' } });
  expect(readClientDraft({ ...organization, idpIssuer: ' https://id.company.example/ ', redirectPort: '8123' })).toEqual({
    ok: true,
    client: {
      kind: 'organization',
      clientId: 'me',
      clientSecret: 's',
      idpIssuer: 'https://id.company.example/',
      idpClientId: 'work',
      redirectPort: 8123,
    },
  });
});
