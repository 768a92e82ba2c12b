import { z } from 'zod';
import { ModelRef } from './conversations.ts';

export const ModelInfo = z.strictObject({
  ref: ModelRef,
  name: z.string(),
  contextTokens: z.number().int().optional(),
  /** Whether it sees images, where its provider says so. */
  images: z.boolean().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** `builtin` needs nothing; `local` was found on this computer; `cloud` needs a key. */
export const Provider = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['builtin', 'local', 'cloud']),
  baseUrl: z.string().optional(),
  /** The secret's value never crosses; only whether it is set, and where it comes from. */
  key: z.enum(['notNeeded', 'missing', 'stored', 'memoryOnly', 'environment']),
  /** Added by the user, so that it can be removed. */
  custom: z.boolean(),
  models: z.array(ModelInfo),
  status: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('ready') }),
    z.strictObject({ state: z.literal('loading') }),
    z.strictObject({ state: z.literal('unknown') }),
    z.strictObject({ state: z.literal('failed'), message: z.string(), detail: z.string().optional() }),
  ]),
});
export type Provider = z.infer<typeof Provider>;
