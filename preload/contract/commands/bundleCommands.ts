import { z } from 'zod';
import { BundleProposal } from '../bundleProposal.ts';
import { BundleField, BundleValues } from '../bundles.ts';
import { ServerId } from '../ids.ts';
import { Server, ServerName } from '../servers.ts';
import { at, change, nothing, read } from './define.ts';

const uploadId = z.string().regex(/^[A-Za-z0-9-]{8,64}$/);

/** Bundles of servers (`.mcpb`): opened, installed, configured. A bundle only proposes; what starts is agreed to as for any other server. */
export const bundleCommands = {
  /**
   * One piece of a file, 512 KiB at most before base64, in order from offset 0 on. The same piece twice is harmless.
   * Refuses with `invalidInput` a file that is too large, with `wrongState` a piece out of its order.
   */
  'bundle.upload': read({ uploadId, offset: at, data: z.string().max(700_000) }, z.strictObject({ received: at })),
  /** Reads and checks what was uploaded, and lays it aside. Refuses with `invalidInput` and a sentence what cannot be installed here. */
  'bundle.open': change({ uploadId }, z.strictObject({ proposal: BundleProposal })),
  'bundle.discard': change({ bundleId: z.string().max(64) }, nothing),
  /**
   * Puts its files in their place. `serverId`: it becomes another version of that server, which keeps its values and secrets. Nothing starts
   * before `server.consent`. Refuses with `invalidInput` and `fields` what is wrong with the values.
   */
  'bundle.install': change(
    { bundleId: z.string().max(64), name: ServerName, values: BundleValues, serverId: ServerId.optional() },
    z.strictObject({ server: Server }),
  ),
  'bundle.configuration': read({ serverId: ServerId }, z.strictObject({ fields: z.array(BundleField) })),
  /** What changes the command, its arguments or environment waits for a new agreement; a new secret takes effect at once. */
  'bundle.configure': change({ serverId: ServerId, values: BundleValues }, z.strictObject({ server: Server })),
} as const;
