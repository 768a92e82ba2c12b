import type { authCommands as contract } from '../../../preload/contract/commands/authCommands.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

export type AuthHandlers = Pick<Handlers<'server'>, keyof typeof contract>;

/** Signing in to remote servers. */
export function authCommands({ servers }: CommandContext): AuthHandlers {
  return {
    'server.signIn': async ({ serverId, issuer }) => ({ asked: await servers.signIn(serverId, issuer) }),
    'server.cancelSignIn': ({ serverId }) => {
      servers.cancelSignIn(serverId);
      return done;
    },
    'server.signOut': async ({ serverId }) => {
      await servers.signOut(serverId);
      return done;
    },
    'server.setClient': async ({ serverId, issuer, client }) => {
      await servers.setClient(serverId, issuer, client);
      return done;
    },
  };
}
