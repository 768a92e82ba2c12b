import { describe, expect, test } from 'vitest';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { ArgumentPattern } from '../../../preload/contract/policy.ts';
import { bindingPatterns, bindsAll } from '../../../main/host/policy/bindings.ts';
import type { CallFacts } from '../../../main/host/policy/callFacts.ts';

const facts = (values: Record<string, unknown>, destinations: string[], paths: CallFacts['paths'] = []): CallFacts => ({
  serverId: 's' as ServerId,
  serverName: 's',
  tool: 't',
  effects: { set: ['reads', 'sendsOut'], source: 'profile' },
  conversationId: 'c' as ConversationId,
  turnId: 't' as TurnId,
  values,
  paths,
  destinations,
  keptExact: [],
  definition: 'accepted',
  managed: { standingForbidden: false, demandsPins: false },
  now: 0,
});
const exact = (at: string, value: string | number | boolean | null): ArgumentPattern => ({ at, match: { kind: 'exact', value } });

describe('words for a search need no binding for a turn or a chat, and nothing makes them stand for longer', () => {
  test.each([
    ['weather in Berlin', true],
    ['  weather   in Berlin', true],
    ['a b', true],
    ['weather', false],
    ['weather ', false],
    ['evil.example two words', false],
    ['  evil.example two words', false],
    ['evil/ two', false],
    ['evil:80 two', false],
    ['bob@evil two', false],
    ['evil\\ two', false],
    ['ev%69l two', false],
    ['https://evil.example/a b', false],
    ['', false],
    [5, false],
    [['two words'], false],
    [undefined, false],
  ])('%j: %s', (q, words) => {
    const call = facts({ q }, ['/q']);
    for (const scope of ['turn', 'chat'] as const) expect(bindsAll([], call, 'choosingRead', scope)).toBe(words);
    for (const scope of ['until', 'always'] as const) expect(bindsAll([], call, 'choosingRead', scope)).toBe(false);
    // What is sent is never for nobody in particular.
    expect(bindsAll([], call, 'send', 'turn')).toBe(false);
  });

  test('are offered as they are where they name a recipient, and not at all for good where they are a search', () => {
    const call = facts({ q: 'general chat' }, ['/q']);
    expect(bindingPatterns(call, 'send', 'always')).toEqual([exact('/q', 'general chat')]);
    expect(bindingPatterns(call, 'choosingRead', 'chat')).toEqual([]);
    expect(bindingPatterns(call, 'choosingRead', 'always')).toBeUndefined();
    expect(bindingPatterns(facts({ q: 'weather' }, ['/q']), 'choosingRead', 'always')).toEqual([exact('/q', 'weather')]);
  });
});

describe('elements of a list', () => {
  const list = (...to: string[]) =>
    facts(
      { to },
      to.map((_, index) => `/to/${index}`),
    );
  test('that are the same are one pattern, however many; different ones stand each for itself', () => {
    expect(bindingPatterns(list(...Array.from({ length: 40 }, () => 'ann')), 'send', 'chat')).toEqual([exact('/to/*', 'ann')]);
    expect(bindingPatterns(list('ann', 'bob'), 'send', 'chat')).toEqual([exact('/to/0', 'ann'), exact('/to/1', 'bob')]);
    expect(bindingPatterns(list('ann', 'bob', 'ann'), 'send', 'chat')).toHaveLength(3);
  });

  test('of an object with numbers for names are no list', () => {
    const call = facts({ to: { 0: 'ann', 1: 'ann' } }, ['/to/0', '/to/1']);
    expect(bindingPatterns(call, 'send', 'chat')).toEqual([exact('/to/0', 'ann'), exact('/to/1', 'ann')]);
  });

  test('are bound up to sixteen, and to texts of 4,096 characters', () => {
    const names = Array.from({ length: 17 }, (_, index) => `name${index}`);
    expect(bindingPatterns(list(...names.slice(0, 16)), 'send', 'chat')).toHaveLength(16);
    expect(bindingPatterns(list(...names), 'send', 'chat')).toBeUndefined();
    expect(bindingPatterns(list('x'.repeat(4096)), 'send', 'chat')).toHaveLength(1);
    expect(bindingPatterns(list('x'.repeat(4097)), 'send', 'chat')).toBeUndefined();
  });

  test('that lie in one folder are bound by it', () => {
    const real = ['/n/a', '/n/deep/b'];
    const paths = real.map((each, index) => ({ at: `/p/${index}`, real: each, insidePicked: true, folder: '/n' }));
    expect(bindingPatterns(facts({ p: real }, [], paths), 'pickedChange', 'turn')).toEqual([
      { at: '/p/*', match: { kind: 'glob', value: '/n/**' } },
    ]);
  });
});

test('a number is bound as it is, though it reads like the number of a computer; what is not there is bound by nothing', () => {
  expect(bindingPatterns(facts({ n: 1.5 }, ['/n']), 'send', 'turn')).toEqual([exact('/n', 1.5)]);
  for (const kind of ['send', 'choosingRead'] as const) {
    expect(bindingPatterns(facts({}, ['/n']), kind, 'turn')).toBeUndefined();
    expect(bindsAll([], facts({}, ['/n']), kind, 'turn')).toBe(false);
  }
});

test('a path that leads nowhere known is bound by nothing', () => {
  const call = facts({ p: 'x' }, [], [{ at: '/p', real: '', insidePicked: false }]);
  for (const kind of ['fixedRead', 'otherChange'] as const) expect(bindingPatterns(call, kind, 'turn')).toBeUndefined();
});

describe('arguments of which nobody said whether they pick where it goes', () => {
  const values = { to: 'ann@example.com', channel: 'site.example/a', all: true, none: null, n: 5, query: 'two words' };
  const send = { ...facts(values, ['/to']), keptExact: ['/channel', '/all', '/none', '/n'] };
  const exactly = [
    exact('/to', 'ann@example.com'),
    exact('/channel', 'site.example/a'),
    exact('/all', true),
    exact('/none', null),
    exact('/n', 5),
  ];

  test.each(['turn', 'chat', 'until', 'always'] as const)('are offered as they are, whatever they look like: %s', (scope) => {
    for (const kind of ['send', 'unreviewed', 'choosingRead'] as const) expect(bindingPatterns(send, kind, scope)).toEqual(exactly);
  });

  test('are each bound, or nothing is', () => {
    expect(bindsAll(exactly, send, 'send', 'always')).toBe(true);
    for (const left of exactly.keys())
      expect(
        bindsAll(
          exactly.filter((_pattern, index) => index !== left),
          send,
          'send',
          'always',
        ),
        `${left}`,
      ).toBe(false);
  });

  test('may vary where whoever writes a permission names them and says within what', () => {
    const range: ArgumentPattern = { at: '/n', match: { kind: 'range', max: 10 } };
    const prefix: ArgumentPattern = { at: '/channel', match: { kind: 'prefix', value: 'site' } };
    expect(bindsAll([...exactly.filter(({ at }) => at !== '/n' && at !== '/channel'), range, prefix], send, 'send', 'always')).toBe(true);
    // A recipient may not.
    const anybody: ArgumentPattern = { at: '/to', match: { kind: 'prefix', value: 'ann' } };
    expect(bindsAll([...exactly.slice(1), anybody], send, 'send', 'always')).toBe(false);
  });

  test('that are destinations too are bound as both, once, and by no host', () => {
    const both = { ...facts({ channel: 'site.example/a' }, ['/channel']), keptExact: ['/channel'] };
    expect(bindingPatterns(both, 'send', 'always')).toEqual([exact('/channel', 'site.example/a')]);
    expect(bindingPatterns(facts({ channel: 'site.example/a' }, ['/channel']), 'send', 'always')).toEqual([
      { at: '/channel', match: { kind: 'host', value: 'site.example' } },
    ]);
    expect(bindsAll([{ at: '/channel', match: { kind: 'prefix', value: 'site' } }], both, 'send', 'always')).toBe(false);
  });

  test('that are paths are bound by where they lead', () => {
    const paths = [{ at: '/file', real: '/n/a', insidePicked: false }];
    const call = { ...facts({ to: 'ann', file: '~/a' }, ['/to'], paths), keptExact: ['/file'] };
    expect(bindingPatterns(call, 'send', 'always')).toEqual([
      { at: '/file', match: { kind: 'glob', value: '/n/a/**' } },
      exact('/to', 'ann'),
    ]);
  });

  test('may be other words where something is looked up for a turn or a chat, and are not kept for good then', () => {
    const lookedUp = { ...facts({ url: 'https://a.example', query: 'two words', page: 2 }, ['/url']), keptExact: ['/query', '/page'] };
    const offered = [{ at: '/url', match: { kind: 'host' as const, value: 'a.example' } }, exact('/page', 2)];
    expect(bindingPatterns(lookedUp, 'choosingRead', 'chat')).toEqual(offered);
    expect(bindsAll(offered, lookedUp, 'choosingRead', 'chat')).toBe(true);
    expect(bindsAll(offered, lookedUp, 'choosingRead', 'always')).toBe(false);
    expect(bindingPatterns(lookedUp, 'choosingRead', 'always')).toBeUndefined();
    expect(bindingPatterns(lookedUp, 'send', 'always')).toHaveLength(3);
  });

  test('that are too long, or whole objects, make that nothing is offered', () => {
    const call = (value: unknown) => ({ ...facts({ to: 'ann', value }, ['/to']), keptExact: ['/value'] });
    expect(bindingPatterns(call('x'.repeat(4096)), 'send', 'turn')).toHaveLength(2);
    for (const value of ['x'.repeat(4097), {}, ['x'], undefined]) expect(bindingPatterns(call(value), 'send', 'turn')).toBeUndefined();
  });
});
