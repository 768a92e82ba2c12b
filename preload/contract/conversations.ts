import { z } from 'zod';
import { ConversationId, MessageId, PartId, ServerId, TurnId } from './ids.ts';
import { Labels, LongText, ResultBlock } from './content.ts';
import { ToolCall } from './calls.ts';

/** `demo`, `scripted:FILE`, `provider/model`, or `compatible:BASE_URL#NAME`. */
export const ModelRef = z.string().min(1).max(2000);
export type ModelRef = z.infer<typeof ModelRef>;

export const TurnState = z.enum(['running', 'done', 'stepLimit', 'stopped', 'failed', 'interrupted']);
export type TurnState = z.infer<typeof TurnState>;

export const Turn = z.strictObject({
  id: TurnId,
  conversationId: ConversationId,
  userMessageId: MessageId,
  assistantMessageId: MessageId,
  state: TurnState,
  model: ModelRef,
  /** Model requests made so far. */
  steps: z.number().int(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  /** Set when state is `failed`: a sentence and, on demand, what lies behind it. */
  error: z.strictObject({ code: z.string(), message: z.string(), detail: z.string().optional() }).optional(),
  usage: z.strictObject({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
});
export type Turn = z.infer<typeof Turn>;

export const Part = z.discriminatedUnion('kind', [
  z.strictObject({ id: PartId, kind: z.literal('text'), text: LongText, labels: Labels, open: z.boolean() }),
  z.strictObject({
    id: PartId,
    kind: z.literal('reasoning'),
    text: LongText,
    labels: Labels,
    open: z.boolean(),
    durationMs: z.number().optional(),
  }),
  z.strictObject({ id: PartId, kind: z.literal('call'), call: ToolCall, labels: Labels }),
  /** A resource that the person attached, as it was read when the message was sent. */
  z.strictObject({
    id: PartId,
    kind: z.literal('attachment'),
    serverId: ServerId,
    serverName: z.string(),
    uri: z.string(),
    title: z.string(),
    content: z.array(ResultBlock),
    labels: Labels,
  }),
  /** A prompt of a server that the person chose, as the server made it when the message was sent. */
  z.strictObject({
    id: PartId,
    kind: z.literal('prompt'),
    serverId: ServerId,
    serverName: z.string(),
    name: z.string(),
    title: z.string(),
    values: z.record(z.string(), z.string()),
    messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(ResultBlock) })),
    labels: Labels,
  }),
]);
export type Part = z.infer<typeof Part>;

/** A node of the conversation's tree. `siblings` are the other versions at this place, oldest first, itself included. */
export const Message = z.strictObject({
  id: MessageId,
  conversationId: ConversationId,
  parentId: MessageId.optional(),
  role: z.enum(['user', 'assistant']),
  createdAt: z.number(),
  turn: Turn.optional(),
  parts: z.array(Part),
  siblings: z.array(MessageId),
});
export type Message = z.infer<typeof Message>;

export const Conversation = z.strictObject({
  id: ConversationId,
  title: z.string(),
  /** True once the user named it; then it is never renamed by the host. */
  titledByUser: z.boolean(),
  model: ModelRef.optional(),
  leafId: MessageId.optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** What the sidebar's dot shows. */
  activity: z.enum(['idle', 'running', 'waiting']),
});
export type Conversation = z.infer<typeof Conversation>;

export const SearchHit = z.strictObject({
  conversationId: ConversationId,
  title: z.string(),
  messageId: MessageId.optional(),
  /** Plain text around the hit; `ranges` are [start, end) of the matched words in it. */
  snippet: z.string(),
  ranges: z.array(z.tuple([z.number().int(), z.number().int()])),
  at: z.number(),
});
export type SearchHit = z.infer<typeof SearchHit>;
