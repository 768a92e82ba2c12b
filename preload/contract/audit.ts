import { z } from 'zod';
import { CallId, ConversationId, RuleId, ServerId } from './ids.ts';

/** What a row of the activity log tells of. */
export const AuditKind = z.enum([
  /** A permission, a prohibition or the organisation decided a call. `code` is that of the reason. */
  'call.decided',
  /** The person answered a card; `scope`: how long a permission holds. */
  'call.answered',
  /** A call that was decided has ended, or failed before that. `code`: why it failed. */
  'call.ended',
  /** Something that a server asked of the person. `code` is the kind of the question. */
  'input.answered',
  'account.signedIn',
  'account.signedOut',
  /** The start of a local program, or the connection to an address. `hash` is that of its configuration. */
  'start.answered',
  'rule.added',
  'rule.removed',
  /** Definitions of a server, agreed to as they are. */
  'definition.accepted',
  /** What the person said of a server or a tool. `code`: of what; `summary`: what. */
  'trust.changed',
  /** The organisation's policy: `code` says whether it came into force, ended, or keeps a server from starting. */
  'policy.applied',
  /** At a start the log was not as it was left. `code` as that of {@link AuditCheck}. */
  'log.damaged',
]);
export type AuditKind = z.infer<typeof AuditKind>;

/** One row. Names of servers and tools are as they were then. Arguments and results are never in it. */
export const AuditRow = z.strictObject({
  /** Counts from 1 without a gap. */
  seq: z.number().int().positive(),
  at: z.number(),
  kind: AuditKind,
  serverId: ServerId.optional(),
  serverName: z.string().optional(),
  tool: z.string().optional(),
  conversationId: ConversationId.optional(),
  callId: CallId.optional(),
  verdict: z.enum(['allow', 'ask', 'deny']).optional(),
  code: z.string().optional(),
  ruleId: RuleId.optional(),
  scope: z.enum(['once', 'turn', 'chat', 'until', 'always']).optional(),
  /** Of the arguments of a call, of a configuration or a definition. */
  hash: z.string().optional(),
  /**
   * `allowed`, `denied`, `succeeded`, `failed`, `cancelled`, `interrupted`, `accepted`, `declined`; of a model's answer that a server asked
   * for, `sent`, `withheld`. Behind it ` edited`, where the person changed what was sent, or ` before`, where nobody was asked anew. Absent
   * where the kind says it all.
   */
  outcome: z.string().optional(),
  /** A few words of the host. */
  summary: z.string().optional(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** All that is given must fit. Times are milliseconds since 1970, both included. */
export const AuditFilter = z.strictObject({
  serverId: ServerId.optional(),
  kinds: z.array(AuditKind).max(20).optional(),
  verdict: z.enum(['allow', 'deny']).optional(),
  /** Part of the name of the server or the tool, or of the summary, whatever the case. */
  text: z.string().max(200).optional(),
  from: z.number().optional(),
  to: z.number().optional(),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

/** What a check of the whole log found. */
export const AuditCheck = z.strictObject({
  /** `unchecked`: nothing wrong was found, but not every row could be looked at. */
  state: z.enum(['intact', 'unchecked', 'broken']),
  code: z.enum([
    'intact',
    /** The keychain has not answered yet, or there is none: only rows of this run could be checked. */
    'noKeychain',
    /** The newest rows were written in runs without a keychain. */
    'otherRun',
    'changed',
    'removed',
    /** The newest rows are missing. */
    'truncated',
    /** Signed with a key that the keychain does not hold. */
    'otherKey',
    /** A row tells that the log was not whole at an earlier start. */
    'recorded',
  ]),
  rows: z.number().int().nonnegative(),
  /** The first row that is wrong, or could not be checked; `to`: the last of them. */
  seq: z.number().int().positive().optional(),
  to: z.number().int().positive().optional(),
  /** The same as a sentence. */
  text: z.string(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;
