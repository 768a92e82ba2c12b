import { z } from 'zod';
import { ApprovalId, CallId, ConversationId, InputId, RuleId, ServerId, TurnId } from './ids.ts';
import { LongText } from './content.ts';

/** What a tool does, as far as anybody responsible has said. A server's own annotations never decide. */
export const Effect = z.enum(['reads', 'changes', 'deletes', 'sendsOut']);
export type Effect = z.infer<typeof Effect>;

/** `source` says who classified the tool: the user, a profile of a well-known server, or nobody. */
export const Effects = z.strictObject({
  set: z.array(Effect).min(1),
  source: z.enum(['user', 'profile', 'nobody']),
});
export type Effects = z.infer<typeof Effects>;

/** How long a permission holds. */
export const Scope = z.enum(['once', 'turn', 'chat', 'always']);
export type Scope = z.infer<typeof Scope>;

/** What decided a call, always kept with it. `text` is a sentence for the card and the row. */
export const DecisionReason = z.strictObject({
  verdict: z.enum(['allow', 'ask', 'deny']),
  code: z.enum(['noRule', 'notReviewed', 'changesOrSendsOut', 'alwaysAsksToDelete', 'ruleAllows', 'ruleDenies', 'ownTool']),
  text: z.string(),
  ruleId: RuleId.optional(),
});
export type DecisionReason = z.infer<typeof DecisionReason>;

export const Rule = z.strictObject({
  id: RuleId,
  serverId: ServerId,
  /** The server's name when it is known; rules are keyed by the id. */
  serverName: z.string(),
  tool: z.string(),
  verdict: z.enum(['allow', 'deny']),
  scope: z.enum(['turn', 'chat', 'always']),
  conversationId: ConversationId.optional(),
  turnId: TurnId.optional(),
  createdAt: z.number(),
  lastUsedAt: z.number().optional(),
  uses: z.number().int(),
});
export type Rule = z.infer<typeof Rule>;

/** A call that waits for the user. The answer must carry `argumentsHash`. */
export const Approval = z.strictObject({
  id: ApprovalId,
  conversationId: ConversationId,
  turnId: TurnId,
  callId: CallId,
  serverId: ServerId,
  serverName: z.string(),
  tool: z.string(),
  /** The host's own question, never text of the server. */
  question: z.string(),
  /** Canonical JSON of exactly what would be sent. */
  arguments: LongText,
  argumentsHash: z.string(),
  effects: Effects,
  reason: DecisionReason,
  /** The permissions that may be given here; `once` is always among them. */
  scopes: z.array(Scope),
  createdAt: z.number(),
});
export type Approval = z.infer<typeof Approval>;

export const ApprovalDecision = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('allow'), scope: Scope }),
  /** `reason` is told to the model. */
  z.strictObject({ kind: z.literal('deny'), reason: z.string().max(2000).optional() }),
]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

export const ApprovalOutcome = z.enum(['allowed', 'denied', 'cancelled', 'interrupted']);
export type ApprovalOutcome = z.infer<typeof ApprovalOutcome>;

/** Something a server asks of the user. Never answered by itself. */
export const InputRequest = z.strictObject({
  id: InputId,
  kind: z.enum(['elicitation', 'sampling', 'roots']),
  serverId: ServerId,
  serverName: z.string(),
  conversationId: ConversationId.optional(),
  callId: CallId.optional(),
  /** The server's words: data, shown as such. */
  message: LongText,
  /** JSON Schema of the asked form (elicitation), as JSON text. */
  schema: z.string().optional(),
  /** The page the server wants opened (elicitation by URL). */
  url: z.string().optional(),
  createdAt: z.number(),
});
export type InputRequest = z.infer<typeof InputRequest>;

/** `content` holds the form's values; for `roots` it is `{ folderIds }`, the folders that are named to the server. */
export const InputAnswer = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('accept'),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  }),
  z.strictObject({ action: z.literal('decline') }),
  z.strictObject({ action: z.literal('cancel') }),
]);
export type InputAnswer = z.infer<typeof InputAnswer>;
