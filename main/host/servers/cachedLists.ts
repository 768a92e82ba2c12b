import { z } from 'zod';

const JsonObject = z.record(z.string(), z.unknown());

/** What a server listed in its last connection. `configHash`: another configuration may be another program with other tools. */
export const CachedLists = z.object({
  configHash: z.string(),
  protocol: z.object({ era: z.enum(['legacy', 'modern']), version: z.string(), transport: z.enum(['stdio', 'http', 'sse']) }),
  lists: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        title: z.string().optional(),
        description: z.string().optional(),
        inputSchema: JsonObject,
        outputSchema: JsonObject.optional(),
        annotations: JsonObject.optional(),
        problem: z.string().optional(),
      }),
    ),
    resources: z.array(
      z.object({ uri: z.string(), name: z.string(), description: z.string().optional(), mimeType: z.string().optional() }),
    ),
    prompts: z.array(z.object({ name: z.string(), description: z.string().optional() })),
    instructions: z.string().optional(),
    reported: z.object({ name: z.string(), version: z.string() }).optional(),
    warnings: z.array(z.string()),
  }),
});
export type CachedLists = z.infer<typeof CachedLists>;

/** How long it is believed which generation of the protocol a server speaks: updates of a program change it. */
export const eraVerdictMs = 7 * 24 * 60 * 60 * 1000;

export const StoredEra = z.object({ era: z.enum(['legacy', 'modern']), version: z.string() });
