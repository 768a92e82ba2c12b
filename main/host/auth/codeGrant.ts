import { randomUUID } from 'node:crypto';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import type { Clock } from '../ports.ts';
import { asAuthFailure } from './authFailure.ts';
import type { AuthRecords, ClientRecord, Grant } from './authRecords.ts';
import { prepareSignIn } from './browserSignIn.ts';
import { type Authority, requirePkce } from './discovery.ts';
import type { DpopKeys } from './dpopKeys.ts';
import type { LoopbackListener } from './loopbackListener.ts';
import { clientFor } from './registration.ts';
import type { SignInAttempt } from './signInFlow.ts';
import { grantOf } from './tokens.ts';

/**
 * Signing in at a server's own authorization server, by authorization code; this application makes itself known there first where that
 * is needed. `keep` gets what came of it. Rejects with AuthFailure, as does what it returns.
 */
export async function prepareCodeGrant(
  listener: LoopbackListener,
  about: {
    authority: Authority;
    scope: string | undefined;
    serverUrl: string;
    known: ClientRecord | undefined;
    fetch: GuardedFetch;
    keep(grant: Grant): Promise<void>;
  },
  deps: { records: AuthRecords; dpopKeys: DpopKeys; clock: Clock; clientMetadataUrl: string | undefined },
): Promise<SignInAttempt> {
  const { authority, scope, serverUrl, known, fetch } = about;
  const { records, dpopKeys, clock } = deps;
  requirePkce(authority);
  const client = await clientFor(authority, {
    known,
    documentUrl: deps.clientMetadataUrl,
    redirectUri: listener.redirectUri,
    scope,
    fetch,
    now: clock.now(),
  });
  if (client !== known) await records.keepClient(authority.issuer, client);
  const keys = await dpopKeys.make(authority.metadata);
  const prepared = await prepareSignIn({ authority, serverUrl, client, listener, scope, dpop: keys?.session, fetch });
  return {
    url: prepared.url,
    async finish(signal) {
      try {
        const tokens = await prepared.tokens(signal);
        await about.keep(
          grantOf(tokens, { signInId: randomUUID(), authority, serverUrl, client, scope, dpop: keys?.kept, now: clock.now() }),
        );
      } catch (error) {
        const failure = asAuthFailure(error, 'The sign-in');
        // The authorization server has forgotten us: the next attempt registers anew.
        if (failure.code === 'invalid_client' && client.kind === 'registered') await records.keepClient(authority.issuer, null);
        throw failure;
      }
    },
  };
}
