import { z } from 'zod';
import { DefinitionKind, DefinitionReview, DefinitionWhole } from '../definitions.ts';
import { ServerId } from '../ids.ts';
import { Effect } from '../policy.ts';
import { change, nothing, read } from './define.ts';

const definition = z.strictObject({ kind: DefinitionKind, name: z.string().max(8192) });
const seen = z.string().max(100);

/**
 * What servers define, and what of it the person agreed to. That something waits stands in `toReview` of a server, whose changes come
 * as `server.changed` on the topic servers.
 */
export const definitionCommands = {
  'definition.review': read({ serverId: ServerId }, z.strictObject({ review: DefinitionReview })),
  'definition.one': read({ serverId: ServerId, ...definition.shape }, z.strictObject({ definition: DefinitionWhole })),
  /**
   * Agrees to what waits of a server, or to `only` these. `off`: agreed to and switched off. `effects`: what the person says that tools
   * do. Refuses with `wrongHash` when the server defines something else by now than what `seen` names.
   */
  'definition.accept': change(
    {
      serverId: ServerId,
      seen,
      only: z.array(definition).max(10_000).optional(),
      off: z.array(definition).max(10_000).default([]),
      effects: z
        .array(z.strictObject({ tool: z.string().max(1024), effects: z.array(Effect).max(4) }))
        .max(10_000)
        .default([]),
    },
    nothing,
  ),
  /** Leaves what waits as it is: no more is said of it until it changes again. Refuses with `wrongHash` as above. */
  'definition.leave': change({ serverId: ServerId, seen }, nothing),
  /** Switches a single definition that was agreed to off or on. */
  'definition.setOff': change({ serverId: ServerId, ...definition.shape, isOff: z.boolean() }, nothing),
} as const;
