import { z } from 'zod';
import { CallId, ConversationId, ServerId } from './ids.ts';

/** Counts what was traced in one run of the host, over all servers, from 1. */
export const TraceEntryId = z.number().int().positive();
export type TraceEntryId = z.infer<typeof TraceEntryId>;

/** The HTTP exchange that carried a message. Addresses are without values of their query, headers without secrets. */
export const HttpEnvelope = z.strictObject({
  method: z.string(),
  url: z.string(),
  requestHeaders: z.array(z.tuple([z.string(), z.string()])),
  /** Absent until the server has answered. */
  status: z.number().int().optional(),
  responseHeaders: z.array(z.tuple([z.string(), z.string()])).optional(),
  /** Of the event in the stream that carried the message. */
  eventId: z.string().optional(),
});
export type HttpEnvelope = z.infer<typeof HttpEnvelope>;

/** Whom a traced message serves: a call with its card, or the person who sent it by hand. */
export const TracePurpose = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call'),
    callId: CallId,
    conversationId: ConversationId,
    /** The chat's title; empty for a call that was tried by hand. */
    title: z.string(),
    triedByHand: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('byHand') }),
]);
export type TracePurpose = z.infer<typeof TracePurpose>;

/** One line of the trace. The message itself is read with `trace.read`. */
export const TraceEntry = z.strictObject({
  id: TraceEntryId,
  serverId: ServerId,
  /** Milliseconds since 1970. */
  at: z.number(),
  /** `toServer` and `fromServer` are messages; `here` is what happened to the connection. */
  direction: z.enum(['toServer', 'fromServer', 'here']),
  /** `http`: an exchange that carried no message. `noise`: no message at all. `connection`: a sentence of the host. */
  kind: z.enum(['request', 'response', 'error', 'notification', 'http', 'noise', 'connection']),
  /** Of an answer: the method of its request. */
  method: z.string().optional(),
  /** What the method is about: the name of the tool or prompt, the resource's address. */
  subject: z.string().optional(),
  /** The id of the JSON-RPC message, as JSON text. */
  rpcId: z.string().optional(),
  era: z.enum(['legacy', 'modern']).optional(),
  /** Of the whole message, in bytes. */
  bytes: z.number().int().nonnegative(),
  /** Set once the request has its answer, and on the answer; milliseconds. */
  tookMs: z.number().nonnegative().optional(),
  /** The other half of the exchange: the answer of a request, the request of an answer. */
  pairId: TraceEntryId.optional(),
  /** What is wrong with it, in a sentence. */
  problem: z.string().optional(),
  /** A sentence of the host about the message with this id. */
  aboutId: TraceEntryId.optional(),
  purpose: TracePurpose.optional(),
  httpStatus: z.number().int().optional(),
  /** It may be sent again by hand (`trace.resend`). */
  canResend: z.literal(true).optional(),
});
export type TraceEntry = z.infer<typeof TraceEntry>;

export const TraceFilter = z.strictObject({
  /** Part of the method, its subject or the message, whatever the case. */
  text: z.string().max(500).optional(),
  method: z.string().max(200).optional(),
  direction: z.enum(['toServer', 'fromServer', 'here']).optional(),
  callId: CallId.optional(),
  errorsOnly: z.boolean().optional(),
});
export type TraceFilter = z.infer<typeof TraceFilter>;

/** Whether the trace of a server is also written to the disk. */
export const TraceRecording = z.strictObject({
  on: z.boolean(),
  /** Absolute; older parts stand beside it, with a number. */
  file: z.string(),
  /** Why the recording stopped by itself. */
  problem: z.string().optional(),
});
export type TraceRecording = z.infer<typeof TraceRecording>;
