import type { ApprovalId, RuleId, TurnId } from '../../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, DecisionReason } from '../../../preload/contract/policy.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import { refuse } from '../refusal.ts';
import { type Db, withFullSync } from '../store/database.ts';
import { closeApproval, getApproval, insertApproval } from '../store/approvals.ts';
import { insertRule, rulesOfTool, type StoredRule } from '../store/rules.ts';
import type { Audit } from './audit.ts';
import { cardAnswered, ruleChanged } from './auditEntries.ts';
import { decide } from './decide.ts';

/** How a card ended. `reason` is what let it pass: a rule, when the answer to another card covers this one. `cancelled`: the turn was stopped while it waited; `interrupted`: the application is closing. */
export type CardOutcome =
  | { kind: 'allowed'; reason: DecisionReason }
  | { kind: 'denied'; message: string | undefined }
  | { kind: 'cancelled' }
  | { kind: 'interrupted' };

export interface Approvals {
  /**
   * Shows a card and waits for the user, without limit. `save` runs in the transaction that stores the card, so that
   * card and call are never seen one without the other.
   */
  ask(card: Omit<Approval, 'id' | 'createdAt'>, save: (approval: Approval) => void, shown: () => void): Promise<CardOutcome>;
  /** Refuses with `notFound`, `wrongHash`, `notAllowed` (a scope that the card does not offer) or `alreadyAnswered`. */
  answer(id: ApprovalId, argumentsHash: string, decision: ApprovalDecision): void;
  /** Closes the cards of a turn that was stopped, or that ends with the application. */
  closeTurn(turnId: TurnId, outcome: 'cancelled' | 'interrupted'): void;
  /** Waiting cards, oldest first. */
  list(): Approval[];
}

const spoken = { allowed: 'allowed', denied: 'denied', cancelled: 'stopped', interrupted: 'interrupted' } as const;

export interface ApprovalsDeps {
  db: Db;
  events: Events;
  clock: Clock;
  ids: Ids;
  audit: Pick<Audit, 'append'>;
}

export function createApprovals({ db, events, clock, ids, audit }: ApprovalsDeps): Approvals {
  const waiting = new Map<ApprovalId, { approval: Approval; settle: (outcome: CardOutcome) => void }>();

  function close(id: ApprovalId, outcome: CardOutcome): void {
    const card = waiting.get(id);
    waiting.delete(id);
    events.approvals({ type: 'approval.closed', approvalId: id, outcome: outcome.kind });
    card?.settle(outcome);
  }

  /** A permission that was just given answers the other cards that it covers: nobody is asked what he has answered. */
  function letPass(decision: ApprovalDecision): void {
    for (const { approval } of [...waiting.values()]) {
      const { reason } = decide(approval, rulesOfTool(db, approval.serverId, approval.tool));
      if (reason.verdict !== 'allow') continue;
      const first = withFullSync(db, () => {
        if (!closeApproval(db, approval.id, { outcome: 'allowed', decision, at: clock.now() })) return false;
        audit.append(cardAnswered(approval, decision, true));
        return true;
      });
      if (first) close(approval.id, { kind: 'allowed', reason });
    }
  }

  return {
    ask(card, save, shown) {
      const approval: Approval = { ...card, id: ids() as ApprovalId, createdAt: clock.now() };
      withFullSync(db, () => {
        insertApproval(db, approval);
        save(approval);
      });
      return new Promise((settle) => {
        waiting.set(approval.id, { approval, settle });
        events.approvals({ type: 'approval.added', approval });
        shown();
      });
    },

    answer(id, argumentsHash, decision) {
      const stored = getApproval(db, id);
      if (!stored) refuse('notFound', 'This question does not exist any more.');
      const { approval } = stored;
      if (argumentsHash !== approval.argumentsHash)
        refuse('wrongHash', 'The answer was given to other arguments than those of this call. Nothing was sent; look at the card again.');
      if (stored.outcome !== undefined)
        refuse('alreadyAnswered', `This call was ${spoken[stored.outcome]} before.`, { detail: stored.outcome });
      if (decision.kind === 'allow' && !approval.scopes.includes(decision.scope))
        refuse('notAllowed', `${approval.tool} of ${approval.serverName} cannot be allowed for that long. Allow it once instead.`);

      const at = clock.now();
      const allowed = decision.kind === 'allow';
      const first = withFullSync(db, () => {
        if (!closeApproval(db, id, { outcome: allowed ? 'allowed' : 'denied', decision, at })) return false;
        audit.append(cardAnswered(approval, decision));
        if (decision.kind === 'allow' && decision.scope !== 'once') {
          const rule: StoredRule = {
            id: ids() as RuleId,
            serverId: approval.serverId,
            tool: approval.tool,
            verdict: 'allow',
            scope: decision.scope,
            ...(decision.scope === 'chat' ? { conversationId: approval.conversationId } : {}),
            ...(decision.scope === 'turn' ? { turnId: approval.turnId, conversationId: approval.conversationId } : {}),
            patterns: decision.patterns ?? [],
            createdAt: at,
            uses: 0,
          };
          insertRule(db, rule);
          audit.append(ruleChanged('rule.added', rule, approval.serverName));
        }
        return true;
      });
      if (!first) refuse('alreadyAnswered', 'This call was answered before.');
      close(id, decision.kind === 'allow' ? { kind: 'allowed', reason: approval.reason } : { kind: 'denied', message: decision.reason });
      if (decision.kind === 'allow' && decision.scope !== 'once') letPass(decision);
    },

    closeTurn(turnId, outcome) {
      for (const { approval } of [...waiting.values()]) {
        if (approval.turnId !== turnId) continue;
        closeApproval(db, approval.id, { outcome, decision: undefined, at: clock.now() });
        close(approval.id, { kind: outcome });
      }
    },

    list: () => [...waiting.values()].map((card) => card.approval),
  };
}
