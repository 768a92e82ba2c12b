import { randomUUID } from 'node:crypto';
import type { Server } from '../../../preload/contract/servers.ts';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { AuthRecords, ClientRecord, Grant } from './authRecords.ts';
import { prepareSignIn } from './browserSignIn.ts';
import type { Authority } from './discovery.ts';
import type { DpopKeys } from './dpopKeys.ts';
import { listenOnLoopback } from './loopbackListener.ts';
import { clientFor } from './registration.ts';
import { grantOf } from './tokens.ts';

/** The one sign-in of a server that may be open in the browser. Another one takes its place. */
export interface SignInFlow {
  view(): Server['signingIn'];
  /**
   * Opens the browser. `keep` gets what came of it; `done` follows that, and rejects with AuthFailure. Rejects with AuthFailure when
   * nothing could be opened.
   */
  begin(about: {
    authority: Authority;
    scope: string | undefined;
    serverUrl: string;
    fetch: GuardedFetch;
    keep(grant: Grant): Promise<void>;
  }): Promise<{ done: Promise<void> }>;
  /** `why` is a sentence. */
  cancel(why: string): void;
}

export interface SignInFlowDeps {
  records: AuthRecords;
  dpopKeys: DpopKeys;
  clock: Clock;
  log: Log;
  openUrl(url: string): Promise<void>;
  clientMetadataUrl: string | undefined;
  onChange(): void;
}

/** A person may have to find a password, a telephone, or another person. In milliseconds. */
const signInMs = 600_000;

export function createSignInFlow(deps: SignInFlowDeps): SignInFlow {
  const { records, clock, log } = deps;
  let open: { stop: AbortController; view: NonNullable<Server['signingIn']> } | undefined;
  const cancel = (why: string): void => open?.stop.abort(new AuthFailure(why));

  return {
    view: () => open?.view,
    cancel,

    async begin({ authority, scope, serverUrl, fetch, keep }) {
      cancel('Another sign-in was begun instead.');
      const stop = new AbortController();
      const { issuer, metadata } = authority;
      const known = await records.client(issuer);
      const listener = await listenOnLoopback(portOf(known));
      const end = (): void => {
        listener.close();
        if (open?.stop === stop) open = undefined;
        deps.onChange();
      };
      try {
        const client = await clientFor(authority, {
          known,
          documentUrl: deps.clientMetadataUrl,
          redirectUri: listener.redirectUri,
          scope,
          fetch,
          now: clock.now(),
        });
        if (client !== known) await records.keepClient(issuer, client);
        const keys = await deps.dpopKeys.make(metadata);
        const prepared = await prepareSignIn({ authority, serverUrl, client, listener, scope, dpop: keys?.session, fetch });
        open = { stop, view: { since: clock.now(), issuer, url: prepared.url } };
        const cancelBound = clock.after(signInMs, () =>
          stop.abort(new AuthFailure(`Nobody finished the sign-in at ${new URL(issuer).host}. Begin it again when you are ready.`)),
        );
        const done = prepared
          .tokens(stop.signal)
          .then((tokens) =>
            keep(grantOf(tokens, { signInId: randomUUID(), authority, serverUrl, client, scope, dpop: keys?.kept, now: clock.now() })),
          )
          .catch(async (error: unknown) => {
            const failure = asAuthFailure(error, 'The sign-in');
            // The authorization server has forgotten us: the next attempt registers anew.
            if (failure.code === 'invalid_client' && client.kind === 'registered') await records.keepClient(issuer, null);
            throw failure;
          })
          .finally(() => {
            cancelBound();
            end();
          });
        deps.onChange();
        deps.openUrl(prepared.url).catch((error: unknown) => {
          // The address is shown for copying, so the sign-in can go on without.
          log.warn('The browser for a sign-in could not be opened.', { issuer, reason: messageOf(error) });
        });
        return { done };
      } catch (error) {
        end();
        throw asAuthFailure(error, 'Preparing the sign-in');
      }
    },
  };
}

/** The port that the redirect address of this client was made known with. */
function portOf(client: ClientRecord | undefined): number | undefined {
  if (client?.kind === 'person') return client.redirectPort;
  return client?.kind === 'registered' ? Number(new URL(client.redirectUri).port) : undefined;
}
