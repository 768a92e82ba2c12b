import { expect, test } from 'vitest';
import type { ConversationId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import { type ArgumentPattern, type ChatLabels, DecisionReason, type Effects, Scope } from '../../../preload/contract/policy.ts';
import type { CallFacts } from '../../../main/host/policy/callFacts.ts';
import { offerText, reasonText } from '../../../main/host/policy/decisionWords.ts';
import { questionOf } from '../../../main/host/policy/question.ts';

/** The words that cards never say (DESIGN §3, "Words"). */
const banned = /\b(eras?|modern|legacy|pin(s|ned|ning)?|flows?|taint(s|ed)?|hash(es|ed)?|roots?)\b/i;

const effects: Effects[] = [
  { set: ['reads'], source: 'user' },
  { set: ['changes'], source: 'profile' },
  { set: ['sendsOut'], source: 'user' },
  { set: ['changes', 'sendsOut'], source: 'nobody' },
];
const labels: ChatLabels[] = [
  { untrusted: false, private: false, untrustedFrom: [], privateFrom: [] },
  { untrusted: true, private: true, untrustedFrom: [], privateFrom: [] },
  { untrusted: true, private: true, untrustedFrom: ['Mail', 'Web', 'Issues', 'Chat'], privateFrom: ['Mail', 'Files'] },
];
const facts = (of: Effects, more: Partial<CallFacts> = {}): CallFacts => ({
  serverId: 's' as ServerId,
  serverName: 'Files',
  tool: 'copy',
  effects: of,
  conversationId: 'c' as ConversationId,
  turnId: 't' as TurnId,
  values: { path: '/home/ada/a', url: 'https://example.com/x' },
  paths: [],
  destinations: ['/url'],
  keptExact: [],
  definition: 'accepted',
  managed: { standingForbidden: false, demandsPins: false },
  now: 1,
  ...more,
});
const calls = effects.flatMap((of) => [
  facts(of),
  facts(of, { paths: [{ at: '/path', real: '/home/ada/a', insidePicked: false }] }),
  facts(of, { definition: 'new' }),
]);
const patterns: ArgumentPattern[] = [
  { at: '/a', match: { kind: 'exact', value: true } },
  { at: '/a', match: { kind: 'prefix', value: 'x' } },
  { at: '/a', match: { kind: 'glob', value: '/home/ada/**' } },
  { at: '/a', match: { kind: 'glob', value: '/home/ada/*.md' } },
  { at: '/a', match: { kind: 'host', value: 'example.com' } },
  { at: '/a', match: { kind: 'range', min: 1 } },
];

const sentences = new Set<string>();
for (const call of calls) {
  for (const code of DecisionReason.shape.code.options)
    for (const verdict of DecisionReason.shape.verdict.options)
      for (const read of labels)
        for (const rule of [
          undefined,
          ...Scope.exclude(['once']).options.flatMap((scope) => ['copy', '*'].map((tool) => ({ tool, scope }))),
        ])
          sentences.add(reasonText(verdict, code, call, read, rule));
  for (const scope of Scope.options) {
    for (const pattern of patterns) sentences.add(offerText({ scope, patterns: [pattern] }, call));
    sentences.add(offerText({ scope, patterns: [] }, call));
    sentences.add(offerText({ scope, patterns: [], covers: 'reads' }, call));
  }
  sentences.add(questionOf(call.tool, call.values));
}
sentences.add(questionOf('\u202etool', {}));

test('no sentence of the host on a card says a word that is for makers of hosts', () => {
  expect(sentences.size).toBeGreaterThan(60);
  expect([...sentences].filter((sentence) => banned.test(sentence))).toEqual([]);
});

test('every one is a whole sentence, with nothing missing in it', () => {
  expect([...sentences].filter((sentence) => sentence.length < 6 || /undefined|\[object|\s{2}|\s[.,:;]|\$\{/.test(sentence))).toEqual([]);
});
