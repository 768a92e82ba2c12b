import { z } from 'zod';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Clock, Log } from '../ports.ts';
import type { Db } from '../store/database.ts';
import { getCached, setCached } from '../store/serverRows.ts';

const JsonObject = z.record(z.string(), z.unknown());
const appearance = { icons: z.array(z.unknown()).optional(), ui: z.unknown().optional() };
const Described = z.object({ name: z.string(), title: z.string().optional(), description: z.string().optional(), ...appearance });

/** What a server listed in its last connection. `configHash`: another configuration may be another program with other tools. */
const CachedLists = z.object({
  configHash: z.string(),
  /** Whose lists they are: another sign-in may be shown others. */
  authorizationKey: z.string().default(''),
  protocol: z.object({
    era: z.enum(['legacy', 'modern']),
    version: z.string(),
    transport: z.enum(['stdio', 'http', 'sse', 'inProcess']),
    how: z.enum(['probed', 'remembered', 'set']).optional(),
  }),
  lists: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        title: z.string().optional(),
        description: z.string().optional(),
        inputSchema: JsonObject,
        outputSchema: JsonObject.optional(),
        annotations: JsonObject.optional(),
        ...appearance,
        runsAsTask: z.boolean().optional(),
        problem: z.string().optional(),
      }),
    ),
    resources: z.array(Described.extend({ uri: z.string(), mimeType: z.string().optional(), size: z.number().optional() })),
    templates: z
      .array(
        Described.extend({
          uriTemplate: z.string(),
          mimeType: z.string().optional(),
          variables: z.array(z.string()),
          problem: z.string().optional(),
        }),
      )
      .default([]),
    prompts: z.array(Described.extend({ arguments: z.array(Described.extend({ required: z.boolean().optional() })).default([]) })),
    instructions: z.string().optional(),
    icons: z.array(z.unknown()).optional(),
    reported: z.object({ name: z.string(), version: z.string() }).optional(),
    warnings: z.array(z.string()),
  }),
});
type CachedLists = z.infer<typeof CachedLists>;

/** The lists of one server's last connection, as they stand in its row. */
export function createCachedLists(id: ServerId, deps: { db: Db; clock: Clock; log: Log }) {
  let cached = load();

  function load(): CachedLists | undefined {
    const stored = getCached(deps.db, id);
    if (!stored) return undefined;
    const parsed = CachedLists.safeParse(stored.value);
    if (!parsed.success) deps.log.warn('The lists kept from the last connection cannot be read and are left out.', { serverId: id });
    return parsed.data;
  }

  return {
    /** Undefined where they are those of another configuration or another sign-in. */
    of: (configHash: string, authorizationKey: string): CachedLists | undefined =>
      cached?.configHash === configHash && cached.authorizationKey === authorizationKey ? cached : undefined,
    keep(lists: z.input<typeof CachedLists>): void {
      const next = CachedLists.parse(lists);
      if (JSON.stringify(next) === JSON.stringify(cached)) return;
      cached = next;
      setCached(deps.db, id, next, deps.clock.now());
    },
  };
}

/** How long it is believed which generation of the protocol a server speaks: updates of a program change it. */
export const eraVerdictMs = 7 * 24 * 60 * 60 * 1000;

export const StoredEra = z.object({ era: z.enum(['legacy', 'modern']), version: z.string() });
