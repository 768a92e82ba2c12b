import type { ConversationId, RuleId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { DecisionReason, Effects, Rule, Scope } from '../../../preload/contract/policy.ts';

/** What is decided about. Nothing in it was said by a server but the tool's name, which is only compared. */
export interface CallFacts {
  serverId: ServerId;
  serverName: string;
  tool: string;
  effects: Effects;
  conversationId: ConversationId;
  turnId: TurnId;
}

type RuleFacts = Pick<Rule, 'id' | 'serverId' | 'tool' | 'verdict' | 'scope' | 'conversationId' | 'turnId'>;

export interface Decision {
  reason: DecisionReason;
  /** The permissions that the card may offer, `once` first; empty unless the verdict is `ask`. */
  scopes: Scope[];
}

const onlyReads = (effects: Effects) => effects.set.every((effect) => effect === 'reads');

/** Whether somebody responsible said that the tool reads and does nothing else. */
export const isReviewedRead = (effects: Effects): boolean => effects.source !== 'nobody' && onlyReads(effects);

/**
 * The permissions that may be remembered for a tool. Reads that were classified may be allowed for good; nothing
 * without an argument pattern may be where data is changed or sent out; a deletion is asked about every time.
 */
export function offeredScopes(effects: Effects): Scope[] {
  if (effects.set.includes('deletes')) return ['once'];
  if (isReviewedRead(effects)) return ['once', 'turn', 'chat', 'always'];
  if (effects.source !== 'nobody' && effects.set.includes('sendsOut')) return ['once', 'turn'];
  return ['once', 'turn', 'chat'];
}

function applies(rule: RuleFacts, call: CallFacts): boolean {
  if (rule.serverId !== call.serverId || (rule.tool !== call.tool && rule.tool !== '*')) return false;
  if (rule.scope === 'turn') return rule.turnId === call.turnId;
  if (rule.scope === 'chat') return rule.conversationId === call.conversationId;
  return true;
}

/**
 * Allow, ask or deny, with the reason that decided. Pure and total. Precedence: the user's deny, deletions, the user's
 * allow as far as the scope is still one that could be given, ask.
 */
export function decide(call: CallFacts, rules: readonly RuleFacts[]): Decision {
  const matching = rules.filter((rule) => applies(rule, call));
  const because = (verdict: DecisionReason['verdict'], code: DecisionReason['code'], text: string, ruleId?: RuleId): DecisionReason => ({
    verdict,
    code,
    text,
    ...(ruleId === undefined ? {} : { ruleId }),
  });

  const denial = matching.find((rule) => rule.verdict === 'deny');
  if (denial)
    return { reason: because('deny', 'ruleDenies', `A rule of yours denies ${call.tool} of ${call.serverName}.`, denial.id), scopes: [] };

  const scopes = offeredScopes(call.effects);
  if (call.effects.set.includes('deletes'))
    return { reason: because('ask', 'alwaysAsksToDelete', 'You are always asked before something is deleted.'), scopes };

  const permission = matching.find((rule) => rule.verdict === 'allow' && scopes.includes(rule.scope));
  if (permission) {
    const until = { turn: 'for this turn', chat: 'in this chat', until: 'until a date', always: 'always' }[permission.scope];
    return {
      reason: because('allow', 'ruleAllows', `You allowed ${call.tool} of ${call.serverName} ${until}.`, permission.id),
      scopes: [],
    };
  }

  if (call.effects.source === 'nobody')
    return {
      reason: because(
        'ask',
        'notReviewed',
        'You are asked because nobody has said yet what this tool does. It may change things or send data out.',
      ),
      scopes,
    };
  if (!onlyReads(call.effects)) {
    const what = call.effects.set.includes('sendsOut') ? 'can send data out' : 'changes something';
    return { reason: because('ask', 'changesOrSendsOut', `You are asked because this tool ${what}.`), scopes };
  }
  return { reason: because('ask', 'noRule', 'You are asked because you have not allowed this tool yet.'), scopes };
}
