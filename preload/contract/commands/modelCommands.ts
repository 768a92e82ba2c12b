import { z } from 'zod';
import { ServerId } from '../ids.ts';
import { Provider } from '../models.ts';
import { change, nothing, read } from './define.ts';

/** Providers of models, and secrets. */
export const modelCommands = {
  'provider.list': read({}, z.strictObject({ providers: z.array(Provider) })),
  /** Fetches the model list again. */
  'provider.refresh': change({ providerId: z.string().max(200) }, nothing),
  'provider.add': change(
    { name: z.string().trim().min(1).max(100), baseUrl: z.string().max(2000) },
    z.strictObject({ providerId: z.string() }),
  ),
  'provider.remove': change({ providerId: z.string().max(200) }, nothing),
  'secret.set': change(
    {
      owner: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('provider'), providerId: z.string().max(200) }),
        z.strictObject({ kind: z.literal('server'), serverId: ServerId, name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
      ]),
      value: z.string().min(1).max(16_384),
    },
    nothing,
  ),
  'secret.remove': change(
    {
      owner: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('provider'), providerId: z.string().max(200) }),
        z.strictObject({ kind: z.literal('server'), serverId: ServerId, name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/) }),
      ]),
    },
    nothing,
  ),
} as const;
