import { z } from 'zod';
import { Hint } from '../definitions.ts';
import { CallId } from '../ids.ts';
import { read } from './define.ts';

/** What came back from a call, looked at more closely. */
export const resultCommands = {
  /** Hints on the blocks of a result; `block` counts them from 0. Offsets are in the whole text of the block. */
  'result.hints': read({ callId: CallId }, z.strictObject({ hints: z.array(Hint.extend({ block: z.number().int().nonnegative() })) })),
  /** Exactly what the model was given of a call that has ended. Bytes of pictures stand in the result. */
  'result.given': read(
    { callId: CallId },
    z.strictObject({
      isError: z.boolean(),
      parts: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text'), text: z.string() }),
          z.strictObject({ type: z.literal('image'), mimeType: z.string(), bytes: z.number().int() }),
        ]),
      ),
    }),
  ),
} as const;
