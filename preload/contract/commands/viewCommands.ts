import { z } from 'zod';
import { ResultBlock } from '../content.ts';
import { CallId, ConversationId } from '../ids.ts';
import { ViewId, ViewState, ViewWords } from '../views.ts';
import { change, nothing, read } from './define.ts';

/** Longest text that a view sends or is sent in one message, in characters of JSON. */
export const maxViewJson = 400_000;

const json = z.string().max(maxViewJson);

/**
 * Views of servers (MCP Apps). What a view asks for comes here as it wrote it, and is decided here: the page around it passes on and
 * decides nothing. Every `…Json` is one JSON text.
 */
export const viewCommands = {
  /** Reads the page of a call's view from its server and holds it against what was agreed to. */
  'view.open': read({ callId: CallId }, z.strictObject({ view: ViewState })),
  /** Agrees to the page that `seen` names, from now on. Refuses with `wrongHash` where the server sends another one now. */
  'view.agree': change({ callId: CallId, seen: z.string().max(100) }, nothing),
  /** It is not shown any more. */
  'view.close': change({ viewId: ViewId }, nothing),
  /** Arguments of the call, and its end once it has one: a `CallToolResult`, or why there is none. */
  'view.data': read(
    { viewId: ViewId },
    z.strictObject({
      argumentsJson: json,
      end: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('result'), resultJson: json }),
          z.strictObject({ kind: z.literal('cancelled'), reason: z.string() }),
        ])
        .optional(),
    }),
  ),
  /**
   * Calls a tool of the view's own server, through the same gate as any call. Answers when the call has ended, however; what came of it is
   * asked for with `view.result`.
   */
  'view.call': change({ viewId: ViewId, tool: z.string().min(1).max(1024), argumentsJson: json }, z.strictObject({ callId: CallId })),
  /** Reads a resource of the view's own server, through the gate. The same. */
  'view.read': change({ viewId: ViewId, uri: z.string().min(1).max(8192) }, z.strictObject({ callId: CallId })),
  /** A `CallToolResult` or `ReadResourceResult`. Refuses with the reason where the call has none. */
  'view.result': read({ viewId: ViewId, callId: CallId }, z.strictObject({ resultJson: json })),
  /**
   * Keeps what the view wants said, in the place of what it said before; nothing is sent. `paramsJson`: of `ui/message` or
   * `ui/update-model-context`; without content the latter takes it back.
   */
  'view.say': change({ viewId: ViewId, kind: z.enum(['message', 'context']), paramsJson: json }, z.strictObject({ isEmpty: z.boolean() })),
  /** What would be sent of it. Refuses with `notFound` what is not there any more. */
  'view.words': read({ conversationId: ConversationId, words: ViewWords }, z.strictObject({ blocks: z.array(ResultBlock) })),
  /** Goes into the log of the server. */
  'view.log': change({ viewId: ViewId, level: z.string().max(20), text: z.string().max(2000) }, nothing),
} as const;
