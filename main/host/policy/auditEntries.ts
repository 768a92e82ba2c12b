import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, DecisionReason, InputRequest, Rule } from '../../../preload/contract/policy.ts';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import type { AuditRow } from '../../../preload/contract/audit.ts';
import type { AuditEntry } from './audit.ts';
import { type Managed, managedView } from './managedPolicy.ts';

/** What rows tell of calls, cards, questions and rules. Pure: no arguments, no results, no words of a server but names. */

const aboutCall = (call: ToolCall, conversationId: ConversationId | undefined): Omit<AuditEntry, 'kind'> => ({
  ...(call.serverId === undefined ? {} : { serverId: call.serverId }),
  serverName: call.serverName,
  tool: call.tool,
  ...(conversationId === undefined ? {} : { conversationId }),
  callId: call.id,
  hash: call.argumentsHash,
});

/** A call that goes out without a card, or is refused without one. */
export const callDecided = (call: ToolCall, reason: DecisionReason, conversationId: ConversationId | undefined): AuditEntry => ({
  kind: 'call.decided',
  ...aboutCall(call, conversationId),
  verdict: reason.verdict,
  code: reason.code,
  ...(reason.ruleId === undefined ? {} : { ruleId: reason.ruleId }),
  outcome: reason.verdict === 'deny' ? 'denied' : 'allowed',
  summary: reason.text,
});

/** Undefined while the call goes on, and where the row of its decision is its end too. */
export function callEnded(call: ToolCall, conversationId: ConversationId | undefined): AuditEntry | undefined {
  switch (call.state) {
    case 'succeeded':
    case 'cancelled':
    case 'interrupted':
      return { kind: 'call.ended', ...aboutCall(call, conversationId), outcome: call.state };
    case 'failed':
      return { kind: 'call.ended', ...aboutCall(call, conversationId), outcome: 'failed', code: call.error.code };
    case 'denied':
      // What the person denied stands with his answer.
      if (call.by === 'user') return undefined;
      return call.reason
        ? callDecided(call, { ...call.reason, verdict: 'deny' }, conversationId)
        : { kind: 'call.decided', ...aboutCall(call, conversationId), verdict: 'deny', outcome: 'denied' };
    case 'proposed':
    case 'awaitingApproval':
    case 'running':
    case 'awaitingInput':
      return undefined;
  }
}

/** `covered`: nobody looked at this card; the answer to another one holds for it. An edited call is told by the hash of what was sent. */
export const cardAnswered = (approval: Approval, decision: ApprovalDecision, covered = false): AuditEntry => ({
  kind: 'call.answered',
  serverId: approval.serverId,
  serverName: approval.serverName,
  tool: approval.tool,
  conversationId: approval.conversationId,
  callId: approval.callId,
  verdict: decision.kind,
  code: covered ? 'covered' : approval.reason.code,
  ...(decision.kind === 'allow' ? { scope: decision.scope } : {}),
  hash: approval.argumentsHash,
  outcome: decision.kind === 'deny' ? 'denied' : decision.edited === undefined ? 'allowed' : 'allowed edited',
  summary: approval.fromView === true ? `A view asked. ${approval.reason.text}` : approval.reason.text,
});

/** `before`: answered without a card, as the person had said before. `edited`: with words of the person in the place of others. */
export type AnsweredHow = 'before' | 'edited';

export const inputAnswered = (
  input: Pick<InputRequest, 'kind' | 'serverId' | 'serverName' | 'conversationId' | 'callId' | 'sampling' | 'stage'>,
  action: 'accept' | 'decline' | 'cancel',
  how?: AnsweredHow,
): AuditEntry => ({
  kind: 'input.answered',
  ...(input.serverId === undefined ? {} : { serverId: input.serverId }),
  serverName: input.serverName,
  ...(input.conversationId === undefined ? {} : { conversationId: input.conversationId }),
  ...(input.callId === undefined ? {} : { callId: input.callId }),
  code: input.kind,
  outcome: [input.kind === 'sampling' && input.stage === 'result' ? ofResult[action] : ofQuestion[action], how].filter(Boolean).join(' '),
  ...(input.sampling === undefined ? {} : { summary: `${input.sampling.model.name} of ${input.sampling.model.provider}` }),
});

const ofQuestion = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' };
/** The model has answered, and its words are what is sent to the server or not. */
const ofResult = { accept: 'sent', decline: 'withheld', cancel: 'withheld' };

type RuleFacts = Pick<Rule, 'id' | 'serverId' | 'tool' | 'verdict' | 'scope'> & { conversationId?: ConversationId | undefined };

export const ruleChanged = (kind: 'rule.added' | 'rule.removed', rule: RuleFacts, serverName: string): AuditEntry => ({
  kind,
  serverId: rule.serverId,
  serverName,
  tool: rule.tool,
  ...(rule.conversationId === undefined ? {} : { conversationId: rule.conversationId }),
  verdict: rule.verdict,
  ruleId: rule.id,
  scope: rule.scope,
});

/** The summary names the program or the host, never arguments: those may hold secrets. */
export const startAnswered = (
  server: { id: ServerId; name: string },
  configHash: string,
  config: ServerConfig | undefined,
  allowed: boolean,
  code?: 'managedDenies',
): AuditEntry => ({
  kind: 'start.answered',
  serverId: server.id,
  serverName: server.name,
  verdict: allowed ? 'allow' : 'deny',
  ...(code === undefined ? {} : { code }),
  hash: configHash,
  outcome: allowed ? 'allowed' : 'denied',
  ...(config === undefined ? {} : { summary: programOf(config) }),
});

function programOf(config: ServerConfig): string {
  if ('url' in config) return URL.parse(config.url)?.host ?? 'an address';
  return 'command' in config ? config.command : 'a server that comes with Maitre';
}

/** The organisation's policy, where it is another one than at the last start. `last`: the row that told of it then. */
export function policyApplied(managed: Managed, last: AuditRow | undefined): AuditEntry | undefined {
  const now = policyFacts(managed);
  const before = last ?? { code: 'none', hash: undefined };
  return before.code === now.code && before.hash === now.hash ? undefined : { kind: 'policy.applied', ...now };
}

function policyFacts(managed: Managed): Pick<AuditEntry, 'code' | 'hash' | 'summary'> {
  if (managed.state === 'none') return { code: 'none' };
  if (managed.state === 'broken') return { code: 'broken', summary: managed.problem };
  const sets = managedView(managed)?.sets ?? [];
  return { code: 'inForce', hash: managed.hash, summary: sets.join(', ') || 'nothing' };
}

/** Something that the person said of a server, or of one of its tools (or prompts, templates). `code` says of what, `summary` what. */
export const trustChanged = (
  server: { id: ServerId; name: string },
  code: 'effects' | 'definitions' | 'content' | 'questions' | 'folders' | 'sandbox' | 'views',
  summary: string,
  tool?: string,
): AuditEntry => ({
  kind: 'trust.changed',
  serverId: server.id,
  serverName: server.name,
  ...(tool === undefined ? {} : { tool }),
  code,
  summary,
});
