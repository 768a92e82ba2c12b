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
  definition: 'accepted',
  managed: { standingForbidden: false, demandsPins: false },
  now: 0,
});
const exact = (at: string, value: string): ArgumentPattern => ({ at, match: { kind: 'exact', value } });

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

test('a path that leads nowhere known is bound by nothing', () => {
  const call = facts({ p: 'x' }, [], [{ at: '/p', real: '', insidePicked: false }]);
  for (const kind of ['fixedRead', 'otherChange'] as const) expect(bindingPatterns(call, kind, 'turn')).toBeUndefined();
});
