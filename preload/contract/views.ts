import { z } from 'zod';
import { CallId } from './ids.ts';

/** The page that a server's view lives in, for as long as it is shown. Unguessable: it is the address of what the server sent. */
export const ViewId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/)
  .brand<'ViewId'>();
export type ViewId = z.infer<typeof ViewId>;

/** What a view may reach of the web, and what it asked for and does not get, each as the server wrote it. */
export const ViewReach = z.strictObject({
  /** Hosts that it may send to and read from. */
  connect: z.array(z.string()),
  /** Hosts that it may load scripts, styles, pictures and fonts from. */
  load: z.array(z.string()),
  refused: z.array(z.strictObject({ source: z.string(), reason: z.string() })),
});
export type ViewReach = z.infer<typeof ViewReach>;

/** How the view of a call stands (extension `io.modelcontextprotocol/ui`). Where it is not `ready`, the call is shown as text. */
export const ViewState = z.discriminatedUnion('state', [
  /** The tool has none, or none is shown here. */
  z.strictObject({ state: z.literal('none') }),
  z.strictObject({ state: z.literal('unavailable'), message: z.string() }),
  /** Nobody has agreed to this very page yet. `changed`: to an earlier one. `seen` names it. */
  z.strictObject({
    state: z.literal('toReview'),
    seen: z.string(),
    changed: z.boolean(),
    /** Characters of the page. */
    size: z.number().int(),
    reach: ViewReach,
  }),
  z.strictObject({
    state: z.literal('ready'),
    viewId: ViewId,
    /** Of the page that holds the view and passes its messages on. */
    url: z.string(),
    reach: ViewReach,
    /** The view wants to be seen as something of its own. */
    border: z.boolean(),
  }),
]);
export type ViewState = z.infer<typeof ViewState>;

/** What a view has put beside the message field: the server's words. They go to a model with the person's next message, or not at all. */
export const ViewWords = z.strictObject({
  callId: CallId,
  /** `message`: wants to be sent as it is. `context`: what the model should know of the view. */
  kind: z.enum(['message', 'context']),
});
export type ViewWords = z.infer<typeof ViewWords>;
