import { z } from 'zod';
import { ServerId } from '../ids.ts';
import { SignInClient, SignInRequest } from '../signIn.ts';
import { change, nothing } from './define.ts';

/** Signing in to remote servers. */
export const authCommands = {
  /**
   * Opens the browser and answers at once with what is asked for there; how it goes on shows in `server.changed` (`signingIn`, then
   * another state). `issuer` chooses among several. Refused with `notAllowed` where the address is not encrypted.
   */
  'server.signIn': change({ serverId: ServerId, issuer: z.string().max(8192).optional() }, z.strictObject({ asked: SignInRequest })),
  /** Gives up waiting for the browser. */
  'server.cancelSignIn': change({ serverId: ServerId }, nothing),
  /** Revokes the tokens where the authorization server takes that, forgets them, and connects again without. */
  'server.signOut': change({ serverId: ServerId }, nothing),
  /** For authorization servers that know no other way, and `issuer` is the one it is for; null forgets it. */
  'server.setClient': change(
    { serverId: ServerId, issuer: z.string().min(1).max(8192).optional(), client: SignInClient.nullable() },
    nothing,
  ),
} as const;
