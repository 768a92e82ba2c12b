import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commands } from '../../preload/contract/commands.ts';
import { card, startTestHost } from '../doubles/testHost.ts';
import { attackedHost, callsOf, hostile } from './world.ts';

const names = Object.keys(commands);
/** What a script in our page would send: every shape but the right one, and paths, code and names of Object's own members for values. */
const crafted = fc.anything({
  key: fc.oneof(
    fc.constantFrom(
      'commandId',
      'serverId',
      'id',
      'config',
      'command',
      'args',
      'url',
      'path',
      '__proto__',
      'constructor',
      'conversationId',
      'blobId',
      'folderIds',
      'text',
      'name',
    ),
    fc.string(),
  ),
  values: [
    fc.constantFrom(
      '../../../etc/passwd',
      '/etc/passwd',
      '\0',
      'file:///etc/passwd',
      '"; DROP TABLE messages; --',
      '${secret:KEY}',
      '__proto__',
      'a'.repeat(100_000),
    ),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  ],
  maxDepth: 3,
});

test('two thousand crafted commands are answered or refused, change nothing and break nothing', async () => {
  const host = await startTestHost();
  const harmless = names.filter((name) => !['conversation.create', 'settings.set', 'server.addBundled'].includes(name));
  const before = JSON.stringify(
    await host.run('app.open', {}).then(({ servers, providers, conversations }) => ({ servers, providers, conversations })),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...harmless), crafted, async (name, input) => {
      const result = await host.host.invoke(name, input);
      expect(typeof result.ok).toBe('boolean');
      if (!result.ok) expect(result.error.code).not.toBe('internal');
    }),
    { numRuns: 2000, seed: 4 },
  );
  const after = JSON.stringify(
    await host.run('app.open', {}).then(({ servers, providers, conversations }) => ({ servers, providers, conversations })),
  );
  expect(after).toBe(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(host.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
}, 60_000);

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'app.open\0', 'APP.OPEN', 'x'.repeat(1_000_000)])(
  'a command named %s does not exist',
  async (name) => {
    const host = await startTestHost();
    expect(await host.host.invoke(name, {})).toMatchObject({ ok: false, error: { code: 'unknownCommand' } });
  },
);

test('no command takes a path, a program or an address that the host has not shown, but into a configuration that waits for consent', async () => {
  const host = await startTestHost();
  const folder = 'folder-/etc' as never;
  await host.refused('folder.browse', { folderId: folder });
  await host.refused('server.addBundled', { bundled: 'files', folderIds: [folder] });
  expect((await host.run('server.list', {})).servers).toEqual([]);
  for (const blobId of ['../maitre.db', '..%2fmaitre.db', '/etc/passwd', 'a/b', '.'] as never[])
    expect((await host.refused('blob.read', { blobId, offset: 0, length: 100, as: 'text' })).code).toMatch(/notFound|invalidInput/);
  for (const url of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'vscode://x',
    'https://u:p@example.com/',
    'data:text/html,x',
    '\\\\evil\\share',
  ])
    expect((await host.refused('link.open', { url })).code).toBe('invalidInput');
});

test('a secret goes in and is nowhere in what comes out: answers, events, log, database, search', async () => {
  const canary = 'canary-7f3a9c5e1b';
  const host = await startTestHost();
  const { server } = await host.run('server.add', {
    name: 'odd',
    config: { ...hostile(), env: { API_KEY: canary, OTHER: '${secret:OTHER_KEY}' } },
  });
  await host.run('secret.set', { owner: { kind: 'server', serverId: server.id, name: 'OTHER_KEY' }, value: `${canary}-2` });
  await host.run('secret.set', { owner: { kind: 'provider', providerId: 'openai' }, value: `${canary}-3` });
  // Refused input is not repeated to the log, nor in the answer.
  const wrong = await host.host.invoke('secret.set', {
    commandId: 'c',
    owner: { kind: 'nobody' },
    value: `${canary}-4`,
    [`${canary}-5`]: 1,
  });
  expect(JSON.stringify(wrong)).not.toContain(`${canary}-4`);
  const answers = [
    await host.run('app.open', {}),
    await host.run('server.details', { serverId: server.id }),
    await host.run('provider.list', {}),
    await host.run('trace.list', { filter: {} }),
    await host.run('trace.bundle', { serverId: server.id }),
    await host.run('conversation.search', { query: canary }),
  ];
  expect(JSON.stringify(answers)).not.toContain(canary);
  expect(JSON.stringify(host.events)).not.toContain(canary);
  expect(JSON.stringify(host.log.lines)).not.toContain(canary);
  const { execFileSync } = await import('node:child_process');
  await host.close();
  // `grep -r` over the whole data folder, databases included: exit code 1 means that nothing was found.
  expect(() => execFileSync('grep', ['-r', '-a', '-l', canary, host.dataDir])).toThrow(expect.objectContaining({ status: 1 }));
});

test('an approval lets one call through: not twice, not for other arguments, not for another call, not after its turn', async () => {
  const { host, model } = await attackedHost({ odd: hostile() }, [
    {
      calls: [
        { tool: 'odd.echo', arguments: { n: 1 } },
        { tool: 'odd.echo', arguments: { n: 2 } },
      ],
    },
    { text: 'Done.' },
  ]);
  const { conversation } = await host.run('conversation.create', { model });
  const { turnId } = await host.run('turn.send', { conversationId: conversation.id, text: 'go' });
  const [first, second] = [await host.until(card(0)), await host.until(card(1))];
  const allow = { kind: 'allow', scope: 'once' } as const;
  expect(
    await host.refused('approval.answer', { approvalId: first.id, argumentsHash: second.argumentsHash, decision: allow }),
  ).toMatchObject({ code: 'wrongHash' });
  expect(
    await host.refused('approval.answer', {
      approvalId: first.id,
      argumentsHash: first.argumentsHash,
      decision: { kind: 'allow', scope: 'always' },
    }),
  ).toMatchObject({ code: 'notAllowed' });
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      host.host.invoke('approval.answer', {
        commandId: `answer-${n}`,
        approvalId: first.id,
        argumentsHash: first.argumentsHash,
        decision: allow,
      }),
    ),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  await host.until(
    (message) =>
      message.topic === 'conversation' &&
      message.event.type === 'part.changed' &&
      message.event.part.kind === 'call' &&
      message.event.part.call.state === 'succeeded',
  );
  await host.run('turn.stop', { turnId });
  expect(
    await host.refused('approval.answer', { approvalId: second.id, argumentsHash: second.argumentsHash, decision: allow }),
  ).toMatchObject({ code: 'alreadyAnswered' });
  const { messages } = await host.run('conversation.open', { conversationId: conversation.id });
  expect(callsOf(messages).map(({ state }) => state)).toEqual(['succeeded', 'cancelled']);
});

test.each(['"', '*', 'NEAR(', '" OR 1=1 --', 'a"b*c^d:e(f)-g', '\0', '\ud800', '%_\\', '汉"字', 'x'.repeat(500)])(
  'a search for %j finds or finds nothing',
  async (query) => {
    const host = await startTestHost();
    expect((await host.run('conversation.search', { query })).hits).toEqual([]);
  },
);
