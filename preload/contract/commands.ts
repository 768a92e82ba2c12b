import { z } from 'zod';
import {
  ApprovalId,
  BlobId,
  CallId,
  CommandId,
  ConversationId,
  FolderId,
  InputId,
  MessageId,
  RuleId,
  ServerId,
  StartId,
  TurnId,
} from './ids.ts';
import { Conversation, Message, ModelRef, SearchHit, Turn } from './conversations.ts';
import { Approval, ApprovalDecision, Effect, InputAnswer, InputRequest, Rule } from './policy.ts';
import { ProposedServer, Server, ServerConfig, ServerDetails, ServerName, ServersFileProblem } from './servers.ts';
import { Provider } from './models.ts';
import { Settings } from './settings.ts';

/** A command that only reads. */
const read = <Input extends z.ZodRawShape, Output extends z.ZodType>(input: Input, output: Output) => ({
  changes: false as const,
  input: z.strictObject(input),
  output,
});

/** A command that changes something: its id makes a repeat harmless. */
const change = <Input extends z.ZodRawShape, Output extends z.ZodType>(input: Input, output: Output) => ({
  changes: true as const,
  input: z.strictObject({ commandId: CommandId, ...input }),
  output,
});

const nothing = z.strictObject({});
const at = z.number().int().nonnegative();

/** The longest message that a person may send, in characters. */
export const maxUserText = 200_000;

export const commands = {
  /** The first call of every renderer: all that the window shows before a conversation is opened. */
  'app.open': read(
    {},
    z.strictObject({
      startId: StartId,
      version: z.string(),
      platform: z.string(),
      shell: z.enum(['electron', 'web', 'cli', 'test']),
      dataDir: z.string(),
      /** When false, secrets live in memory until quit; `reason` says why. */
      keychain: z.strictObject({ available: z.boolean(), reason: z.string().optional() }),
      /** True where the shell opens the system's own folder dialog. */
      hasFolderDialog: z.boolean(),
      settings: Settings,
      settingsRevision: at,
      servers: z.array(Server),
      serversFileProblem: ServersFileProblem.optional(),
      serversRevision: at,
      approvals: z.array(Approval),
      inputs: z.array(InputRequest),
      approvalsRevision: at,
      providers: z.array(Provider),
      conversations: z.array(Conversation),
      historyRevision: at,
    }),
  ),
  /** A link that lets another tab in, web shell only. */
  'app.createLink': change({}, z.strictObject({ url: z.string() })),

  'conversation.list': read(
    { before: z.number().optional(), limit: z.number().int().min(1).max(200).default(100) },
    z.strictObject({ conversations: z.array(Conversation), hasMore: z.boolean() }),
  ),
  'conversation.create': change({ model: ModelRef.optional() }, z.strictObject({ conversation: Conversation })),
  /** The newest 50 messages of the current branch, oldest first; `before` for `conversation.messages`. */
  'conversation.open': read(
    { conversationId: ConversationId },
    z.strictObject({
      conversation: Conversation,
      messages: z.array(Message),
      before: MessageId.optional(),
      revision: at,
    }),
  ),
  'conversation.messages': read(
    { conversationId: ConversationId, before: MessageId, limit: z.number().int().min(1).max(100).default(50) },
    z.strictObject({ messages: z.array(Message), before: MessageId.optional() }),
  ),
  'conversation.rename': change({ conversationId: ConversationId, title: z.string().trim().min(1).max(200) }, nothing),
  'conversation.delete': change({ conversationId: ConversationId }, nothing),
  'conversation.setModel': change({ conversationId: ConversationId, model: ModelRef }, nothing),
  /** Shows another version of a message: the branch that goes through `messageId`. */
  'conversation.showBranch': change({ conversationId: ConversationId, messageId: MessageId }, nothing),
  'conversation.search': read(
    { query: z.string().max(500), limit: z.number().int().min(1).max(100).default(30) },
    z.strictObject({ hits: z.array(SearchHit) }),
  ),

  /** `parentId`: the message to answer to, when not the current leaf (an edit makes a new version beside the old). */
  'turn.send': change(
    {
      conversationId: ConversationId,
      text: z.string().min(1).max(maxUserText),
      parentId: MessageId.nullable().optional(),
      model: ModelRef.optional(),
    },
    z.strictObject({ turnId: TurnId, messageId: MessageId }),
  ),
  'turn.stop': change({ turnId: TurnId }, nothing),
  /** Goes on after the step limit, a stop, a failed model request or a crash; finished steps are not repeated. */
  'turn.continue': change({ turnId: TurnId }, z.strictObject({ turn: Turn })),
  /** A new version of the answer to the same user message. */
  'turn.regenerate': change({ turnId: TurnId, model: ModelRef.optional() }, z.strictObject({ turnId: TurnId })),
  /** Asks again for a call whose card was interrupted. */
  'call.askAgain': change({ callId: CallId }, z.strictObject({ turn: Turn })),

  'approval.list': read({}, z.strictObject({ approvals: z.array(Approval), inputs: z.array(InputRequest), revision: at })),
  'approval.answer': change({ approvalId: ApprovalId, argumentsHash: z.string().max(200), decision: ApprovalDecision }, nothing),
  'input.answer': change({ inputId: InputId, answer: InputAnswer }, nothing),
  'rule.list': read({}, z.strictObject({ rules: z.array(Rule) })),
  'rule.remove': change({ ruleId: RuleId }, nothing),

  'server.list': read({}, z.strictObject({ servers: z.array(Server), problem: ServersFileProblem.optional(), revision: at })),
  'server.details': read({ serverId: ServerId }, z.strictObject({ details: ServerDetails })),
  /** Reads a pasted `mcpServers` text. Failure `invalidInput` carries line and column. Adds nothing. */
  'server.parseJson': read({ text: z.string().max(1_000_000) }, z.strictObject({ proposed: z.array(ProposedServer) })),
  'server.add': change({ name: ServerName, config: ServerConfig }, z.strictObject({ server: Server })),
  /** `configJson` replaces the entry; members the form does not know stay as they are when it is left out. */
  'server.update': change(
    { serverId: ServerId, name: ServerName.optional(), configJson: z.string().max(1_000_000).optional() },
    z.strictObject({ server: Server }),
  ),
  'server.addBundled': change(
    { bundled: z.enum(['files', 'memory', 'everything']), folderIds: z.array(FolderId).max(64) },
    z.strictObject({ server: Server }),
  ),
  'server.setFolders': change({ serverId: ServerId, folderIds: z.array(FolderId).max(64) }, z.strictObject({ server: Server })),
  'server.remove': change({ serverId: ServerId }, nothing),
  'server.setEnabled': change({ serverId: ServerId, enabled: z.boolean() }, nothing),
  'server.restart': change({ serverId: ServerId }, nothing),
  'server.consent': change({ serverId: ServerId, configHash: z.string().max(200), allow: z.boolean() }, nothing),
  'server.classifyTool': change({ serverId: ServerId, tool: z.string().max(1000), effects: z.array(Effect).max(4) }, nothing),
  /** Reads servers.json again after it was mended by hand. */
  'server.reload': change({}, nothing),

  /** Opens the system's dialog where the shell has one (`unsupported` elsewhere); null when the user closed it. */
  'folder.pick': change({}, z.strictObject({ folder: z.strictObject({ id: FolderId, path: z.string() }).nullable() })),
  /** Lists the folders inside one that the host showed before; without id, the home folder. */
  'folder.browse': read(
    { folderId: FolderId.optional() },
    z.strictObject({
      folder: z.strictObject({ id: FolderId, path: z.string() }),
      parentId: FolderId.optional(),
      entries: z.array(z.strictObject({ id: FolderId, name: z.string() })),
      /** Not all are listed: the folder holds more than 1,000. */
      more: z.boolean(),
    }),
  ),

  'provider.list': read({}, z.strictObject({ providers: z.array(Provider) })),
  /** Fetches the model list again. */
  'provider.refresh': change({ providerId: z.string().max(200) }, nothing),
  'provider.add': change(
    { name: z.string().trim().min(1).max(100), baseUrl: z.string().max(2000) },
    z.strictObject({ providerId: z.string() }),
  ),
  'provider.remove': change({ providerId: z.string().max(200) }, nothing),
  'secret.set': change(
    {
      owner: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('provider'), providerId: z.string().max(200) }),
        z.strictObject({ kind: z.literal('server'), serverId: ServerId, name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
      ]),
      value: z.string().min(1).max(16_384),
    },
    nothing,
  ),
  'secret.remove': change(
    {
      owner: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('provider'), providerId: z.string().max(200) }),
        z.strictObject({ kind: z.literal('server'), serverId: ServerId, name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
      ]),
    },
    nothing,
  ),

  'settings.set': change({ patch: Settings.partial() }, z.strictObject({ settings: Settings })),

  /** A range of a blob. Text (UTF-8) comes as it is, never cut inside a character; bytes come as base64. At most 256 KiB a call. */
  'blob.read': read(
    { blobId: BlobId, offset: at, length: z.number().int().min(1).max(262_144), as: z.enum(['text', 'base64']) },
    z.strictObject({ data: z.string(), nextOffset: at.optional(), bytes: at }),
  ),
  /** Opens an http(s) address in the system's browser, after the host has checked it. */
  'link.open': change({ url: z.string().max(8192) }, nothing),
} as const;

export type CommandName = keyof typeof commands;
/** What a caller passes (defaults may be left out). */
export type CommandInput<Name extends CommandName> = z.input<(typeof commands)[Name]['input']>;
/** What a handler gets. */
export type ParsedInput<Name extends CommandName> = z.output<(typeof commands)[Name]['input']>;
export type CommandOutput<Name extends CommandName> = z.output<(typeof commands)[Name]['output']>;
