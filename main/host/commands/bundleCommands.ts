import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** Bundles of servers: opened, installed, configured. */
export function bundleCommands({ bundles }: CommandContext): Handlers<'bundle'> {
  return {
    'bundle.upload': async ({ uploadId, offset, data }) => ({ received: await bundles.upload(uploadId, offset, data) }),
    'bundle.open': async ({ uploadId }) => ({ proposal: await bundles.open(uploadId) }),
    'bundle.discard': async ({ bundleId }) => {
      await bundles.discard(bundleId);
      return done;
    },
    'bundle.install': async ({ bundleId, name, values, serverId }) => ({
      server: await bundles.install(bundleId, name, values, serverId),
    }),
    'bundle.configuration': async ({ serverId }) => ({ fields: await bundles.configuration(serverId) }),
    'bundle.configure': async ({ serverId, values }) => ({ server: await bundles.configure(serverId, values) }),
  };
}
