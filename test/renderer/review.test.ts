import { expect, test } from 'vitest';
import type { DefinitionReview, DefinitionRow } from '../../preload/contract/definitions.ts';
import { type Choice, effectsToSay, groupsOf, keyOf, tickedEffects, withEffect } from '../../renderer/features/review/reviewGroups.ts';

const row = (name: string, more: Partial<DefinitionRow> = {}): DefinitionRow => ({
  kind: 'tool',
  name,
  description: '',
  isCut: false,
  state: 'new',
  isLeft: false,
  isOff: false,
  differs: [],
  tokens: 1,
  hints: [],
  ...more,
});
const says = (set: NonNullable<DefinitionRow['proposed']>['set'], by: NonNullable<DefinitionRow['proposed']>['by']) => ({
  proposed: { set, by },
});

test('what nobody said ticks nothing; what is ticked is in the order of gravity from the least', () => {
  expect(tickedEffects(row('a', says(['changes', 'sendsOut'], 'nobody')), undefined)).toEqual([]);
  expect(tickedEffects(row('a', says(['reads'], 'server')), undefined)).toEqual(['reads']);
  expect(withEffect(['sendsOut'], 'reads', true)).toEqual(['reads', 'sendsOut']);
  expect(withEffect(['reads', 'sendsOut'], 'reads', false)).toEqual(['sendsOut']);
});

test('the answer says what the person ticked and what the server’s word they let stand, and repeats nothing else', () => {
  const rows = [
    row('server', says(['reads'], 'server')),
    row('folder', says(['changes'], 'folder')),
    row('profile', says(['reads'], 'profile')),
    row('user', says(['changes'], 'user')),
    row('nobody', says(['changes', 'sendsOut'], 'nobody')),
    row('ticked', says(['reads'], 'server')),
    row('emptied', says(['reads'], 'server')),
    row('greet', { kind: 'prompt' }),
  ];
  const choices = new Map<string, Choice>([
    [keyOf({ kind: 'tool', name: 'ticked' }), { effects: ['deletes'] }],
    [keyOf({ kind: 'tool', name: 'emptied' }), { effects: [] }],
    [keyOf({ kind: 'tool', name: 'nobody' }), { isOff: true }],
  ]);
  expect(effectsToSay(rows, choices)).toEqual([
    { tool: 'server', effects: ['reads'] },
    { tool: 'folder', effects: ['changes'] },
    { tool: 'ticked', effects: ['deletes'] },
  ]);
});

test('instructions stand apart, since no model is given them', () => {
  const rows = [
    row('', { kind: 'instructions' }),
    row('a'),
    row('b', { state: 'changed' }),
    row('c', { state: 'removed' }),
    row('d', { state: 'accepted' }),
  ];
  const groups = groupsOf({ rows } as DefinitionReview);
  expect(groups.instructions?.kind).toBe('instructions');
  expect([groups.added, groups.changed, groups.removed, groups.agreed].map((group) => group.map(({ name }) => name))).toEqual([
    ['a'],
    ['b'],
    ['c'],
    ['d'],
  ]);
});
