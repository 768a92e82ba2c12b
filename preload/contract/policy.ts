import { z } from 'zod';
import { ApprovalId, CallId, ConversationId, FolderId, InputId, RuleId, ServerId, TurnId } from './ids.ts';
import { LongText } from './content.ts';
import { SignInRequest } from './signIn.ts';

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
  /** The person tries the tool on the server's page; no model asked for it. */
  byHand: z.literal(true).optional(),
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

/** The address of a page that a server wants opened, taken apart so that the eye falls on the part that somebody registered. */
export const ShownUrl = z.strictObject({
  /** `before` + `registrable` + `after` is the whole address, exactly as it would be opened. */
  before: z.string(),
  registrable: z.string(),
  after: z.string(),
  /** The host in its own letters, where the address holds it in Punycode. */
  unicodeHost: z.string().optional(),
  warnings: z.array(z.enum(['punycode', 'mixedScripts', 'looksLike', 'numericHost', 'notEncrypted', 'unusualPort'])),
  /** The name that the host can be mistaken for, with the warning `looksLike`. */
  looksLike: z.string().optional(),
});
export type ShownUrl = z.infer<typeof ShownUrl>;

/** A block of a sampling request, for the eye. Bytes are told by kind and size. */
export const SamplingBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: LongText }),
  /** `data` is base64, absent when the image is too large for the card. */
  z.strictObject({ type: z.literal('image'), mimeType: z.string(), bytes: z.number().int(), data: z.string().optional() }),
  z.strictObject({ type: z.literal('toolUse'), name: z.string(), input: LongText }),
  z.strictObject({ type: z.literal('toolResult'), text: LongText }),
]);
export type SamplingBlock = z.infer<typeof SamplingBlock>;

/** What a server wants to ask the user's model, and later the model's answer. */
export const SamplingView = z.strictObject({
  systemPrompt: LongText.optional(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), blocks: z.array(SamplingBlock) })),
  /** Tools of the server that the model may ask for. The server runs them, the host never does. */
  tools: z.array(z.string()),
  model: z.strictObject({ ref: z.string(), name: z.string(), provider: z.string(), leavesComputer: z.boolean() }),
  /** Why this model, as a sentence of the host. */
  modelReason: z.string(),
  maxTokens: z.number().int(),
  /** Estimated tokens of what is sent. */
  inputTokens: z.number().int(),
  /** Tokens that this server may still use in this turn, this request included. */
  budgetLeft: z.number().int(),
  /** Why the model has not answered: it may be asked again. */
  problem: z.string().optional(),
  /** Present in the stage `result`. */
  result: z.strictObject({ blocks: z.array(SamplingBlock), stopReason: z.string(), outputTokens: z.number().int() }).optional(),
});
export type SamplingView = z.infer<typeof SamplingView>;

/** A question of the same call that was answered before. The answer itself is not kept. */
export const AnsweredInput = z.strictObject({
  kind: z.enum(['elicitation', 'sampling', 'roots', 'signIn']),
  round: z.number().int(),
  /** The server's words, cut. */
  message: z.string().max(300),
  action: z.enum(['accept', 'decline', 'cancel']),
});
export type AnsweredInput = z.infer<typeof AnsweredInput>;

/**
 * What a card asks after its first answer. `opened`: the page is open, and the person says when he is done. `working`: the
 * model answers. `result`: the model's answer is looked at before the server gets it.
 */
export const InputStage = z.enum(['opened', 'working', 'result']);
export type InputStage = z.infer<typeof InputStage>;

/** Something a server asks of the user. Never answered by itself. Questions of one call make one card. */
export const InputRequest = z.strictObject({
  id: InputId,
  /** `signIn` is asked by the host itself: the call waits for a sign-in to its server. */
  kind: z.enum(['elicitation', 'sampling', 'roots', 'signIn']),
  serverId: ServerId,
  serverName: z.string(),
  conversationId: ConversationId.optional(),
  callId: CallId.optional(),
  /** The server's words: data, shown as such. */
  message: LongText,
  /** JSON Schema of the asked form (elicitation), as JSON text. */
  schema: z.string().optional(),
  /** Names of fields that seem to ask for a secret, which must not be given in a form. */
  secretFields: z.array(z.string()).optional(),
  /** The page the server wants opened (elicitation by URL). */
  url: z.string().optional(),
  shownUrl: ShownUrl.optional(),
  sampling: SamplingView.optional(),
  signIn: SignInRequest.optional(),
  /** Folders that may be meant (roots): repositories around folders that the server uses already. */
  suggestedFolders: z.array(z.strictObject({ id: FolderId, path: z.string() })).optional(),
  /** Absent at first. An answer names the stage that it was given to. */
  stage: InputStage.optional(),
  /** Counts the server's rounds of questions in one call, from 1. */
  round: z.number().int().optional(),
  earlier: z.array(AnsweredInput).optional(),
  createdAt: z.number(),
});
export type InputRequest = z.infer<typeof InputRequest>;

/**
 * `content` holds the form's values; for `roots` it is `{ folderIds }`, the folders that are named to the server. The first
 * `accept` of a page opens it; where the server waits for the end of it, the next one, with the stage `opened`, says that it is done.
 */
export const InputAnswer = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('accept'),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
    stage: InputStage.optional(),
    /** Sampling: send the model's answers to this server without a second look, in this chat. */
    waiveResult: z.boolean().optional(),
  }),
  /** `block`: and show no question of this server any more. */
  z.strictObject({ action: z.literal('decline'), block: z.boolean().optional() }),
  z.strictObject({ action: z.literal('cancel') }),
]);
export type InputAnswer = z.infer<typeof InputAnswer>;
