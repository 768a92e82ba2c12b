import { z } from 'zod';
import { ApprovalId, CallId, ConversationId, InputId, MessageId, PartId, ServerId, StartId } from './ids.ts';
import { Conversation, Message, Part, Turn } from './conversations.ts';
import { Approval, ApprovalOutcome, InputRequest } from './policy.ts';
import { Server, ServersFileProblem } from './servers.ts';
import { Provider } from './models.ts';
import { CallProgress, Task } from './tasks.ts';
import { KeychainState, Settings } from './settings.ts';
import { TraceEntryId } from './trace.ts';

/** Events of one conversation. Whatever a part says replaces what was known of it. */
export const ConversationEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message.added'), message: Message }),
  z.strictObject({ type: z.literal('part.changed'), messageId: MessageId, part: Part }),
  /** `offset` is the length before the delta: a text that is not that long has missed something. */
  z.strictObject({ type: z.literal('text.delta'), messageId: MessageId, partId: PartId, offset: z.number().int(), text: z.string() }),
  z.strictObject({ type: z.literal('call.progress'), messageId: MessageId, callId: CallId, progress: CallProgress }),
  z.strictObject({ type: z.literal('turn.changed'), turn: Turn }),
  /** Another branch is shown: open the conversation again. */
  z.strictObject({ type: z.literal('branch.changed') }),
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;

export const HistoryEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('conversation.changed'), conversation: Conversation }),
  z.strictObject({ type: z.literal('conversation.removed'), conversationId: ConversationId }),
]);
export type HistoryEvent = z.infer<typeof HistoryEvent>;

export const ServersEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('server.changed'), server: Server }),
  z.strictObject({ type: z.literal('server.removed'), serverId: ServerId }),
  z.strictObject({ type: z.literal('file.changed'), problem: ServersFileProblem.optional() }),
  /** A subscribed resource has changed, or may have: the server was not heard for a while. */
  z.strictObject({ type: z.literal('resource.updated'), serverId: ServerId, uri: z.string() }),
  z.strictObject({ type: z.literal('task.changed'), task: Task }),
  z.strictObject({ type: z.literal('task.ended'), callId: CallId }),
]);
export type ServersEvent = z.infer<typeof ServersEvent>;

export const ApprovalsEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('approval.added'), approval: Approval }),
  /** Only why it asks. */
  z.strictObject({ type: z.literal('approval.changed'), approval: Approval }),
  z.strictObject({ type: z.literal('approval.closed'), approvalId: ApprovalId, outcome: ApprovalOutcome }),
  z.strictObject({ type: z.literal('input.added'), input: InputRequest }),
  z.strictObject({ type: z.literal('input.changed'), input: InputRequest }),
  z.strictObject({ type: z.literal('input.closed'), inputId: InputId }),
]);
export type ApprovalsEvent = z.infer<typeof ApprovalsEvent>;

export const SettingsEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('settings.changed'), settings: Settings }),
  z.strictObject({ type: z.literal('provider.changed'), provider: Provider }),
  z.strictObject({ type: z.literal('provider.removed'), providerId: z.string() }),
  /** The keychain has answered, one way or the other. */
  z.strictObject({ type: z.literal('keychain.changed'), keychain: KeychainState }),
]);
export type SettingsEvent = z.infer<typeof SettingsEvent>;

/** Tells only that there is more, a few times a second: what it is, `trace.list` says. */
export const TraceEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('trace.grew'), serverId: ServerId, last: TraceEntryId }),
]);
export type TraceEvent = z.infer<typeof TraceEvent>;

const revision = z.number().int().positive();

/**
 * What a shell sends down. Revisions rise by one within a topic of one host run; a gap or another start id
 * means that something was missed: load the topic again.
 */
export const EventMessage = z.discriminatedUnion('topic', [
  z.strictObject({
    startId: StartId,
    topic: z.literal('conversation'),
    conversationId: ConversationId,
    revision,
    event: ConversationEvent,
  }),
  z.strictObject({ startId: StartId, topic: z.literal('history'), revision, event: HistoryEvent }),
  z.strictObject({ startId: StartId, topic: z.literal('servers'), revision, event: ServersEvent }),
  z.strictObject({ startId: StartId, topic: z.literal('approvals'), revision, event: ApprovalsEvent }),
  z.strictObject({ startId: StartId, topic: z.literal('settings'), revision, event: SettingsEvent }),
  z.strictObject({ startId: StartId, topic: z.literal('trace'), revision, event: TraceEvent }),
  /** The receiver was too slow and its queue was dropped: load everything again. */
  z.strictObject({ startId: StartId, topic: z.literal('resync') }),
]);
export type EventMessage = z.infer<typeof EventMessage>;
