import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import { type FactsDeps, gatherFacts } from '../../../main/host/policy/gatherFacts.ts';
import type { ToolProfile } from '../../../main/host/servers/toolProfile.ts';
import { handClock, tempFolder } from '../../doubles/hostParts.ts';

async function gathered(
  values: Record<string, unknown>,
  effects: Effects,
  profile?: ToolProfile,
  folders: string[] = [],
  tool = 'go',
  isMadeUp = false,
) {
  const deps: FactsDeps = {
    clock: handClock(),
    system: { platform: process.platform, home: '/home/nobody' },
    effectsOf: () => effects,
    profileOf: () => profile,
    foldersOf: () => folders,
    definitionOf: () => 'accepted',
    managedFor: () => ({ standingForbidden: false, demandsPins: false }),
  };
  const place = { serverId: 's' as ServerId, serverName: 's', conversationId: 'c' as ConversationId, turnId: 't' as TurnId };
  return gatherFacts(deps, { ...place, tool, values, isMadeUp });
}

const user = (...set: Effects['set']): Effects => ({ set, source: 'user' });
const nobody: Effects = { set: ['changes', 'sendsOut'], source: 'nobody' };

describe('without a profile', () => {
  test.each<[string, Record<string, unknown>, Effects, string[]]>([
    [
      'addresses of pages, people and computers pick the destination',
      {
        u: 'https://a.example/x',
        m: 'bob@a.example',
        n: 'Bob <bob@a.example>',
        s: 's3://bucket/x',
        t: 'mailto:bob',
        i: '10.0.0.1',
        l: 'localhost:80',
      },
      user('reads'),
      ['/u', '/m', '/n', '/s', '/t', '/i', '/l'],
    ],
    [
      'addresses however a lenient program reads them',
      {
        a: 'https:a.example/x',
        b: '//a.example/x',
        c: 'ht\ttps://a.example',
        d: '\u0001 https://a.example',
        e: '\\\\a.example\\share',
        f: 'HTTP:/a.example',
        k: 'file://a.example/share',
        g: 'https:\\\\a.example',
        host: 'a。example.com',
        host2: '2130706433',
        host3: '0x7f000001',
      },
      user('reads'),
      ['/a', '/b', '/c', '/d', '/e', '/f', '/k', '/g', '/host', '/host2', '/host3'],
    ],
    [
      'addresses behind blanks and characters that nobody sees, in quotation marks and brackets',
      {
        a: '\u00a0https://a.example/x',
        b: '\ufeff\u200bhttps://a.example',
        c: '<https://a.example>',
        d: '“https://a.example”',
        e: '\u3000bob@a.example\u2028',
        f: '(//a.example)',
      },
      user('reads'),
      ['/a', '/b', '/c', '/d', '/e', '/f'],
    ],
    [
      'lists of addresses in one text',
      {
        a: 'a@a.example, b@b.example',
        b: 'Ann <a@a.example>; Bob Brown <b@b.example>',
        c: 'https://a.example https://b.example',
        d: 'see https://a.example',
        e: 'a, b',
        hosts: 'a.example.com,b.example.com',
      },
      user('changes'),
      ['/a', '/b', '/c', '/hosts'],
    ],
    [
      'names of members too',
      { to: { 'bob@a.example': true }, from: [{ 'https://a.example/x~y': {} }], plain: { name: 'x' } },
      user('reads'),
      ['/to/bob@a.example', '/from/0/https:~1~1a.example~1x~0y'],
    ],
    [
      'names of files and words do not, in what only reads',
      {
        f: 'readme.md',
        p: '/etc/hosts',
        w: 'two words',
        b: 'berlin',
        v: '1.2.3',
        u: 'file:///a',
        c: '// comment',
        l: 'file://localhost/a',
        d: 'note: x',
        i: '123456789',
      },
      user('reads'),
      [],
    ],
    [
      'a bare name of a host does where the argument is named so',
      { host: 'example.com', webhook_url: 'example.com/x', name: 'example.com' },
      user('reads'),
      ['/host', '/webhook_url'],
    ],
    [
      'wherever they stand',
      { list: [{ to: 'a@b.example' }, 'x', ['https://c.example']], 'a/b': 'https://d.example' },
      user('changes'),
      ['/list/0/to', '/list/2/0', '/a~1b'],
    ],
    ['in what sends, they alone', { to: 'a@b.example', text: 'words' }, user('sendsOut'), ['/to']],
    [
      'in what sends and names none, every text and number does',
      { channel: 'general', text: 'words', n: 5, list: ['x'] },
      user('sendsOut'),
      ['/channel', '/text', '/n', '/list/0'],
    ],
    ['as with what nobody reviewed', { channel: 'general', text: 'words' }, nobody, ['/channel', '/text']],
    ['a number alone too: it may be an account', { account: 5, yes: true }, nobody, ['/account']],
    ['and in what is given neither, none does', { yes: true, none: null }, nobody, []],
    ['a number does not in what only reads', { n: 5 }, user('reads'), []],
  ])('%s', async (_name, values, effects, destinations) => {
    expect((await gathered(values, effects)).destinations).toEqual(destinations);
  });

  const words = 'word '.repeat(24);
  test.each<[string, Record<string, unknown>, Effects, string[]]>([
    [
      'whatever stands beside an address, in what sends: any of it may pick who gets it',
      { to: 'a@b.example', text: 'words', urgent: true, none: null, n: 5, deep: [{ channel: 'x' }], empty: {} },
      user('sendsOut'),
      ['/text', '/urgent', '/none', '/n', '/deep/0/channel'],
    ],
    ['as in what nobody reviewed', { to: 'a@b.example', text: 'words' }, nobody, ['/text']],
    ['as in what changes something there', { url: 'https://a.example', title: 'words' }, user('changes'), ['/title']],
    [
      'but no long text in words',
      { to: 'a@b.example', body: `${words}x`, note: words, key: 'x'.repeat(200), lines: 'word\n'.repeat(40) },
      user('sendsOut'),
      ['/note', '/key'],
    ],
    [
      'unless it is named after who gets it, or where',
      {
        a: 'a@b.example',
        guests: `${'bob@a.example '.repeat(10)}and more`,
        cc: `${words}x`,
        channels: `${words}x`,
        replyTo: `${words}x`,
        host_list: `${words}x`,
      },
      user('sendsOut'),
      ['/guests', '/cc', '/channels', '/replyTo', '/host_list'],
    ],
    ['everything where nothing is an address', { to: 'ann', text: `${words}x`, all: false }, user('sendsOut'), ['/to', '/text', '/all']],
    ['as in what nobody reviewed, also where none is a text', { yes: true }, nobody, ['/yes']],
    ['nothing in what changes and names no address', { title: 'words' }, user('changes'), []],
    ['nothing in what only reads at an address', { url: 'https://a.example', title: 'words' }, user('reads'), []],
  ])('has to stay as it is: %s', async (_name, values, effects, keptExact) => {
    expect((await gathered(values, effects)).keptExact).toEqual(keptExact);
  });

  test('a text made to be read for ever is read in no time', async () => {
    const values = { a: '<@.'.repeat(682), b: `${'.'.repeat(200_000)}:x`, host: `${'@.'.repeat(1000)} x`, d: `${' '.repeat(200_000)}x` };
    expect((await gathered(values, user('reads'))).destinations).toEqual([]);
  });

  test('paths in what only reads are known to denials alone, as are those of arguments that no profile names', async () => {
    const folder = realpathSync(tempFolder());
    symlinkSync('/etc', path.join(folder, 'link'));
    const link = path.join(folder, 'link/hosts');
    const read = await gathered({ a: link, b: 'relative' }, user('reads'), undefined, [folder]);
    expect([read.paths, read.mayBePaths]).toEqual([[], [{ at: '/a', real: '/etc/hosts' }]]);
    const known = await gathered({ a: folder, b: link }, user('reads'), { effects: ['reads'], paths: ['/a'] }, [folder]);
    expect(known.paths.map(({ at }) => at)).toEqual(['/a']);
    expect(known.mayBePaths).toEqual([{ at: '/b', real: '/etc/hosts' }]);
    const changed = await gathered({ a: link }, user('changes'));
    expect([changed.paths.map(({ real }) => real), changed.mayBePaths]).toEqual([['/etc/hosts'], undefined]);
  });

  test('paths of what changes are known, but nobody has said that they are all there is', async () => {
    const folder = realpathSync(tempFolder());
    const { paths } = await gathered({ a: folder, b: 'relative', c: '~/x', d: '\\\\server\\x' }, user('changes'), undefined, [folder]);
    expect(paths).toEqual([
      { at: '/a', real: folder, insidePicked: false },
      { at: '/c', real: '/home/nobody/x', insidePicked: false },
      { at: '/d', real: '', insidePicked: false },
    ]);
    expect((await gathered({ a: folder }, user('reads'), undefined, [folder])).paths).toEqual([]);
  });
});

describe('with a profile', () => {
  test('its arguments alone are paths and destinations, each element of a list by itself', async () => {
    const folder = realpathSync(tempFolder());
    mkdirSync(path.join(folder, 'picked'));
    writeFileSync(path.join(folder, 'picked', 'a'), '');
    const picked = path.join(folder, 'picked');
    const profile: ToolProfile = { effects: ['reads'], paths: ['/paths', '/one', '/not'], destinations: ['/to/*', '/cc'] };
    const values = { paths: [`${picked}/a`, `${folder}/b`, 7], one: picked, to: ['x', 'y'], cc: ['z'], text: 'https://example.com' };
    const facts = await gathered(values, user('reads'), profile, [picked]);
    expect(facts.paths).toEqual([
      { at: '/paths/0', real: `${picked}/a`, insidePicked: true, folder: picked },
      { at: '/paths/1', real: `${folder}/b`, insidePicked: false },
      { at: '/paths/2', real: '', insidePicked: false },
      { at: '/one', real: picked, insidePicked: true, folder: picked },
    ]);
    expect(facts.destinations).toEqual(['/to/0', '/to/1', '/cc/0']);
    expect((await gathered(values, user('sendsOut'), profile, [picked])).keptExact).toEqual([]);
  });

  test('more paths than are looked up count as outside', async () => {
    const folder = realpathSync(tempFolder());
    const many = Array.from({ length: 600 }, (_, index) => path.join(folder, String(index)));
    const { paths } = await gathered({ many }, user('reads'), { effects: ['reads'], paths: ['/many/*'] }, [folder]);
    expect(paths.map(({ insidePicked }) => insidePicked)).toEqual(many.map((_, index) => index < 500));
  });
});

test('a resource that a result links to has no destination: its address stands in that result', async () => {
  const effects: Effects = { set: ['reads', 'sendsOut'], source: 'profile' };
  const { destinations, keptExact } = await gathered({ uri: 'https://a.example', n: 1 }, effects, undefined, [], 'resources/read');
  expect([destinations, keptExact]).toEqual([[], []]);

  // A view can make one up.
  const invented = await gathered({ uri: 'note:1' }, effects, undefined, [], 'resources/read', true);
  expect(invented.destinations).toEqual(['/uri']);
});
