import { z } from 'zod';
import { CommandId } from '../ids.ts';

/** A command that only reads. */
export const read = <Input extends z.ZodRawShape, Output extends z.ZodType>(input: Input, output: Output) => ({
  changes: false as const,
  input: z.strictObject(input),
  output,
});

/** A command that changes something: its id makes a repeat harmless. */
export const change = <Input extends z.ZodRawShape, Output extends z.ZodType>(input: Input, output: Output) => ({
  changes: true as const,
  input: z.strictObject({ commandId: CommandId, ...input }),
  output,
});

export const nothing = z.strictObject({});
/** A place, a count or a revision. */
export const at = z.number().int().nonnegative();
