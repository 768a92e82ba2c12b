import { expect, test } from 'vitest';
import { type Candidate, chooseModel } from '../../../main/host/turn/chooseModel.ts';

const candidate = (ref: string, more: Partial<Candidate> = {}): Candidate => {
  const [providerId = '', name = ''] = ref.split('/');
  return { ref, name, providerId, providerName: providerId, kind: 'cloud', images: true, ...more };
};
const gemini = ['google/gemini-2.5-pro', 'google/gemini-2.5-flash', 'google/gemini-2.5-flash-lite'].map((ref) => candidate(ref));
const claude = ['anthropic/claude-opus-4-1', 'anthropic/claude-3-5-sonnet-20241022', 'anthropic/claude-3-5-haiku-20241022'].map((ref) =>
  candidate(ref),
);
const demo = candidate('demo/demo', { kind: 'builtin' });

test.each<[string, Parameters<typeof chooseModel>, string, RegExp]>([
  [
    'the first hint that is part of a name wins, before priorities',
    [{ hints: ['gpt-9', 'sonnet', 'opus'], costPriority: 1 }, [...gemini, ...claude], gemini[0]?.ref, false],
    'anthropic/claude-3-5-sonnet-20241022',
    /asked for a model like “sonnet”/,
  ],
  [
    'a hint is compared without case',
    [{ hints: ['CLAUDE-3-5-Haiku'] }, claude, undefined, false],
    'anthropic/claude-3-5-haiku-20241022',
    /Haiku/,
  ],
  [
    'among the models that a hint fits, priorities choose',
    [{ hints: ['claude'], costPriority: 0.9 }, claude, claude[0]?.ref, false],
    'anthropic/claude-3-5-haiku-20241022',
    /“claude”/,
  ],
  [
    'hints for Claude with only Gemini: quality chooses',
    [{ hints: ['claude-3-sonnet', 'claude'], intelligencePriority: 0.8, speedPriority: 0.3 }, gemini, gemini[2]?.ref, false],
    'google/gemini-2.5-pro',
    /asked for “claude-3-sonnet”, “claude”, which you do not have\. It fits best what the server puts first: quality\./,
  ],
  [
    'hints for Claude with only Gemini: a low price chooses',
    [{ hints: ['claude-3-sonnet', 'claude'], costPriority: 1, speedPriority: 1, intelligencePriority: 0.1 }, gemini, gemini[0]?.ref, false],
    'google/gemini-2.5-flash-lite',
    /a low price and speed/,
  ],
  [
    'without hint and priority it is the model of the chat',
    [{ hints: [] }, [...gemini, ...claude], claude[0]?.ref, false],
    'anthropic/claude-opus-4-1',
    /^It is the model of this chat\.$/,
  ],
  [
    'the Demo model answers only where it is the model of the chat, or the only one',
    [{ hints: ['demo'], costPriority: 1 }, [demo, ...gemini], gemini[0]?.ref, false],
    'google/gemini-2.5-flash-lite',
    /do not have/,
  ],
  [
    'the Demo model answers where there is no other',
    [{ hints: ['claude'] }, [demo], 'demo/demo', false],
    'demo/demo',
    /model of this chat/,
  ],
  [
    'an image goes to a model that sees',
    [{ hints: [] }, [candidate('x/blind', { images: false }), candidate('x/seeing', { images: true })], 'x/blind', true],
    'x/seeing',
    /sees images/,
  ],
  [
    'an empty hint fits nothing',
    [{ hints: ['', ' '] }, claude, claude[1]?.ref, false],
    'anthropic/claude-3-5-sonnet-20241022',
    /model of this chat/,
  ],
])('%s', (_promise, args, ref, reason) => {
  const chosen = chooseModel(...args);
  expect(chosen?.model.ref).toBe(ref);
  expect(chosen?.reason).toMatch(reason);
});

test('without any model there is no choice', () => {
  expect(chooseModel({ hints: ['x'] }, [], undefined, false)).toBeUndefined();
});

test('a long hint is cut where it is quoted', () => {
  const { reason = '' } = chooseModel({ hints: ['x'.repeat(5000)] }, gemini, gemini[0]?.ref, false) ?? {};
  expect(reason.length).toBeLessThan(200);
});
