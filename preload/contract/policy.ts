import { z } from 'zod';
import { ApprovalId, CallId, ConversationId, FolderId, InputId, RuleId, ServerId, TurnId } from './ids.ts';
import { Labels, LongText } from './content.ts';
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

/** How long a permission holds. `until`: to a date. */
export const Scope = z.enum(['once', 'turn', 'chat', 'until', 'always']);
export type Scope = z.infer<typeof Scope>;

/**
 * What one argument of a call must be for a rule to hold. `at` is a JSON Pointer (RFC 6901) into the arguments; a step `*` stands for
 * every element of an array, and all of them must fit (for a denial, one is enough). `glob` is for paths after normalisation (`*` within
 * a name, `**` across folders, `[*]` for the character itself), `host` for the host of a URL (`*.example.com` takes its subdomains),
 * `range` for numbers.
 */
export const ArgumentPattern = z.strictObject({
  at: z.string().max(1024),
  match: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('exact'), value: z.union([z.string().max(65_536), z.number(), z.boolean(), z.null()]) }),
    z.strictObject({ kind: z.literal('prefix'), value: z.string().min(1).max(4096) }),
    z.strictObject({ kind: z.literal('glob'), value: z.string().min(1).max(4096) }),
    z.strictObject({ kind: z.literal('host'), value: z.string().min(1).max(255) }),
    z.strictObject({ kind: z.literal('range'), min: z.number().optional(), max: z.number().optional() }),
  ]),
});
export type ArgumentPattern = z.infer<typeof ArgumentPattern>;

/** A permission that a card may give. `text` is the host's sentence for its row in the menu; `patterns` are what it is bound to. */
export const PermissionOffer = z.strictObject({
  scope: Scope,
  patterns: z.array(ArgumentPattern).max(16),
  text: z.string(),
  /** It holds for every tool of the server that is known to read only, as far as it stays in the folders picked. */
  covers: z.literal('reads').optional(),
});
export type PermissionOffer = z.infer<typeof PermissionOffer>;

/** Stretch of an argument that stands, byte for byte or in a usual encoding, in something that came from elsewhere. */
export const OriginMark = z.strictObject({
  /** JSON Pointer of the string argument; `from` and `to` are UTF-16 offsets in that string. Both 0: the name of the member is meant. */
  at: z.string(),
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  encoding: z.enum(['plain', 'base64', 'percent', 'json', 'hex']),
  source: Labels,
  /** Where it stands, for the eye: `a result of search_mail of Mail`. Names only, never content. */
  text: z.string(),
});
export type OriginMark = z.infer<typeof OriginMark>;

/** A private key, token or password in what is about to leave: in an argument, or in the file that a path argument names. */
export const Finding = z.strictObject({
  at: z.string(),
  where: z.enum(['argument', 'file']),
  /** The file, when it stands in one. */
  path: z.string().optional(),
  /** `private key`, `GitHub token`: for the middle of a sentence. */
  kind: z.string(),
  lines: z.number().int().optional(),
  /** Masked: enough to recognise it by, too little to use it. */
  preview: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** What a path argument names, as far as the host looked. It never followed a link out of the folder. */
export const PathLook = z.strictObject({
  at: z.string(),
  path: z.string(),
  state: z.enum(['file', 'folder', 'missing', 'linkOut', 'unreadable']),
  /** Whether it lies inside a folder that the user picked for this server. */
  inside: z.boolean(),
  bytes: z.number().optional(),
  /** Masked head of a text file, at most 2,000 characters. */
  preview: z.string().optional(),
});
export type PathLook = z.infer<typeof PathLook>;

/** What the chat has read so far: why a call is asked about. Names of servers, for the sentence. */
export const ChatLabels = z.strictObject({
  untrusted: z.boolean(),
  private: z.boolean(),
  untrustedFrom: z.array(z.string()),
  privateFrom: z.array(z.string()),
});
export type ChatLabels = z.infer<typeof ChatLabels>;

/** What decided a call, always kept with it. `text` is a sentence for the card and the row. */
export const DecisionReason = z.strictObject({
  verdict: z.enum(['allow', 'ask', 'deny']),
  code: z.enum([
    'managedDenies',
    'ruleDenies',
    'definitionChanged',
    /** It had, when the card was made; the person has agreed to the change while it waits. */
    'changeAgreed',
    'alwaysAsksToDelete',
    'privateContent',
    'untrustedContent',
    'notReviewed',
    'changesOrSendsOut',
    'choosesDestination',
    'noRule',
    'ruleAllows',
    'ownTool',
  ]),
  text: z.string(),
  ruleId: RuleId.optional(),
});
export type DecisionReason = z.infer<typeof DecisionReason>;

export const Rule = z.strictObject({
  id: RuleId,
  serverId: ServerId,
  /** The server's name when it is known; rules are keyed by the id. */
  serverName: z.string(),
  /** `*`: every tool of the server with a denial, every known read of it with a permission. */
  tool: z.string(),
  verdict: z.enum(['allow', 'deny']),
  scope: z.enum(['turn', 'chat', 'until', 'always']),
  conversationId: ConversationId.optional(),
  turnId: TurnId.optional(),
  /** The end of a rule with the scope `until`, in milliseconds since 1970. */
  until: z.number().optional(),
  /** All must fit; none: the rule holds for any arguments. */
  patterns: z.array(ArgumentPattern).optional(),
  createdAt: z.number(),
  lastUsedAt: z.number().optional(),
  uses: z.number().int(),
});
export type Rule = z.infer<typeof Rule>;

/** A rule that the person writes on the page of rules: for one tool, or for every tool of a server. */
export const RuleDraft = z.strictObject({
  serverId: ServerId,
  /** `*` (only with `deny`): every tool of the server. */
  tool: z.string().min(1).max(1000),
  verdict: z.enum(['allow', 'deny']),
  scope: z.enum(['until', 'always']),
  until: z.number().optional(),
  patterns: z.array(ArgumentPattern).max(16),
});
export type RuleDraft = z.infer<typeof RuleDraft>;

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
  /** The same with what each is bound to, as rows of the card's menu; `once` first. */
  offers: z.array(PermissionOffer).optional(),
  /** Approvals with the same group make one card: calls of one step to the same server and tool. Never deletions, never what sends out. */
  groupId: z.string().max(64).optional(),
  /** What the chat has read, where that is why it is asked about. */
  labels: ChatLabels.optional(),
  /** JSON Pointers of the arguments that pick where something goes. */
  destinations: z.array(z.string()).optional(),
  marks: z.array(OriginMark).optional(),
  findings: z.array(Finding).optional(),
  looks: z.array(PathLook).optional(),
  /** Marks, findings and looks may be less than there is: a sentence that says why. */
  inspectionIncomplete: z.string().optional(),
  /** The person tries the tool on the server's page; no model asked for it. */
  byHand: z.literal(true).optional(),
  /** A view of the server asked for it; no model did. */
  fromView: z.literal(true).optional(),
  createdAt: z.number(),
});
export type Approval = z.infer<typeof Approval>;

export const ApprovalDecision = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('allow'),
    scope: Scope,
    /** What the permission is bound to; the patterns of an offer, or narrower ones that fit the call. */
    patterns: z.array(ArgumentPattern).max(16).optional(),
    /** For the scope `until`. */
    until: z.number().optional(),
    /** The arguments as the person changed them, as JSON text; only with the scope `once`. The model is told. */
    edited: z.string().max(1_000_000).optional(),
  }),
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
  /** `edited`: the person wrote it, in the place of another. `cut`: it is not shown as a whole, and cannot be edited. */
  z.strictObject({ type: z.literal('text'), text: LongText, edited: z.literal(true).optional(), cut: z.literal(true).optional() }),
  /** `data` is base64, absent when the image is too large for the card. */
  z.strictObject({ type: z.literal('image'), mimeType: z.string(), bytes: z.number().int(), data: z.string().optional() }),
  z.strictObject({ type: z.literal('toolUse'), name: z.string(), input: LongText }),
  z.strictObject({ type: z.literal('toolResult'), text: LongText }),
]);
export type SamplingBlock = z.infer<typeof SamplingBlock>;

/** What a server wants to ask the user's model, and later the model's answer. */
export const SamplingView = z.strictObject({
  systemPrompt: LongText.optional(),
  systemPromptEdited: z.literal(true).optional(),
  systemPromptCut: z.literal(true).optional(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), blocks: z.array(SamplingBlock) })),
  /** Tools of the server that the model may ask for. The server runs them, the host never does. */
  tools: z.array(z.string()),
  /** What the model would read of them, as JSON. */
  toolDefinitions: LongText.optional(),
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

/** Most characters of one text that a person writes in the place of another. */
const maxEdited = 200_000;
/** A text in the place of that block, counted from 0 as the card shows them. */
const EditedBlock = z.strictObject({ block: z.number().int().nonnegative(), text: z.string().max(maxEdited) });

/** A secret that is about to be sent to a model on another computer, and where it stands. */
export const GuardFinding = z.strictObject({
  /** `private key`, `GitHub Token`: for the middle of a sentence. */
  kind: z.string(),
  lines: z.number().int().optional(),
  /** Masked. */
  preview: z.string(),
  /** In what the user wrote or attached, in a tool's result, in what a model said, or in the request of a server. */
  where: z.enum(['user', 'result', 'model', 'server']),
  /** The tool and its server, for `result`, where they are known: `read_file of Filesystem`. */
  tool: z.string().optional(),
});
export type GuardFinding = z.infer<typeof GuardFinding>;

/** Before a request to a cloud model: secrets in what the user has not decided about yet in this chat. */
export const ModelGuard = z.strictObject({
  model: z.strictObject({ ref: z.string(), provider: z.string() }),
  findings: z.array(GuardFinding).min(1).max(50),
  /** How many more there are than are listed; the answer holds for them too. */
  more: z.number().int().optional(),
});
export type ModelGuard = z.infer<typeof ModelGuard>;

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
  /**
   * `signIn` is asked by the host itself: the call waits for a sign-in to its server. So is `modelGuard`, about a request to a model:
   * `accept` sends it as it is, `decline` leaves the secrets out, `cancel` stops the answer.
   */
  kind: z.enum(['elicitation', 'sampling', 'roots', 'signIn', 'modelGuard']),
  /** Absent for `modelGuard`: no server asks. `serverName` is then the provider that the request goes to. */
  serverId: ServerId.optional(),
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
  modelGuard: ModelGuard.optional(),
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
    /**
     * Sampling, at first: what is asked of the model instead; an empty system prompt is left out. Only texts can be edited that the card
     * shows as a whole.
     */
    editedSystemPrompt: z.string().max(maxEdited).optional(),
    editedMessages: z
      .array(EditedBlock.extend({ message: z.number().int().nonnegative() }))
      .max(1000)
      .optional(),
    /** Sampling, in the stage `result`: what the server gets instead of the model's words. */
    editedResult: z.array(EditedBlock).max(100).optional(),
  }),
  /** `block`: and show no question of this server any more. */
  z.strictObject({ action: z.literal('decline'), block: z.boolean().optional() }),
  z.strictObject({ action: z.literal('cancel') }),
]);
export type InputAnswer = z.infer<typeof InputAnswer>;
