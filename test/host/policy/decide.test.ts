import { describe, expect, test } from 'vitest';
import type { ConversationId, RuleId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { Effects, Rule } from '../../../preload/contract/policy.ts';
import { type CallFacts, decide } from '../../../main/host/policy/decide.ts';

const call = (effects: Effects): CallFacts => ({
  serverId: 's1' as ServerId,
  serverName: 'files',
  tool: 'read',
  effects,
  conversationId: 'c1' as ConversationId,
  turnId: 't1' as TurnId,
});
const rule = (more: Partial<Rule>): Rule => ({
  id: 'r1' as RuleId,
  serverId: 's1' as ServerId,
  serverName: 'files',
  tool: 'read',
  verdict: 'allow',
  scope: 'always',
  createdAt: 0,
  uses: 0,
  ...more,
});

const reviewedRead: Effects = { set: ['reads'], source: 'user' };
const profiledRead: Effects = { set: ['reads'], source: 'profile' };
const unreviewed: Effects = { set: ['changes', 'sendsOut'], source: 'nobody' };
const claimedRead: Effects = { set: ['reads'], source: 'nobody' };
const changes: Effects = { set: ['reads', 'changes'], source: 'user' };
const sends: Effects = { set: ['sendsOut'], source: 'profile' };
const deletes: Effects = { set: ['deletes'], source: 'user' };

describe('without a rule everything asks, and the card offers only what may be remembered', () => {
  test.each([
    ['a read the user classified', reviewedRead, 'noRule', ['once', 'turn', 'chat', 'always']],
    ['a read of a built-in profile', profiledRead, 'noRule', ['once', 'turn', 'chat', 'always']],
    ['a tool nobody reviewed', unreviewed, 'notReviewed', ['once', 'turn', 'chat']],
    ['a tool that nobody responsible called a read', claimedRead, 'notReviewed', ['once', 'turn', 'chat']],
    ['a tool that changes something', changes, 'changesOrSendsOut', ['once', 'turn', 'chat']],
    ['a tool that sends out', sends, 'changesOrSendsOut', ['once', 'turn']],
    ['a tool that deletes', deletes, 'alwaysAsksToDelete', ['once']],
  ] as const)('%s', (_name, effects, code, scopes) => {
    const decision = decide(call(effects as Effects), []);
    expect(decision.reason).toMatchObject({ verdict: 'ask', code });
    expect(decision.scopes).toEqual(scopes);
  });
});

describe('a rule', () => {
  test.each([
    ['always allows a reviewed read', reviewedRead, rule({}), 'allow'],
    ['of this chat allows here', reviewedRead, rule({ scope: 'chat', conversationId: 'c1' as ConversationId }), 'allow'],
    ['of another chat does not', reviewedRead, rule({ scope: 'chat', conversationId: 'c2' as ConversationId }), 'ask'],
    ['of this turn allows now', changes, rule({ scope: 'turn', turnId: 't1' as TurnId }), 'allow'],
    ['of another turn does not', changes, rule({ scope: 'turn', turnId: 't2' as TurnId }), 'ask'],
    ['for the same tool name on another server does not', reviewedRead, rule({ serverId: 's2' as ServerId }), 'ask'],
    ['for another tool does not', reviewedRead, rule({ tool: 'write' }), 'ask'],
    ['always: holds for nothing that changes', changes, rule({}), 'ask'],
    ['always: holds for nothing that nobody reviewed', unreviewed, rule({}), 'ask'],
    ['for a chat: holds for nothing that sends out', sends, rule({ scope: 'chat', conversationId: 'c1' as ConversationId }), 'ask'],
    ['never lets a deletion pass', deletes, rule({ scope: 'turn', turnId: 't1' as TurnId }), 'ask'],
    ['that denies wins over everything', deletes, rule({ verdict: 'deny' }), 'deny'],
  ] as const)('%s', (_name, effects, given, verdict) => {
    const { reason, scopes } = decide(call(effects as Effects), [given]);
    expect(reason.verdict).toBe(verdict);
    expect(reason.ruleId).toBe(verdict === 'ask' ? undefined : 'r1');
    expect(scopes.length > 0).toBe(verdict === 'ask');
  });

  test('that denies wins over one that allows, in either order', () => {
    const denial = rule({ id: 'no' as RuleId, verdict: 'deny' });
    expect(decide(call(reviewedRead), [rule({}), denial]).reason.ruleId).toBe('no');
    expect(decide(call(reviewedRead), [denial, rule({})]).reason.ruleId).toBe('no');
  });
});
