import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ArgumentPattern } from '../../../preload/contract/policy.ts';
import { hits } from '../../../main/host/policy/denials.ts';
import {
  bindsDestination,
  bindsPath,
  fits,
  globFits,
  hostOf,
  isNarrower,
  leadsTo,
  literalGlob,
  pointedAt,
  pointerTo,
} from '../../../main/host/policy/patterns.ts';

const at = (match: ArgumentPattern['match'], pointer = '/a'): ArgumentPattern => ({ at: pointer, match });
const one = (value: unknown) => ({ values: { a: value }, paths: [] });
const runs = { seed: 20261130, numRuns: 1000 };

describe('pointers', () => {
  const values = { a: [{ b: 1 }, { b: 2 }, {}], 'x/y': { '~': 3 }, '*': 4, n: null };
  test.each<[string, [string, unknown][]]>([
    ['/a/0/b', [['/a/0/b', 1]]],
    [
      '/a/*/b',
      [
        ['/a/0/b', 1],
        ['/a/1/b', 2],
      ],
    ],
    ['/x~1y/~0', [['/x~1y/~0', 3]]],
    ['/*', [['/*', 4]]],
    ['/a/00', []],
    ['/a/-1', []],
    ['/a/3', []],
    ['/a/length', []],
    ['/constructor', []],
    ['/n/x', []],
    ['/n', [['/n', null]]],
    ['a', []],
    ['', []],
  ])('%s', (pointer, found) => {
    expect(pointedAt(values, pointer)).toEqual(found.map(([where, value]) => ({ at: where, value })));
  });

  test('a pattern leads to a place by the same steps, `*` by any one', () => {
    expect(leadsTo('/a/*', '/a/0')).toBe(true);
    expect(leadsTo('/a/*', '/a/*')).toBe(true);
    expect(leadsTo('/a/0', '/a/*')).toBe(false);
    expect(leadsTo('/a', '/a/0')).toBe(false);
    expect(leadsTo('/a/*', '/b/0')).toBe(false);
  });

  test('every member of any value is found again by its pointer', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        for (const [name, value] of Object.entries(object))
          if (name !== '*') expect(pointedAt(object, pointerTo('', name))).toEqual([{ at: pointerTo('', name), value }]);
      }),
      runs,
    );
  });
});

describe('a permission needs every value to fit, a denial one', () => {
  test.each<[string, unknown, boolean, boolean]>([
    ['all', ['x', 'x'], true, true],
    ['one of two', ['x', 'y'], false, true],
    ['none', ['y'], false, false],
    ['an empty list', [], false, false],
    ['no list', 'x', false, false],
  ])('%s', (_name, value, every, some) => {
    const pattern = at({ kind: 'exact', value: 'x' }, '/a/*');
    expect([fits(pattern, one(value)), hits(pattern, one(value))]).toEqual([every, some]);
  });
});

describe('what fits', () => {
  test.each<[ArgumentPattern['match'], unknown, boolean]>([
    [{ kind: 'exact', value: 'x' }, 'x', true],
    [{ kind: 'exact', value: 1 }, '1', false],
    [{ kind: 'exact', value: null }, null, true],
    [{ kind: 'exact', value: null }, undefined, false],
    [{ kind: 'exact', value: false }, false, true],
    [{ kind: 'prefix', value: 'ab' }, 'abc', true],
    [{ kind: 'prefix', value: 'ab' }, 'xab', false],
    [{ kind: 'prefix', value: 'ab' }, ['ab'], false],
    [{ kind: 'prefix', value: '/notes/' }, '/notes/a..b/c', true],
    [{ kind: 'prefix', value: '/notes/' }, '/notes/../etc/shadow', false],
    [{ kind: 'prefix', value: '/notes/' }, '/notes/a/%2e%2E/%252e./x', false],
    [{ kind: 'prefix', value: '/notes/' }, '/notes/%25252525252e', false],
    [{ kind: 'prefix', value: 'https://example.com/me/' }, 'https://example.com/me/..\\you', false],
    [{ kind: 'prefix', value: 'https://example.com/me/' }, 'https://example.com/me/.\n./you', false],
    [{ kind: 'prefix', value: 'https://example.com/me/' }, 'https://example.com/me/..;/you', false],
    [{ kind: 'prefix', value: 'https://example.com/me/' }, 'https://example.com/me/100%', true],
    [{ kind: 'range', min: 1, max: 3 }, 1, true],
    [{ kind: 'range', min: 1, max: 3 }, 3, true],
    [{ kind: 'range', min: 1, max: 3 }, 3.1, false],
    [{ kind: 'range', min: 1, max: 3 }, 0.9, false],
    [{ kind: 'range', min: 1 }, 1e300, true],
    [{ kind: 'range', max: 1 }, -5, true],
    [{ kind: 'range', min: 1 }, '2', false],
    [{ kind: 'host', value: 'example.com' }, 'https://example.com/a?b', true],
    [{ kind: 'host', value: 'example.com' }, 5, false],
    [{ kind: 'host', value: 'EXAMPLE.com.' }, 'https://example.com', true],
    [{ kind: 'host', value: '*.example.com' }, 'https://a.b.example.com', true],
    [{ kind: 'host', value: '*.example.com' }, 'https://example.com', false],
    [{ kind: 'host', value: '*.example.com' }, 'https://evilexample.com', false],
    [{ kind: 'host', value: '*.' }, 'https://a.', false],
    [{ kind: 'glob', value: '/**' }, '/etc/passwd', false],
  ])('%j and %j: %s', (match, value, yes) => {
    expect(fits(at(match), one(value))).toBe(yes);
  });

  test('a path is compared by what it leads to, never by how it is written; a denial hits either', () => {
    const call = { values: { a: '/home/me/link' }, paths: [{ at: '/a', real: '/etc/secret', insidePicked: false }] };
    const written = at({ kind: 'exact', value: '/home/me/link' });
    const real = at({ kind: 'exact', value: '/etc/secret' });
    expect([fits(written, call), fits(real, call)]).toEqual([false, true]);
    expect([hits(written, call), hits(real, call)]).toEqual([true, true]);
    expect(fits(at({ kind: 'prefix', value: '/home' }), call)).toBe(false);
    expect(fits(at({ kind: 'prefix', value: '/etc' }), call)).toBe(true);
    expect(fits(at({ kind: 'glob', value: '/etc/*' }), call)).toBe(true);
    expect(fits(at({ kind: 'glob', value: '/home/**' }), call)).toBe(false);
  });
});

describe('globs', () => {
  test.each<[string, string, boolean]>([
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/', true],
    ['/a/*', '/a/b/c', false],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/a', true],
    ['/a/**', '/ab', false],
    ['/a/**', '/', false],
    ['/a/**/c', '/a/b/b/c', true],
    ['/a/**/c', '/a/c', false],
    ['/a/?.md', '/a/x.md', true],
    ['/a/?.md', '/a/xy.md', false],
    ['/a/?', '/a//', false],
    ['/a/*.md', '/a/b.md.txt', false],
    ['/a/[*]', '/a/*', true],
    ['/a/[*]', '/a/b', false],
    ['/a/[b', '/a/[b', true],
    ['/a', '/a/b', false],
    ['/a.b', '/axb', false],
    ['/a', '', false],
    ['/**', '', false],
    ['', '', false],
    ['C:\\notes\\**', 'C:\\notes\\a\\b', true],
    ['C:/notes/*', 'C:\\notes\\a', true],
    ['C:/notes/*', 'C:\\notes\\a\\b', false],
    ['/a\\b', '/a/b', false],
    ['/a/é', '/a/é', true],
    ['/a/?', '/a/😀', true],
  ])('%s and %s: %s', (glob, path, yes) => {
    expect(globFits(glob, path, false)).toBe(yes);
  });

  test('capitals count where the system’s files count them', () => {
    expect(globFits('/A/**', '/a/b', false)).toBe(false);
    expect(globFits('/A/**', '/a/b', true)).toBe(true);
    expect(globFits('/a/e\u0301', '/a/\u00e9', true)).toBe(true);
  });

  test('a path as a literal glob fits itself alone', () => {
    const path = fc
      .string({ unit: fc.constantFrom('a', 'b', '*', '?', '[', ']', '.', '-'), minLength: 1, maxLength: 8 })
      .map((name) => `/${name}`);
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect(globFits(literalGlob(a), b, false)).toBe(a === b);
        expect(globFits(`${literalGlob(a)}/**`, `${a}/x/y`, false)).toBe(true);
        expect(globFits(`${literalGlob(a)}/**`, `${b}/x`, false)).toBe(a === b);
      }),
      runs,
    );
  });

  test('a glob made to take for ever takes no time', () => {
    expect(globFits(`${'*a'.repeat(60)}b`, 'a'.repeat(500), false)).toBe(false);
    expect(globFits(`/${'**/'.repeat(60)}b`, '/a'.repeat(300), false)).toBe(false);
  });
});

describe('hosts', () => {
  test.each<[string, string | undefined]>([
    ['https://example.com', 'example.com'],
    ['HTTPS://EXAMPLE.COM:443/x', 'example.com'],
    ['http://example.com:8080', 'example.com:8080'],
    ['wss://example.com/x', 'example.com'],
    ['https://example.com./', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://[::1]:3000/', '[::1]:3000'],
    ['https://example.com/a b', 'example.com'],
    ['example.com', 'example.com'],
    ['example.com:8443/x', 'example.com:8443'],
    ['localhost:3000', 'localhost:3000'],
    ['10.0.0.1', '10.0.0.1'],
    ['https://example.com@evil.example/', undefined],
    ['https://user:pass@example.com/', undefined],
    ['https://example.com\\@evil.example/', undefined],
    ['https:\\\\evil.example', undefined],
    ['https://exam\tple.com/', undefined],
    ['https://evil.example\n.example.com/', undefined],
    ['https://example.com%2eevil.example/', undefined],
    ['https://example.com /', undefined],
    [' https://example.com', undefined],
    ['https:/evil.example', undefined],
    ['https:///evil.example', undefined],
    ['https:evil.example', undefined],
    ['//evil.example', undefined],
    ['ftp://example.com', undefined],
    ['javascript://example.com/%0aalert(1)', undefined],
    ['file:///etc/passwd', undefined],
    ['https://.example.com', undefined],
    ['https://a..example.com', undefined],
    ['https://.', undefined],
    ['berlin', undefined],
    ['two words.com', undefined],
    ['bob@example.com', undefined],
    ['', undefined],
  ])('%s: %s', (text, host) => {
    expect(hostOf(text)).toBe(host);
  });

  test('what is found is where the parser of URLs goes, or nothing', () => {
    const piece = fc.constantFrom(
      'https://',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      '%2e',
      'example.com',
      'evil.example',
      '8080',
      '#',
      '?',
      ' ',
      '\t',
      'é',
      '[::1]',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const text = pieces.join('');
        const host = hostOf(text);
        if (host === undefined) return;
        const url = URL.parse(/^\w+:\/\//.test(text) ? text : `https://${text}`);
        expect(host).toBe(url?.host.replace(/\.(?=:|$)/, ''));
        expect(url?.username + (url?.password ?? '')).toBe('');
      }),
      runs,
    );
  });
});

describe('what binds', () => {
  test.each<[ArgumentPattern['match'], boolean, boolean]>([
    [{ kind: 'exact', value: 'x' }, true, true],
    [{ kind: 'exact', value: '' }, false, false],
    [{ kind: 'exact', value: 5 }, true, false],
    [{ kind: 'exact', value: true }, false, false],
    [{ kind: 'host', value: 'example.com' }, true, false],
    [{ kind: 'host', value: '*.example.com' }, true, false],
    [{ kind: 'host', value: '*.com' }, false, false],
    [{ kind: 'host', value: '*.co.uk' }, false, false],
    [{ kind: 'host', value: '*.github.io' }, false, false],
    [{ kind: 'host', value: '*' }, false, false],
    [{ kind: 'host', value: 'a@b.com' }, false, false],
    [{ kind: 'prefix', value: 'https://example.com/' }, true, false],
    [{ kind: 'prefix', value: 'https://example.com' }, false, false],
    [{ kind: 'prefix', value: 'https://a@b.com/' }, false, false],
    [{ kind: 'prefix', value: 'h' }, false, false],
    [{ kind: 'glob', value: '/a/**' }, false, true],
    [{ kind: 'glob', value: '/a/b*' }, false, true],
    [{ kind: 'glob', value: '/a/b' }, false, true],
    [{ kind: 'glob', value: '/**' }, false, false],
    [{ kind: 'glob', value: '/a*/**' }, false, false],
    [{ kind: 'glob', value: '**' }, false, false],
    [{ kind: 'glob', value: 'a/**' }, false, false],
    [{ kind: 'glob', value: 'C:/a/**' }, false, true],
    [{ kind: 'glob', value: 'C:/**' }, false, false],
    [{ kind: 'glob', value: '/[*]/x' }, false, true],
    [{ kind: 'range', min: 1 }, false, false],
  ])('%j', (match, destination, path) => {
    expect([bindsDestination(at(match)), bindsPath(at(match))]).toEqual([destination, path]);
  });
});

describe('narrower', () => {
  const exact = (value: string | number): ArgumentPattern['match'] => ({ kind: 'exact', value });
  const prefix = (value: string): ArgumentPattern['match'] => ({ kind: 'prefix', value });
  const glob = (value: string): ArgumentPattern['match'] => ({ kind: 'glob', value });
  const host = (value: string): ArgumentPattern['match'] => ({ kind: 'host', value });
  test.each<[ArgumentPattern['match'], ArgumentPattern['match'], boolean]>([
    [exact('x'), exact('x'), true],
    [exact('y'), exact('x'), false],
    [prefix('x'), exact('x'), false],
    [exact('xy'), prefix('x'), true],
    [exact('y'), prefix('x'), false],
    [prefix('xy'), prefix('x'), true],
    [prefix('x'), prefix('xy'), false],
    [exact(1), prefix('1'), false],
    [glob('/x/**'), prefix('/x'), false],
    [exact('/a/b'), glob('/a/**'), true],
    [exact('/b'), glob('/a/**'), false],
    [exact(1), glob('/a/**'), false],
    [glob('/a/b/**'), glob('/a/**'), true],
    [glob('/a/*.md'), glob('/a/**'), true],
    [glob('/a/**'), glob('/a/**'), true],
    [glob('/a*/**'), glob('/a/**'), false],
    [glob('/**'), glob('/a/**'), false],
    [glob('/ab/**'), glob('/a/**'), false],
    [glob('/a/*'), glob('/a/?'), false],
    [glob('/a/*'), glob('/a/*'), true],
    [prefix('/a/'), glob('/a/**'), false],
    [host('a.example.com'), host('*.example.com'), true],
    [host('example.com'), host('*.example.com'), false],
    [host('example.com'), host('example.com'), true],
    [host('*.a.example.com'), host('*.example.com'), true],
    [host('*.b.example'), host('*.example.com'), false],
    [exact('https://example.com/x'), host('example.com'), true],
    [exact('https://evil.example/x'), host('example.com'), false],
    [exact(5), host('example.com'), false],
    [prefix('https://example.com/x'), host('example.com'), true],
    [prefix('https://example.com'), host('example.com'), false],
    [glob('/x'), host('example.com'), false],
    [exact(2), { kind: 'range', min: 1, max: 3 }, true],
    [exact(4), { kind: 'range', min: 1, max: 3 }, false],
    [exact(0), { kind: 'range', min: 1, max: 3 }, false],
    [exact(9), { kind: 'range', min: 1 }, true],
    [exact('2'), { kind: 'range' }, false],
    [{ kind: 'range', min: 2, max: 3 }, { kind: 'range', min: 1, max: 3 }, true],
    [{ kind: 'range', max: 3 }, { kind: 'range', min: 1, max: 3 }, false],
    [{ kind: 'range', min: 2 }, { kind: 'range', min: 1, max: 3 }, false],
    [{ kind: 'range' }, { kind: 'range' }, true],
    [prefix('2'), { kind: 'range' }, false],
  ])('%j in %j: %s', (narrow, wide, yes) => {
    expect(isNarrower(at(narrow), at(wide))).toBe(yes);
    expect(isNarrower(at(narrow, '/b'), at(wide))).toBe(false);
  });

  test('what fits the narrower one fits the wider one', () => {
    const folder = fc
      .array(fc.constantFrom('a', 'b', '*', '**', '?', 'a*'), { minLength: 1, maxLength: 4 })
      .map((steps) => `/${steps.join('/')}`);
    const path = fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 }).map((steps) => `/${steps.join('/')}`);
    fc.assert(
      fc.property(folder, folder, path, (narrow, wide, real) => {
        if (isNarrower(at(glob(narrow)), at(glob(`${wide}/**`))) && globFits(narrow, real, false))
          expect(globFits(`${wide}/**`, real, false)).toBe(true);
      }),
      { ...runs, numRuns: 5000 },
    );
  });
});

describe('a denial', () => {
  const link = { values: { a: '/link/x' }, paths: [{ at: '/a', real: '/real/x', insidePicked: false }] };
  test.each<[boolean, string, ArgumentPattern['match'], Parameters<typeof hits>[1]]>([
    [true, 'a folder, where nobody has said that the argument is a path', { kind: 'glob', value: '/secret/**' }, one('/secret/a')],
    [true, 'a folder through steps that climb', { kind: 'glob', value: '/secret/**' }, one('/open/../secret/a')],
    [true, 'a folder in an address', { kind: 'glob', value: '/secret/**' }, one('file:///secret/a')],
    [true, 'any of a list', { kind: 'glob', value: '/secret/**' }, { values: { a: ['/open', '/secret/b'] }, paths: [] }],
    [true, 'a folder by what a path leads to', { kind: 'glob', value: '/real/**' }, link],
    [true, 'a folder by how it was written', { kind: 'glob', value: '/link/**' }, link],
    [true, 'a beginning by what it leads to', { kind: 'prefix', value: '/real/' }, link],
    [true, 'a beginning by how it was written', { kind: 'prefix', value: '/link/' }, link],
    [true, 'a host with a user name before it', { kind: 'host', value: 'evil.example' }, one('https://me@evil.example/x')],
    [true, 'the host of a mail address', { kind: 'host', value: 'evil.example' }, one('a@evil.example')],
    [true, 'a host at any port', { kind: 'host', value: '*.evil.example' }, one('https://a.evil.example.:8443/')],
    [true, 'what stands in a list', { kind: 'exact', value: 'eve' }, one(['ann', { to: 'eve' }])],
    [true, 'capitals and blanks', { kind: 'exact', value: 'eve@evil.example' }, one(' Eve@Evil.example\n')],
    [true, 'wide letters', { kind: 'exact', value: 'eve' }, one('\uff45ve')],
    [true, 'a number as a text', { kind: 'exact', value: 1000 }, one('1e3')],
    [true, 'a text as a number', { kind: 'exact', value: '5' }, one(5)],
    [true, 'a number of a range as a text', { kind: 'range', min: 100 }, one(' 1,000 ')],
    [true, 'one in another way of writing', { kind: 'range', min: 100 }, one('0x3e8')],
    [false, 'a number below the range as a text', { kind: 'range', min: 100 }, one('99')],
    [false, 'no number at all', { kind: 'range', min: 0 }, one('')],
    [false, 'words', { kind: 'range', min: 0 }, one('5 apples')],
    [false, 'blanks alone', { kind: 'range', min: 0 }, one('  ')],
    [true, 'the least of a range as a text', { kind: 'range', min: 100, max: 200 }, one('100')],
    [true, 'the greatest of a range as a text', { kind: 'range', min: 100, max: 200 }, one('200')],
    [false, 'a number above the range as a text', { kind: 'range', min: 100, max: 200 }, one('201')],
    [true, 'a negative number of a range without a least one', { kind: 'range', max: 5 }, one('-3')],
    [true, 'a number of the most digits that are read', { kind: 'range', min: 5 }, one('5'.padStart(400, '0'))],
    [false, 'a number of more digits than anybody reads', { kind: 'range', min: 5 }, one('5'.padStart(401, '0'))],
    [false, 'another number', { kind: 'exact', value: 1000 }, one('1001')],
    [true, 'nothing, as a text', { kind: 'exact', value: 'null' }, one(null)],
    [true, 'one letter for two', { kind: 'exact', value: 'STRASSE' }, one('straße')],
    [true, 'a beginning in capitals', { kind: 'prefix', value: 'https://evil.example/' }, one('HTTPS://EVIL.example/x')],
    [true, 'a beginning as parsers read it', { kind: 'prefix', value: 'https://evil.example/' }, one('https:me@evil.example:443')],
    [true, 'a beginning through steps that climb', { kind: 'prefix', value: '/secret/' }, one('/open/%2e%2e/secret/a')],
    [false, 'another beginning', { kind: 'prefix', value: 'https://evil.example/' }, one('https://good.example/?https://evil.example/')],
    [true, 'a folder behind percent signs', { kind: 'glob', value: '/secret/**' }, one('/%73ecret/a')],
    [
      true,
      'a folder behind a link, where nobody has said that the argument is a path',
      { kind: 'glob', value: '/real/**' },
      { values: { a: '~/x' }, paths: [], mayBePaths: [{ at: '/a', real: '/real/x' }] },
    ],
    [true, 'an address without its scheme', { kind: 'host', value: 'evil.example' }, one('//evil.example/x')],
    [true, 'an address in brackets', { kind: 'host', value: 'evil.example' }, one('<https://evil.example/x>')],
    [true, 'an address of a repository', { kind: 'host', value: 'evil.example' }, one('git@evil.example:x/y.git')],
    [
      true,
      'one of several addresses',
      { kind: 'host', value: 'evil.example' },
      one('ann@good.example, eve@evil.example, bob@good.example'),
    ],
    [true, 'a host in words', { kind: 'host', value: 'evil.example' }, one('open evil.example. now')],
    [true, 'a host in other letters', { kind: 'host', value: 'xn--bcher-kva.example' }, one('see b\u00fccher.example')],
    [true, 'more words than are looked through', { kind: 'host', value: 'evil.example' }, one('x'.repeat(100_001))],
    [false, 'as many words as are looked through', { kind: 'host', value: 'evil.example' }, one('x'.repeat(100_000))],
    [true, 'a host behind a scheme that names none', { kind: 'host', value: 'evil.example' }, one('data:,evil.example')],
    [false, 'a path named like a host', { kind: 'host', value: 'evil.example' }, one('https://good.example/evil.example')],
    [true, 'an address of a file that no parser takes', { kind: 'glob', value: '**/secret.txt' }, one('file://a b/secret.txt')],
    [false, 'words without it', { kind: 'host', value: 'evil.example' }, one('not evil. example')],
    [false, 'another folder', { kind: 'glob', value: '/secret/**' }, one('/secretive/a')],
    [false, 'another host', { kind: 'host', value: 'evil.example' }, one('https://evil.example@good.example/')],
  ])('%s: hits %s', (expected, _what, match, call) => {
    expect(hits(at(match, Array.isArray(call.values['a']) ? '/a/*' : '/a'), call)).toBe(expected);
  });
});

describe('at the edges', () => {
  test('a text has no members', () => {
    for (const pointer of ['/a/length', '/a/0']) expect(pointedAt({ a: 'text' }, pointer)).toEqual([]);
  });

  test.each(['https://good.example\\evil.net', 'https://good.example/a\u007fb', 'https://good.example/\u0001'])(
    'no host is found where programs could disagree: %j',
    (text) => expect(hostOf(text)).toBeUndefined(),
  );

  test.each([
    ['ws://live.example/x', 'live.example'],
    ['http://good.example', 'good.example'],
    ['good.example:8443', 'good.example:8443'],
  ])('%s leads to %s', (text, host) => expect(hostOf(text)).toBe(host));

  test.each<[string, ArgumentPattern['match'], unknown, boolean]>([
    ['a port of an address without scheme', { kind: 'host', value: 'good.example' }, 'good.example:8443', true],
    ['a final dot', { kind: 'host', value: 'good.example' }, 'https://good.example./x', true],
    ['file: in the middle of a path', { kind: 'glob', value: '/x/**' }, '/x/file:y', true],
    ['a letter and a colon in the middle of a path', { kind: 'glob', value: '/a/**' }, '/a/c:d', true],
    ['a path of Windows that climbs', { kind: 'glob', value: 'C:/Windows/**' }, 'C:\\Users\\..\\Windows\\x', true],
    ['a number that is no path', { kind: 'glob', value: '/**' }, 5, false],
    ['a text that is a number', { kind: 'range', min: 0 }, '5', true],
    ['what is neither', { kind: 'range', min: 0 }, true, false],
  ])('a denial and %s', (_, match, value, is) => expect(hits(at(match), one(value))).toBe(is));

  test.each<[ArgumentPattern['match'], boolean]>([
    [{ kind: 'prefix', value: 'http://good.example/' }, true],
    [{ kind: 'prefix', value: 'http://good.example' }, false],
  ])('%j binds a destination: %s', (match, is) => expect(bindsDestination(at(match))).toBe(is));

  test('a folder that is not named from the top binds no path', () =>
    expect(bindsPath(at({ kind: 'glob', value: 'notes/x/**' }))).toBe(false));

  test.each<[ArgumentPattern['match'], ArgumentPattern['match'], boolean]>([
    [{ kind: 'glob', value: '/a/b/**' }, { kind: 'glob', value: '/a/*' }, false],
    [{ kind: 'prefix', value: 'https://good.example' }, { kind: 'host', value: 'good.example' }, false],
    [{ kind: 'prefix', value: 'https://good.example/' }, { kind: 'host', value: 'good.example' }, true],
    [{ kind: 'exact', value: 5 }, { kind: 'host', value: 'good.example' }, false],
    [{ kind: 'exact', value: 5 }, { kind: 'range', min: 5, max: 5 }, true],
    [{ kind: 'exact', value: 3 }, { kind: 'range', max: 5 }, true],
    [{ kind: 'exact', value: 7 }, { kind: 'range', min: 5 }, true],
  ])('%j within %j: %s', (inner, outer, is) => expect(isNarrower(at(inner), at(outer))).toBe(is));
});
