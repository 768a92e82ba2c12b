import { z } from 'zod';
import { CallId, ConversationId, ServerId, TurnId } from '../ids.ts';
import { HttpEnvelope, TraceEntry, TraceEntryId, TraceFilter, TraceRecording } from '../trace.ts';
import { at, change, nothing, read } from './define.ts';

/** The longest message or argument text that a person may write by hand, in characters. */
export const maxHandText = 500_000;

/** A call on its way: its card and row stand in the server's own conversation, which is no chat. */
const TriedCall = z.strictObject({ conversationId: ConversationId, turnId: TurnId, callId: CallId });

/** What went over the wires, and trying things by hand. The trace is kept in memory and ends with the host. */
export const traceCommands = {
  /** Newest first. `after` and `before` are ids; `hasMore`: more stand between `after` and the last one given. */
  'trace.list': read(
    {
      serverId: ServerId.optional(),
      after: at.optional(),
      before: at.optional(),
      filter: TraceFilter.default({}),
      limit: z.number().int().min(1).max(500).default(200),
    },
    z.strictObject({
      entries: z.array(TraceEntry),
      hasMore: z.boolean(),
      /** The newest id there is, of any filter; 0 when nothing was traced. */
      last: at,
      /** Absent without `serverId`. */
      recording: TraceRecording.optional(),
    }),
  ),
  /** A piece of one message, secrets removed. Offsets and `length` count UTF-16 code units; a piece is at most 256 Ki. */
  'trace.read': read(
    { entryId: TraceEntryId, offset: at.default(0), length: z.number().int().min(1).max(262_144).default(262_144) },
    z.strictObject({
      entry: TraceEntry,
      http: HttpEnvelope.optional(),
      text: z.string(),
      nextOffset: at.optional(),
      length: at,
      /** The message was longer and is kept in part only. */
      isCut: z.boolean(),
    }),
  ),
  'trace.record': change({ serverId: ServerId, on: z.boolean() }, z.strictObject({ recording: TraceRecording })),
  /** Empties the memory, of one server or of all. Recordings stay. */
  'trace.clear': change({ serverId: ServerId.optional() }, nothing),
  /** One JSON text for a bug report: versions, the server's state and configuration, its log, the newest messages. No secrets. */
  'trace.bundle': read({ serverId: ServerId }, z.strictObject({ json: z.string() })),
  /**
   * Sends one JSON-RPC request as the person wrote it; `jsonrpc` and `id` may be left out, the connection sets its own.
   * `tools/call` goes through the gate like any call; other methods only when they read. Refuses with `invalidInput` and `notAllowed`.
   */
  'trace.resend': change(
    { serverId: ServerId, json: z.string().min(1).max(maxHandText) },
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('call'), call: TriedCall }),
      /** The ids of request and answer in the trace. */
      z.strictObject({ kind: z.literal('sent'), requestId: TraceEntryId, answerId: TraceEntryId.optional() }),
    ]),
  ),
  /** Calls a tool by hand, through the same gate as a model's call. `argumentsJson` is a JSON object. */
  'tool.try': change(
    { serverId: ServerId, tool: z.string().min(1).max(1024), argumentsJson: z.string().max(maxHandText) },
    z.strictObject({ call: TriedCall }),
  ),
} as const;
