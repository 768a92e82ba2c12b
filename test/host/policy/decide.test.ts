import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationId, RuleId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { ArgumentPattern, ChatLabels, Effects } from '../../../preload/contract/policy.ts';
import type { CallFacts } from '../../../main/host/policy/callFacts.ts';
import { decide, kindOf, permits, type RuleFacts } from '../../../main/host/policy/decide.ts';

const facts = (more: Partial<CallFacts> = {}): CallFacts => ({
  serverId: 's1' as ServerId,
  serverName: 'Files',
  tool: 'read',
  effects: { set: ['reads'], source: 'user' },
  conversationId: 'c1' as ConversationId,
  turnId: 't1' as TurnId,
  values: {},
  paths: [],
  destinations: [],
  keptExact: [],
  definition: 'accepted',
  managed: { standingForbidden: false, demandsPins: false },
  now: 1000,
  ...more,
});
const rule = (more: Partial<RuleFacts> = {}): RuleFacts => ({
  id: 'r1' as RuleId,
  serverId: 's1' as ServerId,
  tool: 'read',
  verdict: 'allow',
  scope: 'always',
  conversationId: 'c1' as ConversationId,
  turnId: 't1' as TurnId,
  until: 2000,
  patterns: [],
  createdAt: 0,
  ...more,
});

const clean: ChatLabels = { untrusted: false, private: false, untrustedFrom: [], privateFrom: [] };
const privateOnly: ChatLabels = { ...clean, private: true, privateFrom: ['Files'] };
const untrusted: ChatLabels = { ...clean, untrusted: true, untrustedFrom: ['Web'] };
const both: ChatLabels = { untrusted: true, private: true, untrustedFrom: ['Mail'], privateFrom: ['Mail', 'Files'] };

const user = (...set: Effects['set']): Effects => ({ set, source: 'user' });
const profile = (...set: Effects['set']): Effects => ({ set, source: 'profile' });
const nobody: Effects = { set: ['changes', 'sendsOut'], source: 'nobody' };

const inside = { at: '/path', real: '/home/me/notes/a.md', insidePicked: true, folder: '/home/me/notes' };
const outside = { at: '/path', real: '/etc/hosts', insidePicked: false };
const unknown = { at: '/path', real: '', insidePicked: false };
const atPath = { path: 'as the model wrote it' };
const glob = (value: string, at = '/path'): ArgumentPattern => ({ at, match: { kind: 'glob', value } });
const host = (value: string, at = '/url'): ArgumentPattern => ({ at, match: { kind: 'host', value } });
const exact = (value: string, at = '/to'): ArgumentPattern => ({ at, match: { kind: 'exact', value } });

const toUrl = { values: { url: 'https://example.com/a' }, destinations: ['/url'] };
const toWords = { values: { query: 'weather in Berlin' }, destinations: ['/query'] };
const toPerson = { values: { to: 'bob@example.com' }, destinations: ['/to'] };

const all = ['turn', 'chat', 'until', 'always'] as const;
const none = [] as const;

/** The table of DESIGN §3: a row for each kind of call, three columns: what a card offers beyond `once`, with what it is bound to. */
const rows: [
  name: string,
  call: Partial<CallFacts>,
  kind: string,
  bound: ArgumentPattern[],
  offered: readonly [readonly string[], readonly string[], readonly string[]],
  codes: readonly [string, string, string],
][] = [
  ['a known read', { effects: profile('reads') }, 'knownRead', [], [all, all, all], ['noRule', 'noRule', 'noRule']],
  [
    'a read inside a folder that the user picked',
    { effects: user('reads'), values: atPath, paths: [inside] },
    'knownRead',
    [],
    [all, all, all],
    ['noRule', 'noRule', 'noRule'],
  ],
  ['a read that the user classified', { effects: user('reads') }, 'fixedRead', [], [all, all, all], ['noRule', 'noRule', 'noRule']],
  [
    'a known read outside of every folder',
    { effects: profile('reads'), values: atPath, paths: [outside] },
    'fixedRead',
    [glob('/etc/hosts/**')],
    [all, all, all],
    ['noRule', 'noRule', 'noRule'],
  ],
  [
    'a read of nobody knows what path',
    { effects: profile('reads'), values: atPath, paths: [unknown] },
    'fixedRead',
    [],
    [none, none, none],
    ['noRule', 'noRule', 'noRule'],
  ],
  [
    'a read whose argument picks the host',
    { effects: profile('reads', 'sendsOut'), ...toUrl },
    'choosingRead',
    [host('example.com')],
    [all, all, none],
    ['choosesDestination', 'choosesDestination', 'privateContent'],
  ],
  [
    'a search in words',
    { effects: profile('reads', 'sendsOut'), ...toWords },
    'choosingRead',
    [],
    [['turn', 'chat'], ['turn', 'chat'], none],
    ['choosesDestination', 'choosesDestination', 'privateContent'],
  ],
  [
    'a change inside a folder that the user picked',
    { effects: profile('changes'), values: atPath, paths: [inside] },
    'pickedChange',
    [glob('/home/me/notes/**')],
    [['turn'], ['turn'], ['turn']],
    ['changesOrSendsOut', 'changesOrSendsOut', 'changesOrSendsOut'],
  ],
  [
    'a change elsewhere',
    { effects: user('changes'), values: atPath, paths: [outside] },
    'otherChange',
    [glob('/etc/hosts/**')],
    [all, ['turn', 'chat'], none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'a change without a path',
    { effects: user('reads', 'changes') },
    'otherChange',
    [],
    [['turn', 'chat'], ['turn', 'chat'], none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'sending to somebody',
    { effects: user('sendsOut'), ...toPerson },
    'send',
    [exact('bob@example.com')],
    [all, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'sending to a chat by its number',
    { effects: user('sendsOut'), values: { to: 42 }, destinations: ['/to'] },
    'send',
    [{ at: '/to', match: { kind: 'exact', value: 42 } }],
    [all, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'sending to what is no text',
    { effects: user('sendsOut'), values: { to: { x: 1 } }, destinations: ['/to'] },
    'send',
    [],
    [none, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'sending to a host',
    { effects: user('sendsOut', 'changes'), ...toUrl },
    'send',
    [host('example.com')],
    [all, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'changing and sending where the server has fixed whom',
    { effects: profile('changes', 'sendsOut') },
    'send',
    [],
    [none, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'a change whose argument picks a host',
    { effects: user('changes'), ...toUrl },
    'send',
    [host('example.com')],
    [all, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'a change with a file, whose argument picks a host',
    { effects: user('changes'), values: { ...toUrl.values, ...atPath }, destinations: ['/url'], paths: [inside] },
    'send',
    [glob('/home/me/notes/a.md/**'), host('example.com')],
    [all, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'a read that sends to whom the server has fixed',
    { effects: profile('reads', 'sendsOut') },
    'send',
    [],
    [none, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'sending where the server has fixed whom',
    { effects: profile('sendsOut') },
    'send',
    [],
    [none, none, none],
    ['changesOrSendsOut', 'untrustedContent', 'privateContent'],
  ],
  [
    'a tool that nobody reviewed',
    { effects: nobody, ...toPerson },
    'unreviewed',
    [exact('bob@example.com')],
    [['turn', 'chat'], none, none],
    ['notReviewed', 'notReviewed', 'notReviewed'],
  ],
  [
    'a tool that nobody reviewed, given no text',
    { effects: nobody },
    'unreviewed',
    [],
    [['turn', 'chat'], none, none],
    ['notReviewed', 'notReviewed', 'notReviewed'],
  ],
  [
    'a tool that nobody responsible called a read',
    { effects: { set: ['reads'], source: 'nobody' } },
    'unreviewed',
    [],
    [['turn', 'chat'], none, none],
    ['notReviewed', 'notReviewed', 'notReviewed'],
  ],
];
const columns = [
  ['first', clean, 0],
  ['after private content alone', privateOnly, 0],
  ['after untrusted content', untrusted, 1],
  ['with private content too', both, 2],
] as const;
const cells = rows.flatMap((row) => columns.map((column) => [`${row[0]}, ${column[0]}`, row, column] as const));

describe('the table', () => {
  test.each(cells)('%s: asks, and offers what may stand', (_name, [, more, kind, bound, offered, codes], [, labels, column]) => {
    const call = facts(more);
    expect(kindOf(call)).toBe(kind);
    const { reason, offers, scopes } = decide(call, [], labels);
    expect(reason).toMatchObject({ verdict: 'ask', code: codes[column] });
    expect(reason.ruleId).toBeUndefined();
    expect(scopes).toEqual(['once', ...(offered[column] ?? [])]);
    expect(offers.map(({ scope }) => scope)).toEqual(scopes);
    expect(offers[0]).toMatchObject({ scope: 'once', patterns: [] });
    for (const { scope, patterns, covers } of offers.slice(1)) {
      expect(patterns).toEqual(bound);
      expect(covers).toBe(kind === 'knownRead' && (scope === 'turn' || scope === 'chat') ? 'reads' : undefined);
    }
  });

  test.each(cells)(
    '%s: what a card offers holds for the call that it was offered for, and only by its scope',
    (_name, [, more], [, labels]) => {
      const call = facts(more);
      for (const { scope, patterns, covers } of decide(call, [], labels).offers) {
        if (scope === 'once') continue;
        const given = rule({ scope, patterns, tool: covers === 'reads' ? '*' : 'read' });
        expect(decide(call, [given], labels).reason).toMatchObject({ verdict: 'allow', code: 'ruleAllows', ruleId: 'r1' });
        // Each scope ends by itself: not by another one's end.
        expect(permits(given, { ...call, turnId: 't2' as TurnId }, labels)).toBe(scope !== 'turn');
        expect(permits(given, { ...call, conversationId: 'c2' as ConversationId }, labels)).toBe(scope !== 'chat');
        expect(permits(given, { ...call, now: 2000 }, labels)).toBe(scope !== 'until');
        const later = { ...call, turnId: 't2' as TurnId, conversationId: 'c2' as ConversationId, now: 2000 };
        expect(decide(later, [given], labels).reason.verdict).toBe(scope === 'always' ? 'allow' : 'ask');
        expect(decide({ ...call, serverId: 's2' as ServerId }, [given], labels).reason.verdict).toBe('ask');
      }
    },
  );

  test.each(cells)(
    '%s: no other permission holds, whatever it is bound to',
    (_name, [, more, kind, bound, offered], [, labels, column]) => {
      const call = facts(more);
      // More than cards offer may stand for changes in a picked folder: a rule that the person wrote holds there as elsewhere.
      const holds = kind === 'pickedChange' ? [all, ['turn', 'chat'], ['turn']][column] : offered[column];
      const holding = all.filter((scope) => permits(rule({ scope, patterns: bound }), call, labels));
      expect(holding).toEqual(holds);
    },
  );
});

test('the table of docs/permissions.md is the one that decides', () => {
  const doc = readFileSync(new URL('../../../docs/permissions.md', import.meta.url), 'utf8');
  const table = /<!-- table:begin -->([^]+)<!-- table:end -->/.exec(doc)?.[1] ?? '';
  const inDoc = [...table.matchAll(/^\| (\w+): [^|]+\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, kind, ...cells]) => [kind, ...cells]);
  const kinds = [...new Set(rows.map(([, , kind]) => kind))];
  expect(inDoc.map(([kind]) => kind).toSorted()).toEqual(kinds.toSorted());
  for (const [kind, ...cells] of inDoc) {
    const [, more, , bound] = rows.findLast((row) => row[2] === kind && row[3].length > 0) ?? rows.find((row) => row[2] === kind) ?? [];
    const held = [clean, untrusted, both].map((labels) =>
      all.filter((scope) => permits(rule({ scope, patterns: bound ?? [] }), facts(more), labels)).join(', '),
    );
    expect([kind, ...held.map((scopes) => scopes || '–')]).toEqual([kind, ...cells]);
  }
});

describe('what a permission must bind', () => {
  test.each<[string, Partial<CallFacts>, ArgumentPattern[], boolean]>([
    ['a change in a folder, with the folder', { effects: user('changes'), values: atPath, paths: [inside] }, [glob('/home/me/**')], true],
    [
      'a change in a folder, with another folder',
      { effects: user('changes'), values: atPath, paths: [inside] },
      [glob('/home/you/**')],
      false,
    ],
    ['a change in a folder, without any', { effects: user('changes'), values: atPath, paths: [inside] }, [], false],
    ['a change in a folder, with the whole disk', { effects: user('changes'), values: atPath, paths: [inside] }, [glob('/**')], false],
    [
      'a change of two paths, with one bound',
      { effects: user('changes'), values: { ...atPath, to: 'x' }, paths: [inside, { ...inside, at: '/to' }] },
      [glob('/home/me/**')],
      false,
    ],
    ['a change without a path, with any pattern', { effects: user('changes'), values: { name: 'x' } }, [exact('x', '/name')], true],
    ['a change without a path, without a pattern', { effects: user('changes'), values: { name: 'x' } }, [], false],
    ['a read outside, with its path', { effects: profile('reads'), values: atPath, paths: [outside] }, [glob('/etc/**')], true],
    ['a read outside, without', { effects: profile('reads'), values: atPath, paths: [outside] }, [], false],
    [
      'a read of one path inside and one outside, with the outer',
      { effects: profile('reads'), values: { ...atPath, b: 'x' }, paths: [{ ...inside, at: '/b' }, outside] },
      [glob('/etc/**')],
      true,
    ],
    ['a read that picks a host, with the host', { effects: profile('reads', 'sendsOut'), ...toUrl }, [host('example.com')], true],
    ['a read that picks a host, with another', { effects: profile('reads', 'sendsOut'), ...toUrl }, [host('example.org')], false],
    ['a read that picks a host, without', { effects: profile('reads', 'sendsOut'), ...toUrl }, [], false],
    [
      'a read that picks a host and a file to send along, with the host alone',
      { effects: profile('reads', 'sendsOut'), values: { ...toUrl.values, ...atPath }, destinations: ['/url'], paths: [inside] },
      [host('example.com')],
      false,
    ],
    [
      'sending to two, with one bound',
      { effects: user('sendsOut'), values: { to: 'a', cc: 'b' }, destinations: ['/to', '/cc'] },
      [exact('a')],
      false,
    ],
    [
      'sending to two, with both bound',
      { effects: user('sendsOut'), values: { to: 'a', cc: 'b' }, destinations: ['/to', '/cc'] },
      [exact('a'), exact('b', '/cc')],
      true,
    ],
    [
      'sending to a list, with each bound by one pattern',
      { effects: user('sendsOut'), values: { to: ['a', 'a'] }, destinations: ['/to/0', '/to/1'] },
      [exact('a', '/to/*')],
      true,
    ],
    [
      'sending to a list with a stranger in it',
      { effects: user('sendsOut'), values: { to: ['a', 'b'] }, destinations: ['/to/0', '/to/1'] },
      [exact('a', '/to/*')],
      false,
    ],
    [
      'sending with a file, with the recipient alone',
      { effects: user('sendsOut'), values: { ...toPerson.values, ...atPath }, destinations: ['/to'], paths: [inside] },
      [exact('bob@example.com')],
      false,
    ],
    [
      'sending where nobody knows to whom, with some pattern',
      { effects: user('sendsOut'), values: { text: 'x' } },
      [exact('x', '/text')],
      false,
    ],
    [
      'sending, with a number bound instead',
      { effects: user('sendsOut'), values: { to: 5 }, destinations: ['/to'] },
      [{ at: '/to', match: { kind: 'range', min: 5, max: 5 } }],
      false,
    ],
  ])('%s', (_name, more, patterns, holds) => {
    expect(permits(rule({ patterns }), facts(more), clean)).toBe(holds);
  });

  test('a permission for all known reads of a server holds for nothing else of it', () => {
    const reads = rule({ tool: '*', scope: 'chat' });
    expect(permits(reads, facts({ effects: profile('reads'), tool: 'another' }), both)).toBe(true);
    expect(permits(reads, facts({ effects: user('reads') }), clean)).toBe(false);
    expect(permits(reads, facts({ effects: profile('reads'), values: atPath, paths: [outside] }), clean)).toBe(false);
    expect(permits(reads, facts({ effects: user('changes') }), clean)).toBe(false);
  });

  test('a change to the picked folder itself is offered for that folder, not for the one above', () => {
    const call = facts({ effects: profile('changes'), values: atPath, paths: [{ ...inside, real: '/home/me/notes' }] });
    expect(decide(call, [], clean).offers[1]).toMatchObject({ scope: 'turn', patterns: [glob('/home/me/notes/**')] });
  });

  test('beside a recipient, what nobody has explained has to be the same as on the card, and nothing may come to it', () => {
    const to = 'ann@example.com';
    const call = (more: Record<string, unknown>, ...keptExact: string[]) =>
      facts({ effects: user('sendsOut'), values: { to, ...more }, destinations: ['/to'], keptExact });
    const card = decide(call({ channel: 'general', all: false }, '/channel', '/all'), [], clean);
    const given = rule({ patterns: card.offers.at(-1)?.patterns ?? [] });
    expect(card.offers.at(-1)).toMatchObject({ scope: 'always', text: `Always, only for ${to}, with the same channel and all` });
    const verdictOf = (...of: Parameters<typeof call>) => decide(call(...of), [given], clean).reason.verdict;
    expect(verdictOf({ channel: 'general', all: false }, '/channel', '/all')).toBe('allow');
    expect(verdictOf({ channel: 'strangers', all: false }, '/channel', '/all')).toBe('ask');
    expect(verdictOf({ channel: 'general', all: true }, '/channel', '/all')).toBe('ask');
    expect(verdictOf({ channel: 'general' }, '/channel')).toBe('ask');
    expect(verdictOf({ channel: 'general', all: false, copy: 'x' }, '/channel', '/all', '/copy')).toBe('ask');
    expect(verdictOf({ channel: 'general', all: false, body: 'long words' }, '/channel', '/all')).toBe('allow');
  });

  test('five paths of one folder are offered as one folder; words are no address that could be kept for good', () => {
    const paths = [0, 1, 2].map((index) => ({ ...inside, at: `/paths/${index}`, real: `/home/me/notes/${index}.md` }));
    const call = facts({ effects: profile('changes'), values: { paths: ['a', 'b', 'c'] }, paths });
    expect(decide(call, [], both).offers[1]?.patterns).toEqual([glob('/home/me/notes/**', '/paths/*')]);
    const far = facts({ effects: user('sendsOut'), values: { to: 'x'.repeat(5000) }, destinations: ['/to'] });
    expect(decide(far, [], clean).scopes).toEqual(['once']);
    const many = Array.from({ length: 17 }, (_, index) => `person ${index}`);
    const toMany = facts({ effects: user('sendsOut'), values: { to: many }, destinations: many.map((_, index) => `/to/${index}`) });
    expect(decide(toMany, [], clean).scopes).toEqual(['once']);
  });
});

describe('precedence', () => {
  const denied = { deniesCall: 'Your organisation does not allow Files.', standingForbidden: false, demandsPins: false };
  const allows = rule();
  const denies = rule({ id: 'no' as RuleId, verdict: 'deny' });

  test('the organisation is before everything', () => {
    const { reason, offers, scopes } = decide(facts({ managed: denied }), [allows, denies], clean);
    expect(reason).toEqual({ verdict: 'deny', code: 'managedDenies', text: 'Your organisation does not allow Files.' });
    expect([offers, scopes]).toEqual([[], []]);
  });

  test('then comes the user’s denial, before deletions and changed definitions', () => {
    for (const more of [{}, { definition: 'changed' as const }, { effects: user('deletes') }]) {
      const { reason, scopes } = decide(facts(more), [allows, denies], clean);
      expect(reason).toMatchObject({ verdict: 'deny', code: 'ruleDenies', ruleId: 'no' });
      expect(scopes).toEqual([]);
    }
    expect(decide(facts(), [rule({ verdict: 'deny', tool: '*' })], clean).reason.code).toBe('ruleDenies');
    expect(decide(facts(), [rule({ verdict: 'deny', tool: 'other' })], clean).reason.code).toBe('noRule');
  });

  test('a denial for some arguments holds where one element fits, and for nothing else', () => {
    const denial = rule({ verdict: 'deny', patterns: [host('evil.example', '/urls/*'), exact('x', '/mode')] });
    const urls = (...list: string[]) => facts({ values: { urls: list, mode: 'x' } });
    expect(decide(urls('https://good.example/', 'https://EVIL.example./'), [denial], clean).reason.code).toBe('ruleDenies');
    expect(decide(urls('https://good.example/'), [denial], clean).reason.code).toBe('noRule');
    expect(decide(facts({ values: { urls: ['https://evil.example'], mode: 'y' } }), [denial], clean).reason.code).toBe('noRule');
    expect(decide(urls('https://good.example/'), [rule({ verdict: 'deny' })], clean).reason.code).toBe('ruleDenies');
    expect(permits(rule({ verdict: 'deny' }), facts(), clean)).toBe(false);
  });

  test('a changed definition asks every time, and what was allowed rests; where the organisation wants it, the call is not made', () => {
    const changed = facts({ definition: 'changed' });
    expect(decide(changed, [allows], clean)).toMatchObject({ reason: { verdict: 'ask', code: 'definitionChanged' }, scopes: ['once'] });
    const demanding = { standingForbidden: false, demandsPins: true };
    expect(decide({ ...changed, managed: demanding }, [allows], clean)).toMatchObject({
      reason: { verdict: 'deny', code: 'definitionChanged' },
      scopes: [],
    });
    expect(decide(facts({ managed: demanding }), [allows], clean).reason.verdict).toBe('allow');
  });

  test('what nobody agreed to yet may be tried by hand like any other call, but not where the organisation wants it looked at first', () => {
    const tried = facts({ definition: 'new' });
    expect(decide(tried, [allows], clean)).toEqual(decide(facts(), [allows], clean));
    expect(decide(tried, [], both)).toEqual(decide(facts(), [], both));
    const { reason, scopes } = decide({ ...tried, managed: { standingForbidden: false, demandsPins: true } }, [allows], clean);
    expect(reason).toMatchObject({ verdict: 'deny', code: 'definitionChanged', text: expect.stringContaining('Set by your organisation') });
    expect(scopes).toEqual([]);
  });

  test('a deletion is asked about every time, whoever said what it does', () => {
    for (const effects of [user('deletes'), profile('reads', 'deletes'), { set: ['deletes'], source: 'nobody' } as Effects])
      for (const scope of all)
        expect(decide(facts({ effects }), [rule({ scope })], clean)).toMatchObject({
          reason: { verdict: 'ask', code: 'alwaysAsksToDelete' },
          scopes: ['once'],
        });
  });

  test('where the organisation forbids standing permissions, only those for a turn are offered and hold', () => {
    const managed = { standingForbidden: true, demandsPins: false };
    expect(decide(facts({ managed }), [], clean).scopes).toEqual(['once', 'turn']);
    for (const scope of all)
      expect(decide(facts({ managed }), [rule({ scope })], clean).reason.verdict).toBe(scope === 'turn' ? 'allow' : 'ask');
  });

  test('of several rules the oldest is named, then the one with the smaller id', () => {
    const young = rule({ id: 'a' as RuleId, createdAt: 5 });
    const twins = [rule({ id: 'c' as RuleId }), rule({ id: 'b' as RuleId })];
    for (const order of [
      [young, ...twins],
      [...twins.toReversed(), young],
    ])
      expect(decide(facts(), order, clean).reason.ruleId).toBe('b');
  });

  test('a permission to a date ends with it, and one without a date never holds', () => {
    const until = rule({ scope: 'until' });
    expect(permits(until, facts({ now: 1999 }), clean)).toBe(true);
    expect(permits(until, facts({ now: 2000 }), clean)).toBe(false);
    const { until: _end, ...endless } = until;
    expect(permits(endless, facts(), clean)).toBe(false);
  });
});

describe('the sentence names the cause', () => {
  test.each<[string, Partial<CallFacts>, ChatLabels, string]>([
    ['a deletion', { effects: user('deletes') }, clean, 'You are always asked before something is deleted.'],
    ['a change', { effects: user('changes') }, clean, 'You are asked because this tool changes something.'],
    ['a send', { effects: user('sendsOut') }, clean, 'You are asked because this tool can send data out.'],
    [
      'a change after the web',
      { effects: user('changes') },
      untrusted,
      'You are asked because this chat has read content from Web, which others may have written; this tool changes something.',
    ],
    [
      'a send after mail',
      { effects: user('sendsOut') },
      both,
      'You are asked because this chat has read content from Mail, which others may have written, and private content from Mail and Files; this tool can send data out.',
    ],
    [
      'a page',
      { effects: profile('reads', 'sendsOut'), ...toUrl },
      clean,
      'You are asked because this call itself picks where it goes: example.com.',
    ],
    [
      'a path',
      { effects: profile('reads'), values: atPath, paths: [outside] },
      clean,
      'You are asked because this path is not known to lie in a folder that you picked for Files: /etc/hosts.',
    ],
    ['a read', {}, clean, 'You are asked because you have not allowed this tool yet.'],
    [
      'an unreviewed tool after the web',
      { effects: nobody },
      untrusted,
      'You are asked because nobody has said yet what this tool does. It may change things or send data out. This chat has read content from Web, which others may have written.',
    ],
  ])('%s', (_name, more, labels, text) => {
    expect(decide(facts(more), [], labels).reason.text).toBe(text);
  });

  test('offers say how long and for what', () => {
    const texts = (more: Partial<CallFacts>) => decide(facts(more), [], clean).offers.map(({ text }) => text);
    expect(texts({ effects: profile('changes'), values: atPath, paths: [inside] })).toEqual([
      'Only this call',
      'Until this answer is complete, only inside /home/me/notes',
    ]);
    expect(texts({ effects: profile('reads'), values: atPath, paths: [inside] })[2]).toBe(
      'In this chat: Files, all that it can read in the folders you picked',
    );
    expect(texts({ effects: user('sendsOut'), ...toPerson })[4]).toBe('Always, only for bob@example.com');
  });
});

describe('whatever the call, the rules and the chat', () => {
  const effect = fc.constantFrom('reads', 'changes', 'deletes', 'sendsOut');
  const effects = fc.record({
    set: fc.uniqueArray(effect, { minLength: 1 }),
    source: fc.constantFrom('user', 'profile', 'nobody'),
  }) as fc.Arbitrary<Effects>;
  const destination = fc.constantFrom('https://example.com/x', 'https://evil.example', 'bob@example.com', 'two words', 7, [
    'a',
    'https://example.com',
  ]);
  const call: fc.Arbitrary<CallFacts> = fc
    .record({
      effects,
      path: fc.option(fc.constantFrom(inside, outside, unknown)),
      to: fc.option(destination),
      definition: fc.constantFrom('accepted' as const, 'accepted' as const, 'changed' as const, 'new' as const),
      managed: fc.record({ standingForbidden: fc.boolean(), demandsPins: fc.boolean() }),
      scope: fc.constantFrom('1', '2'),
    })
    .map(({ effects: set, path, to, definition, managed, scope }) =>
      facts({
        effects: set,
        values: { ...(path ? atPath : {}), ...(to === null ? {} : { to }) },
        paths: path ? [path] : [],
        destinations: to === null ? [] : Array.isArray(to) ? to.map((_, index) => `/to/${index}`) : ['/to'],
        definition,
        managed,
        turnId: `t${scope}` as TurnId,
        conversationId: `c${scope}` as ConversationId,
      }),
    );
  const pattern = fc.constantFrom<ArgumentPattern>(
    glob('/home/me/**'),
    glob('/**'),
    glob('/etc/*'),
    host('example.com', '/to'),
    host('*.example', '/to/*'),
    exact('bob@example.com'),
    { at: '/to', match: { kind: 'prefix', value: 'https://example.com/' } },
    { at: '/to', match: { kind: 'range', min: 1 } },
  );
  const anyRule: fc.Arbitrary<RuleFacts> = fc
    .record({
      id: fc.uuid(),
      tool: fc.constantFrom('read', 'read', '*', 'other'),
      verdict: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
      scope: fc.constantFrom(...all),
      patterns: fc.array(pattern, { maxLength: 2 }),
      createdAt: fc.nat(3),
    })
    .map((made) => rule({ ...made, id: made.id as RuleId }));
  const rules = fc.uniqueArray(anyRule, { maxLength: 4, selector: ({ id }) => id });
  const strictness = { allow: 0, ask: 1, deny: 2 } as const;
  const labelsOf = (isUntrusted: boolean, isPrivate: boolean): ChatLabels => ({ ...clean, untrusted: isUntrusted, private: isPrivate });
  const rank = (...given: Parameters<typeof decide>): number => strictness[decide(...given).reason.verdict];
  const runs = { seed: 20261130, numRuns: 1000 };

  test('there is one verdict with a sentence, offers go with a question alone, and `once` is always among them', () => {
    fc.assert(
      fc.property(call, rules, fc.boolean(), fc.boolean(), (given, some, isUntrusted, isPrivate) => {
        const { reason, offers, scopes } = decide(given, some, labelsOf(isUntrusted, isPrivate));
        expect(reason.text.length).toBeGreaterThan(10);
        expect(scopes).toEqual(offers.map(({ scope }) => scope));
        expect(scopes[0]).toBe(reason.verdict === 'ask' ? 'once' : undefined);
        expect(reason.ruleId !== undefined).toBe(reason.code === 'ruleAllows' || reason.code === 'ruleDenies');
      }),
      runs,
    );
  });

  test('what the chat has read more never makes it laxer, nor is more offered', () => {
    fc.assert(
      fc.property(call, rules, fc.boolean(), fc.boolean(), (given, some, isUntrusted, isPrivate) => {
        const less = decide(given, some, labelsOf(isUntrusted, isPrivate));
        for (const more of [labelsOf(true, isPrivate), labelsOf(isUntrusted, true), labelsOf(true, true)]) {
          const then = decide(given, some, more);
          expect(strictness[then.reason.verdict]).toBeGreaterThanOrEqual(strictness[less.reason.verdict]);
          if (less.reason.verdict === 'ask') for (const scope of then.scopes) expect(less.scopes).toContain(scope);
        }
      }),
      runs,
    );
  });

  test('one denial more never makes it laxer, one permission less neither; their order does not matter', () => {
    fc.assert(
      fc.property(call, rules, anyRule, fc.boolean(), fc.boolean(), (given, some, more, isUntrusted, isPrivate) => {
        const labels = labelsOf(isUntrusted, isPrivate);
        const before = rank(given, some, labels);
        expect(rank(given, [...some, { ...more, verdict: 'deny' }], labels)).toBeGreaterThanOrEqual(before);
        expect(
          rank(
            given,
            some.filter(({ verdict }) => verdict === 'deny'),
            labels,
          ),
        ).toBeGreaterThanOrEqual(before);
        expect(decide(given, some.toReversed(), labels)).toEqual(decide(given, some, labels));
      }),
      runs,
    );
  });

  test('nothing that is sent out, changed or deleted passes by a permission for good without an argument pattern', () => {
    fc.assert(
      fc.property(call, rules, fc.boolean(), fc.boolean(), (given, some, isUntrusted, isPrivate) => {
        const { reason } = decide(given, some, labelsOf(isUntrusted, isPrivate));
        if (reason.verdict !== 'allow' || given.effects.set.every((each) => each === 'reads')) return;
        const decisive = some.find(({ id }) => id === reason.ruleId);
        expect(given.effects.set).not.toContain('deletes');
        if (decisive?.scope === 'always' || decisive?.scope === 'until') expect(decisive.patterns?.length).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  test('every permission that a card offers holds for the call in the chat that it was offered in', () => {
    fc.assert(
      fc.property(call, fc.boolean(), fc.boolean(), (given, isUntrusted, isPrivate) => {
        const labels = labelsOf(isUntrusted, isPrivate);
        for (const { scope, patterns, covers } of decide(given, [], labels).offers) {
          if (scope === 'once') continue;
          const { turnId, conversationId } = given;
          const made = rule({ scope, patterns, turnId, conversationId, tool: covers === 'reads' ? '*' : 'read' });
          expect(decide(given, [made], labels).reason.verdict).toBe('allow');
        }
      }),
      runs,
    );
  });
});
