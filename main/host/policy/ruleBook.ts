import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { MessageId, RuleId, ServerId } from '../../../preload/contract/ids.ts';
import type { ArgumentPattern, ChatLabels, RuleDraft } from '../../../preload/contract/policy.ts';
import type { Ids } from '../ports.ts';
import { refuse } from '../refusal.ts';
import { newestCalls } from '../store/calls.ts';
import { type Db, inTransaction, withFullSync } from '../store/database.ts';
import { getRule, insertRule, removeRule, type StoredRule } from '../store/rules.ts';
import type { ResultReader } from '../tools/result.ts';
import type { Approvals } from './approvals.ts';
import type { Audit } from './audit.ts';
import { ruleChanged } from './auditEntries.ts';
import { decide } from './decide.ts';
import { type FactsDeps, gatherFacts } from './gatherFacts.ts';
import { chatLabels } from './labels.ts';
import { bindsDestination, bindsPath } from './patterns.ts';

/** Rules as the page of rules changes them. */
export interface RuleBook {
  /** Refuses with `notFound`, `invalidInput`, and with `notAllowed` what no card could have given. */
  add(draft: RuleDraft): StoredRule;
  /** Refuses with `notFound`. */
  remove(id: RuleId): void;
  /** Which calls of the past such a rule alone would have decided, newest first, each in what its chat had read by then. */
  preview(draft: RuleDraft): Promise<CommandOutput<'rule.preview'>>;
}

export interface RuleBookDeps {
  db: Db;
  ids: Ids;
  facts: FactsDeps;
  approvals: Pick<Approvals, 'letPass'>;
  audit: Pick<Audit, 'append'>;
  read: Pick<ResultReader, 'text'>;
  serverNameOf(serverId: ServerId): string | undefined;
}

const callsLookedAt = 2000;
/** Characters of a call's arguments in a preview. */
const shownArguments = 500;
const unread: ChatLabels = { untrusted: false, private: false, untrustedFrom: [], privateFrom: [] };

export function createRuleBook(deps: RuleBookDeps): RuleBook {
  const { db } = deps;
  const { clock } = deps.facts;
  const nameOf = (id: ServerId): string => deps.serverNameOf(id) ?? 'a removed server';

  const ruleOf = ({ until, ...draft }: RuleDraft, id: RuleId): StoredRule => ({
    ...draft,
    ...(draft.scope === 'until' && until !== undefined ? { until } : {}),
    id,
    createdAt: clock.now(),
    uses: 0,
  });

  /** Refuses what could not be a rule, and permissions that no card could have given (DESIGN §3). */
  function check(draft: RuleDraft): void {
    const { serverId, tool, verdict, scope, until, patterns } = draft;
    if (deps.serverNameOf(serverId) === undefined) refuse('notFound', 'The server of this rule does not exist any more.');
    if (scope === 'until' && (until === undefined || until <= clock.now())) refuse('invalidInput', 'Choose a date in the future.');
    for (const pattern of patterns) {
      const problem = patternProblem(pattern);
      if (problem !== undefined) refuse('invalidInput', problem);
    }
    if (verdict === 'deny') return;
    const name = nameOf(serverId);
    if (tool === '*') refuse('notAllowed', `All tools of ${name} can be denied together, but only be allowed one by one.`);
    const effects = deps.facts.effectsOf(serverId, tool);
    const profile = deps.facts.profileOf(serverId, tool);
    const managed = deps.facts.managedFor(serverId, tool);
    if (managed.deniesCall !== undefined) refuse('notAllowed', managed.deniesCall);
    if (managed.standingForbidden) refuse('notAllowed', 'Your organisation allows no lasting permissions.');
    if (effects.source === 'nobody') refuse('notAllowed', `Say first on the page of ${name} what ${tool} does.`);
    if (effects.set.includes('deletes')) refuse('notAllowed', 'You are always asked before something is deleted.');
    const choosesDestination = effects.set.includes('sendsOut') || (profile?.destinations ?? []).length > 0;
    if (choosesDestination && !patterns.some(bindsDestination))
      refuse('notAllowed', `${tool} can send data out. Say for which host or which recipient it is allowed.`);
    if (effects.set.includes('changes') && patterns.length === 0)
      refuse('notAllowed', `${tool} changes something. Say for which arguments, such as a folder, it is allowed.`);
  }

  return {
    add(draft) {
      check(draft);
      const rule = ruleOf(draft, deps.ids() as RuleId);
      withFullSync(db, () => {
        insertRule(db, rule);
        deps.audit.append(ruleChanged('rule.added', rule, nameOf(rule.serverId)));
      });
      if (rule.verdict === 'allow') deps.approvals.letPass(rule.scope);
      return rule;
    },

    remove(id) {
      const rule = getRule(db, id);
      if (!rule) return refuse('notFound', 'This permission was removed before.');
      inTransaction(db, () => {
        removeRule(db, id);
        deps.audit.append(ruleChanged('rule.removed', rule, nameOf(rule.serverId)));
      });
    },

    async preview(draft) {
      const rule = ruleOf(draft, 'preview' as RuleId);
      const { calls: stored, looked } = newestCalls(db, callsLookedAt, draft);
      const labelsOfBranch = new Map<MessageId, ChatLabels>();
      const labelsAt = (leafId: MessageId | undefined): ChatLabels => {
        if (leafId === undefined) return unread;
        const known = labelsOfBranch.get(leafId) ?? chatLabels(db, leafId, deps.serverNameOf);
        labelsOfBranch.set(leafId, known);
        return known;
      };
      const calls: CommandOutput<'rule.preview'>['calls'] = [];
      for (const { call, conversationId, title, askedIn, readInAnswer } of stored) {
        const { serverId, serverName, tool, turnId } = call;
        if (serverId === undefined) continue;
        const before = labelsAt(askedIn);
        const labels = {
          ...before,
          untrusted: before.untrusted || readInAnswer.untrusted,
          private: before.private || readInAnswer.private,
        };
        const values = JSON.parse(deps.read.text(call.arguments)) as Record<string, unknown>;
        const facts = await gatherFacts(deps.facts, { serverId, serverName, tool, conversationId, turnId, values });
        if (decide(facts, [rule], labels).reason.ruleId !== rule.id) continue;
        const { text } = call.arguments;
        const shown = text.length <= shownArguments ? text : `${text.slice(0, shownArguments).toWellFormed()}…`;
        calls.push({ callId: call.id, conversationId, title, tool, arguments: shown, at: call.createdAt, was: whatItWas(call) });
      }
      return { calls, looked };
    },
  };
}

function patternProblem(pattern: ArgumentPattern): string | undefined {
  const { at, match } = pattern;
  if (!at.startsWith('/')) return `“${at}” names no argument. Write it as /name, or /list/* for every element of a list.`;
  switch (match.kind) {
    case 'host':
      return bindsDestination(pattern) ? undefined : `“${match.value}” is no host such as example.com or *.example.com.`;
    case 'glob':
      return bindsPath(pattern) ? undefined : `“${match.value}” names no folder of this computer, such as /home/me/notes/**.`;
    case 'range':
      return match.min === undefined || match.max === undefined || match.min <= match.max
        ? undefined
        : 'The smallest number is larger than the largest.';
    case 'exact':
    case 'prefix':
      return undefined;
  }
}

/** What became of a call, for the middle of a line. */
function whatItWas(call: ToolCall): string {
  switch (call.state) {
    case 'denied':
      return call.by === 'user' ? 'you denied it' : 'it was denied without asking';
    case 'cancelled':
      return 'it was stopped';
    case 'interrupted':
      return 'it was interrupted';
    case 'proposed':
    case 'awaitingApproval':
      return 'it waits for you';
    case 'running':
    case 'awaitingInput':
    case 'succeeded':
    case 'failed':
      return call.reason?.verdict === 'allow' ? 'it went out by a permission' : 'you allowed it';
  }
}
