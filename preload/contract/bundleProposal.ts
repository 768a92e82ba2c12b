import { z } from 'zod';
import { BundleField, BundleSummary, InstalledBundle } from './bundles.ts';
import { ServerId } from './ids.ts';
import { StartDanger } from './servers.ts';

/** A bundle that was opened: read, checked and laid aside. Nothing of it runs, and it is in no list, before it is installed. */
export const BundleProposal = z.strictObject({
  bundleId: z.string().max(64),
  summary: BundleSummary,
  title: z.string(),
  description: z.string(),
  /** As the bundle says of itself. */
  author: z.string(),
  homepage: z.string().optional(),
  license: z.string().optional(),
  privacyPolicies: z.array(z.string()),
  type: InstalledBundle.shape.type,
  files: z.number().int(),
  bytes: z.number(),
  /** What it would run, whole; a value that is not known yet stands as `${user_config.KEY}`. */
  start: z.strictObject({
    command: z.string(),
    args: z.array(z.string()),
    envNames: z.array(z.string()),
    folder: z.string(),
    dangers: z.array(StartDanger),
  }),
  fields: z.array(BundleField),
  /** Things in the manifest that were passed over, as sentences. */
  warnings: z.array(z.string()),
  /** The installed server that it is another version of. `fields` then hold what is set there. */
  installed: z
    .strictObject({
      serverId: ServerId,
      serverName: z.string(),
      summary: BundleSummary,
      order: z.enum(['newer', 'same', 'older', 'unknown']),
      /** What of the start or of its maker is other than in the installed version. */
      changed: z.array(z.enum(['command', 'args', 'env', 'publisher', 'fields'])),
      /** Why it cannot take the place of the installed one; it can be added beside it. */
      refused: z.string().optional(),
    })
    .optional(),
});
export type BundleProposal = z.infer<typeof BundleProposal>;
