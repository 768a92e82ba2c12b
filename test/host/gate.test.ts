// What the gate asks, what an answer may say, and what then stands, through the whole host.
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConversationId, ServerId } from '../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, Effect } from '../../preload/contract/policy.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';
import type { Play } from '../servers/played.ts';
import { addLocal, callsOf, messagesOf } from './featureWorld.ts';
import { testServer } from './mcp/harness.ts';

interface Step {
  text?: string;
  calls?: { tool: string; arguments: Record<string, unknown> }[];
}

/** A home with a folder of notes, which Files may see, a script in place of the model, and servers that play what they are given. */
async function world() {
  const home = realpathSync(tempFolder());
  const notes = path.join(home, 'notes');
  mkdirSync(notes);
  for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(path.join(notes, `${name}.txt`), `words of ${name}`);
  const script = path.join(home, 'script.json');
  const dataDir = path.join(home, 'data');
  const keychain = memoryKeychain();
  const prompts: string[] = [];
  const notified: string[] = [];
  const start = () =>
    startTestHost({
      dataDir,
      scriptFiles: [script],
      ports: { keychain, notify: ({ body }) => void notified.push(body), paths: { ...nodePorts({ env: {}, dataDir }).paths, home } },
      onModelRequest: ({ messages }) => void prompts.push(JSON.stringify(messages)),
    });
  const host = await start();
  const journal = path.join(home, 'journal');
  writeFileSync(journal, '');

  return {
    home,
    notes,
    host,
    start,
    prompts,
    notified,
    note: (name: string) => path.join(notes, `${name}.txt`),
    /** What the played servers have heard of calls. */
    heard: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"tools/call"'))
        .map((line) => (JSON.parse(line) as { params: { name: string; arguments: unknown } }).params),
    async files(): Promise<ServerId> {
      const { entries } = await host.run('folder.browse', {});
      const folder = entries.find(({ name }) => name === 'notes');
      if (!folder) throw new Error('The folder is not listed.');
      const { server } = await host.run('server.addBundled', { bundled: 'files', folderIds: [folder.id] });
      await host.serversReady();
      return server.id;
    },
    async played(name: string, tools: NonNullable<Play['tools']>, effects: Record<string, Effect[]>): Promise<ServerId> {
      const file = path.join(home, `${name}.play.json`);
      writeFileSync(file, JSON.stringify({ tools } satisfies Play));
      const serverId = await addLocal(host, name, [testServer('played'), file, journal]);
      for (const [tool, set] of Object.entries(effects)) await host.run('server.classifyTool', { serverId, tool, effects: set });
      return serverId;
    },
    async chat(): Promise<ConversationId> {
      return (await host.run('conversation.create', { model: `scripted:${script}` })).conversation.id;
    },
    write: (steps: Step[]) => writeFileSync(script, JSON.stringify({ steps })),
  };
}

type World = Awaited<ReturnType<typeof world>>;

/** Every card that was shown so far. */
const shown = (host: TestHost): Approval[] =>
  host.events.flatMap((message) =>
    message.topic === 'approvals' && message.event.type === 'approval.added' ? [message.event.approval] : [],
  );

const answer = (host: TestHost, { id: approvalId, argumentsHash }: Approval, decision: ApprovalDecision) =>
  host.run('approval.answer', { approvalId, argumentsHash, decision });
const answered = ({ id: approvalId, argumentsHash }: Approval, decision: ApprovalDecision) => ({ approvalId, argumentsHash, decision });
const once: ApprovalDecision = { kind: 'allow', scope: 'once' };

/** Says something in a chat; each card is answered by `decide` as it comes. Resolves with the cards when the turn has ended. */
async function say({ host }: World, conversationId: ConversationId, decide: (approval: Approval) => ApprovalDecision): Promise<Approval[]> {
  const before = shown(host).length;
  const ends = host.events.filter((message) => Boolean(turnEnd(conversationId)(message))).length;
  const failed = Promise.withResolvers<never>();
  const stop = host.host.on((message) => {
    if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return;
    answer(host, message.event.approval, decide(message.event.approval)).catch(failed.reject);
  });
  await host.run('turn.send', { conversationId, text: 'Go on' });
  await Promise.race([host.until(turnEnd(conversationId, ends)), failed.promise]);
  stop();
  return shown(host).slice(before);
}

const widest = ({ offers = [] }: Approval): ApprovalDecision => ({
  kind: 'allow',
  scope: offers.findLast(({ scope }) => scope !== 'always' && scope !== 'until')?.scope ?? 'once',
});
const lastCalls = async ({ host }: World, conversationId: ConversationId) => callsOf((await messagesOf(host, conversationId)).at(-1));

describe('an ordinary day', () => {
  test('five files are summarised with one card, and a later message needs none', async () => {
    const given = await world();
    await given.files();
    const chat = await given.chat();
    const read = (name: string) => ({ tool: 'Files.read_text_file', arguments: { path: given.note(name) } });
    const list = { tool: 'Files.list_directory', arguments: { path: given.notes } };
    given.write([{ calls: [list] }, { calls: ['a', 'b', 'c', 'd', 'e'].map(read) }, { text: 'Done.' }]);
    expect(await say(given, chat, widest)).toMatchObject([
      { tool: 'list_directory', offers: [{}, {}, { scope: 'chat', covers: 'reads' }, {}, {}] },
    ]);
    given.write([
      { calls: [read('a'), { tool: 'Files.search_files', arguments: { path: given.notes, pattern: 'b' } }] },
      { text: 'Done.' },
    ]);
    expect(await say(given, chat, widest)).toEqual([]);
    expect(await lastCalls(given, chat)).toMatchObject([
      { state: 'succeeded', reason: { text: 'You allowed Files to read in this chat.' } },
      { state: 'succeeded' },
    ]);
    // What is read outside of the folders is asked about all the same, and so is another chat.
    given.write([
      { calls: [{ tool: 'Files.read_text_file', arguments: { path: path.join(given.home, 'script.json') } }] },
      { text: 'Done.' },
    ]);
    expect(await say(given, chat, () => ({ kind: 'deny' }))).toHaveLength(1);
    given.write([{ calls: [read('b')] }, { text: 'Done.' }]);
    expect(await say(given, await given.chat(), () => once)).toHaveLength(1);
  });

  test('three files of a folder are edited with two cards; the next message asks anew', async () => {
    const given = await world();
    await given.files();
    const chat = await given.chat();
    const edit = (name: string) => ({ tool: 'Files.write_file', arguments: { path: given.note(name), content: 'new' } });
    given.write([
      { calls: [{ tool: 'Files.read_text_file', arguments: { path: given.note('a') } }] },
      { calls: [edit('a')] },
      { calls: [edit('b')] },
      { calls: [edit('c')] },
      { text: 'Done.' },
    ]);
    const cards = await say(given, chat, widest);
    expect(cards.map(({ tool }) => tool)).toEqual(['read_text_file', 'write_file']);
    expect(cards[1]?.offers?.[1]).toEqual({
      scope: 'turn',
      patterns: [{ at: '/path', match: { kind: 'glob', value: `${given.notes}/**` } }],
      text: `Until this answer is complete, only inside ${given.notes}`,
    });
    expect(readFileSync(given.note('c'), 'utf8')).toBe('new');
    given.write([{ calls: [edit('a')] }, { text: 'Done.' }]);
    expect(await say(given, chat, () => once)).toHaveLength(1);
  });

  test('a mail is read and answered with two cards, and the second says why it is asked', async () => {
    const given = await world();
    const search = { name: 'search_mail', inputSchema: { type: 'object' }, answer: 'Ann: lunch?' };
    await given.played('Mail', [search, { name: 'send_mail', inputSchema: { type: 'object' } }], {
      search_mail: ['reads'],
      send_mail: ['sendsOut'],
    });
    const chat = await given.chat();
    const send = { tool: 'Mail.send_mail', arguments: { to: 'ann@example.com', body: 'Yes' } };
    given.write([{ calls: [send] }, { text: 'Done.' }]);
    // Before anything was read, a permission with the recipient may stand.
    const [first] = await say(given, chat, (approval) => ({
      kind: 'allow',
      scope: 'always',
      patterns: approval.offers?.at(-1)?.patterns ?? [],
    }));
    expect(first?.offers?.at(-1)).toMatchObject({
      patterns: [
        { at: '/to', match: { kind: 'exact', value: 'ann@example.com' } },
        { at: '/body', match: { kind: 'exact', value: 'Yes' } },
      ],
      text: 'Always, only for ann@example.com, with the same body',
    });
    expect(await say(given, await given.chat(), () => once)).toEqual([]);
    given.write([{ calls: [{ tool: 'Mail.search_mail', arguments: { query: 'new' } }] }, { calls: [send] }, { text: 'Done.' }]);
    const cards = await say(given, await given.chat(), widest);
    expect(cards).toMatchObject([
      { tool: 'search_mail', reason: { code: 'noRule' } },
      {
        tool: 'send_mail',
        reason: { code: 'privateContent', text: expect.stringContaining('content from Mail') },
        scopes: ['once'],
        destinations: ['/to'],
        labels: { untrusted: true, private: true },
      },
    ]);
    expect(cards[0]).not.toHaveProperty('labels');
  });
});

describe('calls of one step', () => {
  test('to the same tool are one group in the model’s order; what is unticked is denied with its reason, the rest goes out', async () => {
    const given = await world();
    await given.files();
    const chat = await given.chat();
    given.write([
      { calls: ['a', 'b', 'c'].map((name) => ({ tool: 'Files.read_text_file', arguments: { path: given.note(name) } })) },
      { text: 'Done.' },
    ]);
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const cards = await Promise.all([0, 1, 2].map((n) => given.host.until(card(n))));
    const groupId = cards[0]?.groupId ?? '';
    expect(cards.map((each) => [each.groupId, JSON.parse(each.arguments.text).path])).toEqual(
      ['a', 'b', 'c'].map((name) => [groupId, given.note(name)]),
    );
    // One card, one notification, which says nothing of the arguments.
    expect(given.notified).toEqual(['Files wants to run read_text_file.']);
    const [a, b, c] = cards as [Approval, Approval, Approval];
    const chatWide: ApprovalDecision = { kind: 'allow', scope: 'chat' };

    // All or none: one bad answer among them, and nothing has changed.
    const bad = { ...answered(c, chatWide), argumentsHash: a.argumentsHash };
    expect(await given.host.refused('approval.answerGroup', { groupId, answers: [answered(a, chatWide), bad] })).toMatchObject({
      code: 'wrongHash',
    });
    expect(await given.host.refused('approval.answerGroup', { groupId, answers: [answered(a, once), answered(a, once)] })).toMatchObject({
      code: 'invalidInput',
    });
    expect(await given.host.refused('approval.answerGroup', { groupId: 'another', answers: [answered(a, once)] })).toMatchObject({
      code: 'notFound',
    });
    expect((await given.host.run('approval.list', {})).approvals).toHaveLength(3);
    expect((await given.host.run('rule.list', {})).rules).toEqual([]);

    await given.host.run('approval.answerGroup', {
      groupId,
      answers: [answered(a, chatWide), answered(b, { kind: 'deny', reason: 'Not this one.' }), answered(c, chatWide)],
    });
    await given.host.until(turnEnd(chat));
    // The denial came before the permission, which would else have covered it.
    expect(await lastCalls(given, chat)).toMatchObject([
      { state: 'succeeded' },
      { state: 'denied', by: 'user', message: 'Not this one.' },
      { state: 'succeeded' },
    ]);
    expect(given.prompts.at(-1)).toContain('Not this one.');
    expect((await given.host.run('rule.list', {})).rules).toMatchObject([{ tool: '*', scope: 'chat' }]);
    expect(await given.host.refused('approval.answerGroup', { groupId, answers: [answered(a, once)] })).toMatchObject({
      code: 'alreadyAnswered',
    });
  });

  test('that delete, send out or were never reviewed stand each alone', async () => {
    const given = await world();
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    await given.played('box', [tool('drop'), tool('send'), tool('odd'), tool('put')], {
      drop: ['deletes'],
      send: ['sendsOut'],
      put: ['changes'],
    });
    const chat = await given.chat();
    const twice = (name: string) => [1, 2].map((n) => ({ tool: `box.${name}`, arguments: { n } }));
    // It only changes something, at an address that its arguments pick.
    const elsewhere = [1, 2].map((n) => ({ tool: 'box.put', arguments: { url: `https://${n}.example/` } }));
    given.write([{ calls: [...['drop', 'send', 'odd'].flatMap(twice), ...elsewhere, ...twice('put')] }, { text: 'Done.' }]);
    const cards = await say(given, chat, () => ({ kind: 'deny' }));
    expect(cards.map((each) => each.groupId !== undefined)).toEqual([...Array<boolean>(8).fill(false), true, true]);
    expect(cards[8]?.groupId).toBe(cards[9]?.groupId);
    expect(given.heard()).toEqual([]);
  });
});

describe('arguments that the person changes', () => {
  const put = {
    name: 'put',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, list: { type: 'array', items: { type: 'number' } } },
      required: ['to'],
    },
  };
  const asked = { to: 'everyone@example.com', list: [1, 2, 3], more: true };

  async function waiting() {
    const given = await world();
    const serverId = await given.played('box', [put], { put: ['changes'] });
    const chat = await given.chat();
    given.write([{ calls: [{ tool: 'box.put', arguments: asked }] }, { text: 'Done.' }]);
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    return { given, serverId, chat, approval: await given.host.until(card(0)) };
  }
  const edited = (value: unknown): ApprovalDecision => ({
    kind: 'allow',
    scope: 'once',
    edited: typeof value === 'string' ? value : JSON.stringify(value),
  });

  test('are sent in the place of the model’s, kept beside them, and told to the model', async () => {
    const { given, chat, approval } = await waiting();
    await answer(given.host, approval, edited({ list: [1, 5], to: 'ann@example.com' }));
    await given.host.until(turnEnd(chat));
    expect(given.heard()).toEqual([expect.objectContaining({ name: 'put', arguments: { to: 'ann@example.com', list: [1, 5] } })]);
    const [call] = await lastCalls(given, chat);
    expect(call).toMatchObject({ state: 'succeeded', arguments: { text: '{"list":[1,5],"to":"ann@example.com"}' } });
    expect(JSON.parse(call?.proposedArguments?.text ?? '')).toEqual(asked);
    expect(call?.argumentsHash).not.toBe(approval.argumentsHash);
    const told = JSON.parse(given.prompts.at(-1) ?? '') as { role: string; calls?: unknown[]; results?: { parts: { text: string }[] }[] }[];
    expect(told.at(-2)?.calls).toMatchObject([{ arguments: asked }]);
    expect(told.at(-1)?.results?.[0]?.parts[0]?.text).toBe(
      '[The user changed the arguments that you had asked for before allowing this call:\n/list/1 is now 5\n/list/2 was removed\n/to is now "ann@example.com"\n/more was removed]',
    );

    // It is so after a restart too.
    await given.host.close();
    const again = await given.start();
    expect(callsOf((await messagesOf(again, chat)).at(-1))).toMatchObject([
      { proposedArguments: call?.proposedArguments, arguments: call?.arguments },
    ]);
  });

  test('of one of several calls are sent, kept and told for that one; the others go out as the model asked', async () => {
    const given = await world();
    await given.played('box', [put], { put: ['changes'] });
    const chat = await given.chat();
    given.write([{ calls: ['ann', 'bob', 'cid'].map((to) => ({ tool: 'box.put', arguments: { to } })) }, { text: 'Done.' }]);
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const [a, b, c] = (await Promise.all([0, 1, 2].map((n) => given.host.until(card(n))))) as [Approval, Approval, Approval];
    const groupId = a.groupId ?? '';
    const forTurn: ApprovalDecision = { kind: 'allow', scope: 'turn' };
    const unfit = [answered(a, forTurn), answered(b, edited({ to: 5 })), answered(c, forTurn)];
    expect(await given.host.refused('approval.answerGroup', { groupId, answers: unfit })).toMatchObject({
      code: 'invalidInput',
      fields: [{ name: b.id, message: expect.stringContaining('Nothing was sent') }],
    });
    expect((await given.host.run('approval.list', {})).approvals).toHaveLength(3);

    await given.host.run('approval.answerGroup', {
      groupId,
      answers: [answered(a, forTurn), answered(b, edited({ to: 'bea' })), answered(c, forTurn)],
    });
    await given.host.until(turnEnd(chat));
    expect(given.heard().map((each) => each.arguments)).toEqual([{ to: 'ann' }, { to: 'bea' }, { to: 'cid' }]);
    const calls = await lastCalls(given, chat);
    expect(calls.map((call) => [call.arguments.text, call.proposedArguments?.text])).toEqual([
      ['{"to":"ann"}', undefined],
      ['{"to":"bea"}', '{"to":"bob"}'],
      ['{"to":"cid"}', undefined],
    ]);
    expect(calls.map((call, index) => call.argumentsHash === [a, b, c][index]?.argumentsHash)).toEqual([true, false, true]);
    const told = JSON.parse(given.prompts.at(-1) ?? '') as { results?: { parts: { text: string }[] }[] }[];
    const notes = told.at(-1)?.results?.map(({ parts }) => parts[0]?.text.includes('The user changed the arguments'));
    expect(notes).toEqual([false, true, false]);
    const { rows } = await given.host.run('audit.list', { filter: {} });
    const answers = rows.filter(({ kind }) => kind === 'call.answered').map(({ callId, hash, outcome }) => [callId, hash, outcome]);
    expect(answers.toReversed()).toEqual(
      [a, b, c].map((each, index) => [each.callId, calls[index]?.argumentsHash, index === 1 ? 'allowed edited' : 'allowed']),
    );
  });

  test('are checked like the model’s: by the schema, by every denial, and for this call alone', async () => {
    const { given, serverId, chat, approval } = await waiting();
    const rule = {
      serverId,
      tool: 'put',
      verdict: 'deny',
      scope: 'always',
      patterns: [{ at: '/to', match: { kind: 'prefix', value: 'boss' } }],
    } as const;
    await given.host.run('rule.add', { rule: { ...rule, patterns: [...rule.patterns] } });
    const refused = async (decision: ApprovalDecision) => (await given.host.refused('approval.answer', answered(approval, decision))).code;
    expect(await refused(edited({ list: [] }))).toBe('invalidInput');
    expect(await refused(edited({ to: 5 }))).toBe('invalidInput');
    expect(await refused(edited('{"to": "ann"'))).toBe('invalidInput');
    expect(await refused(edited('["ann"]'))).toBe('invalidInput');
    expect(await refused(edited({ to: 'boss@example.com' }))).toBe('notAllowed');
    expect(await refused({ kind: 'allow', scope: 'chat', edited: '{"to":"ann"}' })).toBe('invalidInput');
    expect((await given.host.run('approval.list', {})).approvals).toHaveLength(1);
    expect(given.heard()).toEqual([]);
    await answer(given.host, approval, { kind: 'deny' });
    await given.host.until(turnEnd(chat));
  });
});

describe('a permission', () => {
  const send = { name: 'send', inputSchema: { type: 'object' } };

  test('may be narrower than what the card offers, never wider, and must fit the call', async () => {
    const given = await world();
    await given.files();
    const chat = await given.chat();
    mkdirSync(path.join(given.notes, 'deep'));
    given.write([
      { calls: [{ tool: 'Files.write_file', arguments: { path: path.join(given.notes, 'deep', 'x.md'), content: 'x' } }] },
      { text: 'Done.' },
    ]);
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const approval = await given.host.until(card(0));
    const within = (value: string): ApprovalDecision => ({
      kind: 'allow',
      scope: 'turn',
      patterns: [{ at: '/path', match: { kind: 'glob', value } }],
    });
    const code = async (decision: ApprovalDecision) => (await given.host.refused('approval.answer', answered(approval, decision))).code;
    expect(await code(within(`${given.notes}/**`))).toBe('notAllowed');
    expect(await code(within('/**'))).toBe('notAllowed');
    expect(await code(within(`${given.notes}/deep/other/**`))).toBe('notAllowed');
    expect(await code({ kind: 'allow', scope: 'turn', patterns: [] })).toBe('notAllowed');
    expect(await code({ kind: 'allow', scope: 'always' })).toBe('notAllowed');
    expect(await code({ kind: 'allow', scope: 'chat' })).toBe('notAllowed');
    await answer(given.host, approval, within(`${given.notes}/deep/*.md`));
    await given.host.until(turnEnd(chat));
    expect(readFileSync(path.join(given.notes, 'deep', 'x.md'), 'utf8')).toBe('x');
  });

  test('to a date needs one within a year, and answers cards in other chats, one for a chat only its own', async () => {
    const given = await world();
    const serverId = await given.played('box', [send], { send: ['reads'] });
    given.write([{ calls: [{ tool: 'box.send', arguments: { q: 'x' } }] }, { text: 'Done.' }]);
    const chats = [await given.chat(), await given.chat(), await given.chat()] as const;
    for (const conversationId of chats) await given.host.run('turn.send', { conversationId, text: 'Go' });
    const cards = await Promise.all([0, 1, 2].map((n) => given.host.until(card(n))));
    const of = (chat: ConversationId) => cards.find(({ conversationId }) => conversationId === chat) as Approval;
    await answer(given.host, of(chats[0]), { kind: 'allow', scope: 'chat' });
    await given.host.until(turnEnd(chats[0]));
    expect((await given.host.run('approval.list', {})).approvals.map(({ conversationId }) => conversationId).toSorted()).toEqual(
      [chats[1], chats[2]].toSorted(),
    );

    for (const until of [undefined, Date.now() - 1, Date.now() + 400 * 86_400_000])
      expect(
        (
          await given.host.refused(
            'approval.answer',
            answered(of(chats[1]), { kind: 'allow', scope: 'until', ...(until === undefined ? {} : { until }) }),
          )
        ).code,
      ).toBe('invalidInput');
    const until = Date.now() + 86_400_000;
    await answer(given.host, of(chats[1]), { kind: 'allow', scope: 'until', until });
    await Promise.all([given.host.until(turnEnd(chats[1])), given.host.until(turnEnd(chats[2]))]);
    expect(await lastCalls(given, chats[2])).toMatchObject([{ state: 'succeeded', reason: { code: 'ruleAllows' } }]);
    const { rules } = await given.host.run('rule.list', {});
    expect(rules.find(({ scope }) => scope === 'until')).toMatchObject({ serverId, tool: 'send', until, uses: 1 });
  });

  test('that is taken back while a call waits for its turn does not hold any more; a denial made meanwhile does', async () => {
    const given = await world();
    const serverId = await given.played('box', [send, { name: 'slow', inputSchema: { type: 'object' } }], {
      send: ['changes'],
      slow: ['changes'],
    });
    const pattern = { at: '/q', match: { kind: 'exact', value: 'x' } } as const;
    const { rule } = await given.host.run('rule.add', {
      rule: { serverId, tool: 'send', verdict: 'allow', scope: 'always', patterns: [pattern] },
    });
    given.write([
      {
        calls: [
          { tool: 'box.slow', arguments: {} },
          { tool: 'box.send', arguments: { q: 'x' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const chat = await given.chat();
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const slow = await given.host.until(card(0));
    // The second call has passed the gate by its rule, and waits for the first: there is no card for it, and it is not a use of the rule yet.
    expect((await given.host.run('approval.list', {})).approvals).toHaveLength(1);
    expect((await given.host.run('rule.list', {})).rules).toMatchObject([{ uses: 0 }]);
    await given.host.run('rule.remove', { ruleId: rule.id });
    expect((await given.host.run('approval.list', {})).approvals).toHaveLength(1);
    await answer(given.host, slow, once);
    const again = await given.host.until(card(1));
    expect(again).toMatchObject({ tool: 'send', reason: { code: 'privateContent' } });
    await given.host.run('rule.add', { rule: { serverId, tool: '*', verdict: 'deny', scope: 'always', patterns: [] } });
    await answer(given.host, again, once);
    await given.host.until(turnEnd(chat));
    expect(await lastCalls(given, chat)).toMatchObject([
      { state: 'succeeded' },
      { state: 'denied', by: 'rule', reason: { code: 'ruleDenies' } },
    ]);
    expect(given.heard().map(({ name }) => name)).toEqual(['slow']);
  });

  test('that let a card pass and is taken back before the call goes out makes a card again', async () => {
    const given = await world();
    const serverId = await given.played('box', [send, { name: 'slow', inputSchema: { type: 'object' } }], {
      send: ['changes'],
      slow: ['changes'],
    });
    given.write([
      {
        calls: [
          { tool: 'box.slow', arguments: {} },
          { tool: 'box.send', arguments: { q: 'x' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const chat = await given.chat();
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const slow = await given.host.until(card(0));
    await given.host.until(card(1));
    const patterns = [{ at: '/q', match: { kind: 'exact', value: 'x' } } as const];
    const { rule } = await given.host.run('rule.add', { rule: { serverId, tool: 'send', verdict: 'allow', scope: 'always', patterns } });
    await expect.poll(async () => (await given.host.run('approval.list', {})).approvals).toMatchObject([{ tool: 'slow' }]);
    await given.host.run('rule.remove', { ruleId: rule.id });
    await answer(given.host, slow, once);
    await answer(given.host, await given.host.until(card(2)), once);
    await given.host.until(turnEnd(chat));
    expect(await lastCalls(given, chat)).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded', tool: 'send' }]);
    expect(given.heard().map(({ name }) => name)).toEqual(['slow', 'send']);
  });

  test('for a path ends where the path leads elsewhere than when it was asked about', async () => {
    const given = await world();
    await given.files();
    const chat = await given.chat();
    const link = path.join(given.notes, 'link.txt');
    symlinkSync(given.note('a'), link);
    given.write([{ calls: [{ tool: 'Files.read_text_file', arguments: { path: link } }] }, { text: 'Done.' }]);
    await given.host.run('turn.send', { conversationId: chat, text: 'Go' });
    const approval = await given.host.until(card(0));
    rmSync(link);
    symlinkSync(path.join(given.home, 'script.json'), link);
    await answer(given.host, approval, once);
    await given.host.until(turnEnd(chat));
    expect(await lastCalls(given, chat)).toMatchObject([
      { state: 'denied', by: 'host', message: expect.stringContaining('leads elsewhere') },
    ]);
  });
});

describe('rules', () => {
  test('outlive an update of the configuration’s name, a new connection and a restart, with their count and last use (faults 72 and 74)', async () => {
    const given = await world();
    const serverId = await given.played('box', [{ name: 'look', inputSchema: { type: 'object' } }], { look: ['reads'] });
    given.write([{ calls: [{ tool: 'box.look', arguments: {} }] }, { text: 'Done.' }]);
    await say(given, await given.chat(), () => ({ kind: 'allow', scope: 'always' }));
    await given.host.run('server.update', { serverId, name: 'crate' });
    await given.host.serversReady();
    given.write([{ calls: [{ tool: 'crate.look', arguments: {} }] }, { text: 'Done.' }]);
    expect(await say(given, await given.chat(), () => ({ kind: 'deny' }))).toEqual([]);
    await given.host.run('server.restart', { serverId });
    expect(await say(given, await given.chat(), () => ({ kind: 'deny' }))).toEqual([]);
    await given.host.close();

    const host = await given.start();
    await host.serversReady();
    const { conversation } = await host.run('conversation.create', { model: `scripted:${path.join(given.home, 'script.json')}` });
    await host.run('turn.send', { conversationId: conversation.id, text: 'Go' });
    expect(await host.until(turnEnd(conversation.id))).toMatchObject({ state: 'done' });
    expect(shown(host)).toEqual([]);
    expect(callsOf((await messagesOf(host, conversation.id)).at(-1))).toMatchObject([
      { state: 'succeeded', reason: { code: 'ruleAllows' } },
    ]);
    const { rules } = await host.run('rule.list', {});
    expect(rules).toMatchObject([{ serverName: 'crate', tool: 'look', scope: 'always', uses: 3, lastUsedAt: expect.any(Number) }]);
  });

  test('made on their page are shown beforehand by the calls that they would have decided, and only what a card could give is taken', async () => {
    const given = await world();
    const tools = ['look', 'fetch', 'send', 'put', 'drop', 'odd'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const serverId = await given.played('box', tools, {
      look: ['reads'],
      fetch: ['reads', 'sendsOut'],
      send: ['sendsOut'],
      put: ['changes'],
      drop: ['deletes'],
    });
    await given.host.run('server.setContent', { serverId, untrusted: false, private: false });
    const chat = await given.chat();
    const fetch = (url: string) => ({ calls: [{ tool: 'box.fetch', arguments: { url } }] });
    given.write([fetch('https://example.com/1'), fetch('https://evil.example/2'), fetch('https://example.com/3'), { text: 'Done.' }]);
    await say(given, chat, ({ arguments: { text } }) => (text.includes('evil') ? { kind: 'deny' } : once));

    const draft = (
      tool: string,
      verdict: 'allow' | 'deny',
      ...patterns: { at: string; match: { kind: 'host' | 'prefix'; value: string } }[]
    ) => ({ serverId, tool, verdict, scope: 'always' as const, patterns });
    const host = (value: string) => ({ at: '/url', match: { kind: 'host' as const, value } });
    const preview = async (rule: ReturnType<typeof draft>) => {
      const { calls, looked } = await given.host.run('rule.preview', { rule });
      return [looked, ...calls.map(({ arguments: text, was }) => `${JSON.parse(text).url}: ${was}`)];
    };
    expect(await preview(draft('fetch', 'allow', host('example.com')))).toEqual([
      3,
      'https://example.com/3: you allowed it',
      'https://example.com/1: you allowed it',
    ]);
    expect(await preview(draft('*', 'deny', host('evil.example')))).toEqual([3, 'https://evil.example/2: you denied it']);
    expect(await preview(draft('fetch', 'allow'))).toEqual([3]);

    const refused = async (rule: ReturnType<typeof draft>) => (await given.host.refused('rule.add', { rule })).code;
    for (const tool of ['fetch', 'send', 'put', 'drop', 'odd', '*'])
      expect([tool, await refused(draft(tool, 'allow'))]).toEqual([tool, 'notAllowed']);
    expect(await refused(draft('drop', 'allow', host('example.com')))).toBe('notAllowed');
    expect(await refused(draft('odd', 'allow', host('example.com')))).toBe('notAllowed');
    expect(await refused(draft('fetch', 'allow', host('*.com')))).toBe('invalidInput');
    expect(await refused({ ...draft('look', 'allow'), serverId: 'gone' as ServerId })).toBe('notFound');
    expect((await given.host.run('rule.add', { rule: draft('look', 'allow') })).rule).toMatchObject({
      serverName: 'box',
      tool: 'look',
      uses: 0,
    });
    await given.host.run('rule.add', { rule: draft('fetch', 'allow', host('example.com')) });
    given.write([fetch('https://example.com/4'), fetch('https://example.com.evil.example/5'), { text: 'Done.' }]);
    expect((await say(given, chat, () => ({ kind: 'deny' }))).map(({ arguments: { text } }) => text)).toEqual([
      '{"url":"https://example.com.evil.example/5"}',
    ]);
  });
});
