import { z } from 'zod';
import { CallId, ConversationId, MessageId, ServerId, TurnId } from '../ids.ts';
import { Conversation, Message, ModelRef, SearchHit, Turn } from '../conversations.ts';
import { ViewWords } from '../views.ts';
import { at, change, nothing, read } from './define.ts';

/** The longest message that a person may send, in characters. */
export const maxUserText = 200_000;

/** Resources that one message may carry. */
export const maxAttachments = 20;

/** Chats, their turns and calls. */
export const conversationCommands = {
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
      /** May be empty where a prompt goes along. */
      text: z.string().max(maxUserText),
      parentId: MessageId.nullable().optional(),
      model: ModelRef.optional(),
      /** Resources that are read now and sent along. When one cannot be read, nothing is sent. */
      attachments: z
        .array(z.strictObject({ serverId: ServerId, uri: z.string().min(1).max(8192) }))
        .max(maxAttachments)
        .optional(),
      /** A prompt of a server, which makes its messages now. They are the server's words, and kept as such. */
      prompt: z
        .strictObject({
          serverId: ServerId,
          name: z.string().min(1).max(1024),
          values: z.record(z.string().max(256), z.string().max(65_536)),
        })
        .optional(),
      /** What views have said in this chat and the person lets go along. It is taken as the host has it, and used up. */
      views: z.array(ViewWords).max(maxAttachments).optional(),
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
} as const;
