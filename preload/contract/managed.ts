import { z } from 'zod';

/** What an organisation has set for this computer, for the eye. `problem`: its policy cannot be used, so nothing runs. */
export const ManagedView = z.strictObject({
  organisation: z.string().optional(),
  problem: z.string().optional(),
  sets: z.array(z.enum(['servers', 'tools', 'changedDefinitions', 'standingPermissions', 'audit', 'bundles', 'sandbox'])),
});
export type ManagedView = z.infer<typeof ManagedView>;
