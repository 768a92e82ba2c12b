import { expect, test } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { Server, ServerFailure } from '../../preload/contract/servers.ts';
import { noServers, reduceServers, serverById } from '../../renderer/state/servers.ts';
import { lastLines, nextStepOf, stateWordsOf, toneOf } from '../../renderer/features/servers/serverFacts.ts';
import { changedParts } from '../../renderer/features/servers/consentChange.ts';

const id = (text: string) => text as ServerId;
const consent = { configHash: 'h', command: '/usr/bin/npx', args: ['-y', 'x'], envNames: ['A'], folders: [] };
const server = (more: Partial<Server> = {}): Server => ({
  id: id('a'),
  name: 'a',
  kind: 'local',
  summary: 'npx x',
  enabled: true,
  status: { state: 'ready', since: 5 },
  ...more,
});
const failed = (code: ServerFailure['code'], retryAt?: number): Server['status'] => ({
  state: 'failed',
  failure: { code, message: 'It ended.' },
  ...(retryAt !== undefined && { retryAt }),
});

test('a changed server stays in its place and a new one stands last', () => {
  const two = [server(), server({ id: id('b') })].reduce(
    (state, each) => reduceServers(state, { type: 'server.changed', server: each }),
    noServers,
  );
  const changed = reduceServers(two, { type: 'server.changed', server: server({ name: 'renamed' }) });
  expect(changed.servers.map((each) => each.name)).toEqual(['renamed', 'a']);
  expect(serverById(changed, id('b'))?.id).toBe('b');
  expect(reduceServers(changed, { type: 'server.removed', serverId: id('a') }).servers.map((each) => each.id)).toEqual(['b']);
});

test('a problem of the file keeps the servers and goes away when the file can be read', () => {
  const state = reduceServers(noServers, { type: 'server.changed', server: server() });
  const broken = reduceServers(state, {
    type: 'file.changed',
    problem: { path: '/p', message: 'A comma is missing.', at: { line: 2, column: 4 } },
  });
  expect(broken.servers).toBe(state.servers);
  expect(broken.fileProblem?.at).toEqual({ line: 2, column: 4 });
  expect(reduceServers(broken, { type: 'file.changed' }).fileProblem).toBeUndefined();
});

test.each([
  ['a ready server needs nothing', server(), 'ready', 'ready', null],
  [
    'one that waits for agreement is reviewed',
    server({ status: { state: 'off', needsConsent: consent } }),
    'waiting',
    'needsConsent',
    'review',
  ],
  [
    'one that is switched off asks for nothing',
    server({ enabled: false, status: { state: 'off', needsConsent: consent } }),
    'off',
    'off',
    null,
  ],
  [
    'one whose tools nobody has looked at is reviewed',
    server({ status: { state: 'ready', since: 1 }, toReview: { isFirst: true, tools: 3, prompts: 0, templates: 0, seen: 's' } }),
    'ready',
    'ready',
    'reviewTools',
  ],
  ['one that ended is restarted', server({ status: failed('exited') }), 'failed', 'failed', 'restart'],
  [
    'one that will start again by itself can be restarted now',
    server({ status: failed('exited', 9) }),
    'failed',
    'failedRetrying',
    'restart',
  ],
  ['one whose program was not found is corrected', server({ status: failed('commandNotFound') }), 'failed', 'failed', 'editConfiguration'],
  ['one whose entry is wrong is corrected', server({ status: failed('configurationInvalid') }), 'failed', 'failed', 'editConfiguration'],
  [
    'Files without a folder gets folders',
    server({ kind: 'bundled', bundled: 'files', status: failed('exitedAtStart'), folders: [] }),
    'failed',
    'failed',
    'chooseFolders',
  ],
  ['the first start is not counted', server({ status: { state: 'starting', since: 1, attempt: 1 } }), 'waiting', 'starting', null],
  ['a later start is counted', server({ status: { state: 'starting', since: 1, attempt: 3 } }), 'waiting', 'startingAgain', null],
  ['one that asks to sign in waits', server({ status: { state: 'needsSignIn' } }), 'waiting', 'needsSignIn', null],
])('%s', (_, given, tone, words, step) => {
  expect(toneOf(given)).toBe(tone);
  expect(stateWordsOf(given).key).toBe(words);
  expect(nextStepOf(given)).toBe(step);
});

test('the last lines of an output end with what was written last', () => {
  expect(lastLines('one\r\ntwo\n\nthree\nfour\n', 3)).toBe('\nthree\nfour');
  expect(lastLines('', 3)).toBe('');
});

test('each part of a start that has changed is named, and nothing else', () => {
  expect(changedParts(consent, { ...consent, configHash: 'other' })).toEqual([]);
  expect(changedParts(consent, { ...consent, args: ['-y x'], cwd: '/tmp' })).toEqual(['args', 'cwd']);
  expect(changedParts(consent, { ...consent, givenVariables: ['GITHUB_TOKEN'] })).toEqual(['givenVariables']);
  expect(changedParts(consent, { ...consent, command: '/tmp/npx', envNames: [], folders: ['/'] })).toEqual([
    'command',
    'envNames',
    'folders',
  ]);
});
