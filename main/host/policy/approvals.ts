import type { ApprovalId, RuleId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { LongText } from '../../../preload/contract/content.ts';
import type { ArgumentPattern, Approval, ApprovalDecision, ChatLabels, DecisionReason, Scope } from '../../../preload/contract/policy.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Events } from '../events.ts';
import { Refusal, refuse } from '../refusal.ts';
import { type Db, withFullSync } from '../store/database.ts';
import { closeApproval, getApproval, insertApproval } from '../store/approvals.ts';
import { insertRule, rulesOfTool, type StoredRule } from '../store/rules.ts';
import type { Audit } from './audit.ts';
import { cardAnswered, ruleChanged } from './auditEntries.ts';
import { type CallFacts, isAgreedMeanwhile } from './callFacts.ts';
import { decide, permits } from './decide.ts';
import { reasonText } from './decisionWords.ts';
import { isNarrower } from './patterns.ts';

/** Arguments as the person wrote them, checked like those of a model. */
export interface EditedArguments {
  values: Record<string, unknown>;
  arguments: LongText;
  hash: string;
}

/** How a card ended. `reason` is what let it pass: a rule, when the answer to another card covers this one. `cancelled`: the turn was stopped while it waited; `interrupted`: the application is closing. */
export type CardOutcome =
  | { kind: 'allowed'; reason: DecisionReason; edited?: EditedArguments }
  | { kind: 'denied'; message: string | undefined }
  | { kind: 'cancelled' }
  | { kind: 'interrupted' };

/** What a call is decided by. */
export interface Judged {
  facts: CallFacts;
  labels: ChatLabels;
}

/** A call that the user is to be asked about. */
export interface Question {
  card: Omit<Approval, 'id' | 'createdAt'>;
  /** What the card was made from. */
  judged: Judged;
  /** The same as it stands now: the chat may have read more, a definition may have changed. */
  judgeAgain(): Judged;
  /** Checks arguments that the person wrote, with their schema and with every denial. Rejects with a Refusal. */
  edit(json: string): Promise<EditedArguments>;
  /** Runs in the transaction that stores the card, so that card and call are never seen one without the other. */
  save(approval: Approval): void;
  /** Runs in the transaction that stores the answer. */
  saveEdited(edited: EditedArguments): void;
  shown(): void;
}

export interface CardAnswer {
  approvalId: ApprovalId;
  argumentsHash: string;
  decision: ApprovalDecision;
}

export interface Approvals {
  /** Shows a card and waits for the user, without limit. */
  ask(question: Question): Promise<CardOutcome>;
  /**
   * Answers cards together, all or none, denials first; `groupId`: they must be of this group. Rejects with `notFound`, `wrongHash`,
   * `notAllowed` (a permission that the card does not offer), `invalidInput` (edited arguments; the field is the id of the card that they
   * were for) or `alreadyAnswered`.
   */
  answer(answers: readonly CardAnswer[], groupId?: string): Promise<void>;
  /** Answers every card that permissions cover by now: nobody is asked what he has answered. */
  letPass(scope: Scope): void;
  /** The person has agreed to something that this server defines: cards that ask because of a change say so. */
  tellAgreed(serverId: ServerId): void;
  /** Closes the cards of a turn that was stopped, or that ends with the application. */
  closeTurn(turnId: TurnId, outcome: 'cancelled' | 'interrupted'): void;
  /** Waiting cards, oldest first. */
  list(): Approval[];
}

export interface ApprovalsDeps {
  db: Db;
  events: Events;
  clock: Clock;
  ids: Ids;
  audit: Pick<Audit, 'append'>;
}

interface Waiting {
  approval: Approval;
  question: Question;
  settle(outcome: CardOutcome): void;
}

/** An answer that was found good, before it is saved. */
interface Checked {
  card: Waiting;
  decision: ApprovalDecision;
  rule: Omit<StoredRule, 'id' | 'createdAt'> | undefined;
  edited: EditedArguments | undefined;
}

const spoken = { allowed: 'allowed', denied: 'denied', cancelled: 'stopped', interrupted: 'interrupted' } as const;

export function createApprovals({ db, events, clock, ids, audit }: ApprovalsDeps): Approvals {
  const waiting = new Map<ApprovalId, Waiting>();

  function close(id: ApprovalId, outcome: CardOutcome): void {
    const card = waiting.get(id);
    waiting.delete(id);
    events.approvals({ type: 'approval.closed', approvalId: id, outcome: outcome.kind });
    card?.settle(outcome);
  }

  function letPass(scope: Scope): void {
    const decision: ApprovalDecision = { kind: 'allow', scope };
    for (const { approval, question } of [...waiting.values()]) {
      const { facts, labels } = question.judgeAgain();
      const { reason } = decide(facts, rulesOfTool(db, approval.serverId, approval.tool), labels);
      if (reason.verdict !== 'allow') continue;
      const first = withFullSync(db, () => {
        if (!closeApproval(db, approval.id, { outcome: 'allowed', decision, at: clock.now() })) return false;
        audit.append(cardAnswered(approval, decision, true));
        return true;
      });
      if (first) close(approval.id, { kind: 'allowed', reason });
    }
  }

  /** Refuses an answer that this card cannot get. */
  function waitingCard({ approvalId, argumentsHash }: CardAnswer, groupId: string | undefined): Waiting {
    const stored = getApproval(db, approvalId);
    if (!stored || (groupId !== undefined && stored.approval.groupId !== groupId))
      return refuse('notFound', 'This question does not exist any more.');
    if (argumentsHash !== stored.approval.argumentsHash)
      refuse('wrongHash', 'The answer was given to other arguments than those of this call. Nothing was sent; look at the card again.');
    if (stored.outcome !== undefined)
      refuse('alreadyAnswered', `This call was ${spoken[stored.outcome]} before.`, { detail: stored.outcome });
    return waiting.get(approvalId) ?? refuse('notFound', 'This question does not wait any more.');
  }

  async function check(answer: CardAnswer, groupId: string | undefined): Promise<Checked> {
    const card = waitingCard(answer, groupId);
    const { decision } = answer;
    if (decision.kind === 'deny') return { card, decision, rule: undefined, edited: undefined };
    const rule = decision.scope === 'once' ? offeredOnce(card) : ruleOf(card, decision, clock.now());
    if (decision.edited === undefined) return { card, decision, rule, edited: undefined };
    if (rule !== undefined) refuse('invalidInput', 'Arguments that you changed can be allowed for this one call only.');
    return { card, decision, rule, edited: await checkedEdit(card, decision.edited) };
  }

  /** Part of the transaction. */
  function store({ card, decision, edited }: Checked, at: number): void {
    const { approval, question } = card;
    const hash = edited?.hash;
    const outcome = decision.kind === 'allow' ? 'allowed' : 'denied';
    if (!closeApproval(db, approval.id, { outcome, decision, at, argumentsHash: hash }))
      refuse('alreadyAnswered', 'This call was answered before.');
    if (edited) question.saveEdited(edited);
    audit.append(cardAnswered(hash === undefined ? approval : { ...approval, argumentsHash: hash }, decision));
  }

  return {
    ask(question) {
      const approval: Approval = { ...question.card, id: ids() as ApprovalId, createdAt: clock.now() };
      withFullSync(db, () => {
        insertApproval(db, approval);
        question.save(approval);
      });
      return new Promise((settle) => {
        waiting.set(approval.id, { approval, question, settle });
        events.approvals({ type: 'approval.added', approval });
        question.shown();
      });
    },

    async answer(answers, groupId) {
      if (new Set(answers.map(({ approvalId }) => approvalId)).size !== answers.length)
        refuse('invalidInput', 'A call can be answered only once.');
      // All are looked at before any is taken, so that a bad one among them changes nothing.
      for (const answer of answers) waitingCard(answer, groupId);
      const checked: Checked[] = [];
      for (const answer of answers) checked.push(await check(answer, groupId));
      const sorted = [
        ...checked.filter(({ decision }) => decision.kind === 'deny'),
        ...checked.filter(({ decision }) => decision.kind === 'allow'),
      ];
      const rules = [...new Map(checked.flatMap(({ rule }) => (rule ? [[JSON.stringify(rule), rule]] : []))).values()];
      withFullSync(db, () => {
        const at = clock.now();
        for (const each of sorted) store(each, at);
        for (const rule of rules) {
          const stored: StoredRule = { ...rule, id: ids() as RuleId, createdAt: at };
          insertRule(db, stored);
          audit.append(ruleChanged('rule.added', stored, sorted[0]?.card.approval.serverName ?? ''));
        }
      });
      for (const { card, decision, edited } of sorted) {
        const { id, reason } = card.approval;
        if (decision.kind === 'deny') close(id, { kind: 'denied', message: decision.reason });
        else close(id, { kind: 'allowed', reason, ...(edited === undefined ? {} : { edited }) });
      }
      for (const { scope } of rules) letPass(scope);
    },

    letPass,

    tellAgreed(serverId) {
      for (const card of waiting.values()) {
        const { approval, question } = card;
        if (approval.serverId !== serverId || approval.reason.code !== 'definitionChanged') continue;
        const { facts, labels } = question.judgeAgain();
        if (!isAgreedMeanwhile(question.judged.facts, facts)) continue;
        const text = reasonText('ask', 'changeAgreed', facts, labels, undefined);
        card.approval = { ...approval, reason: { verdict: 'ask', code: 'changeAgreed', text } };
        events.approvals({ type: 'approval.changed', approval: card.approval });
      }
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

/** Of several calls that are answered together, the refusal names the one whose arguments do not fit. */
async function checkedEdit({ approval, question }: Waiting, json: string): Promise<EditedArguments> {
  try {
    return await question.edit(json);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, ...more } = error.failure;
    return refuse(code, message, { ...more, fields: [{ name: approval.id, message }] });
  }
}

type Allow = Extract<ApprovalDecision, { kind: 'allow' }>;

function offeredOnce({ approval }: Waiting): undefined {
  if (!approval.scopes.includes('once')) refuseScope(approval);
}

const refuseScope = (approval: Approval): never =>
  refuse('notAllowed', `${approval.tool} of ${approval.serverName} cannot be allowed for that long. Allow it once instead.`);

const longestUntilMs = 366 * 24 * 3_600_000;

/** The permission that an answer gives. Refuses what the card did not offer: its patterns must be those of an offer, or narrower. */
function ruleOf({ approval, question }: Waiting, decision: Allow, now: number): Omit<StoredRule, 'id' | 'createdAt'> {
  const { scope } = decision;
  if (scope === 'once') throw new Error('A permission for one call is no rule.');
  const { until } = decision;
  if (scope === 'until' && (until === undefined || until <= now || until > now + longestUntilMs))
    refuse('invalidInput', 'Choose a date within the next year, until which this is allowed.');
  const offers = (approval.offers ?? []).filter((offer) => offer.scope === scope);
  const candidates = offers.map(({ patterns: offered, covers }) => ({
    offered,
    rule: {
      serverId: approval.serverId,
      tool: covers === 'reads' ? '*' : approval.tool,
      verdict: 'allow' as const,
      scope,
      ...(scope === 'chat' || scope === 'turn' ? { conversationId: approval.conversationId } : {}),
      ...(scope === 'turn' ? { turnId: approval.turnId } : {}),
      ...(scope === 'until' && until !== undefined ? { until } : {}),
      patterns: decision.patterns ?? offered,
      uses: 0,
    },
  }));
  const { facts, labels } = question.judged;
  const fitting = candidates.find(
    ({ offered, rule }) =>
      isWithin(rule.patterns, offered) && permits({ ...rule, id: 'draft' as RuleId, createdAt: now }, { ...facts, now }, labels),
  );
  return fitting?.rule ?? refuseScope(approval);
}

/** Everything that an offer binds is bound as tightly. */
const isWithin = (patterns: readonly ArgumentPattern[], offered: readonly ArgumentPattern[]): boolean =>
  offered.every((wide) => patterns.some((narrow) => isNarrower(narrow, wide)));
