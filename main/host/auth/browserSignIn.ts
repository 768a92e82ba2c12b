import { randomBytes } from 'node:crypto';
import {
  type DpopSession,
  exchangeAuthorization,
  IssuerMismatchError,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { checkUrl, typedHostOf } from '../net/addressPolicy.ts';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { ClientRecord } from './authRecords.ts';
import type { Authority } from './discovery.ts';
import type { LoopbackListener } from './loopbackListener.ts';
import { clientInformation } from './registration.ts';

/** A sign-in that is ready to be opened in the browser, and what becomes of it. */
export interface PreparedSignIn {
  /** The page to open. */
  url: string;
  /** Waits for the person; to be called before the page is opened. Rejects with {@link AuthFailure} or the signal's reason. */
  tokens(signal: AbortSignal): Promise<OAuthTokens>;
}

/**
 * Builds the authorization request with all that its answer is held against: state, PKCE verifier, issuer, redirect address and
 * resource belong together and are used once. Rejects with {@link AuthFailure}.
 */
export async function prepareSignIn(options: {
  authority: Authority;
  serverUrl: string;
  client: ClientRecord;
  listener: LoopbackListener;
  scope: string | undefined;
  /** Of OpenID Connect: the ID token has to carry it. */
  nonce?: string;
  dpop: DpopSession | undefined;
  fetch: GuardedFetch;
}): Promise<PreparedSignIn> {
  const { authority, client, listener, scope, fetch } = options;
  const { issuer, metadata, resource } = authority;
  const host = new URL(issuer).host;
  const information = clientInformation(client, issuer);
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    ...(metadata ? { metadata } : {}),
    clientInformation: information,
    redirectUrl: listener.redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  }).catch((error: unknown) => {
    throw asAuthFailure(error, `Preparing the sign-in at ${host}`);
  });
  if (options.nonce !== undefined) authorizationUrl.searchParams.set('nonce', options.nonce);
  const verdict = checkUrl(authorizationUrl, typedHostOf(options.serverUrl));
  if (!verdict.ok) throw new AuthFailure(`The page for the sign-in was not opened: ${verdict.reason}.`);

  return {
    url: authorizationUrl.href,
    async tokens(signal) {
      const query = await listener.answer(state, signal);
      const iss = query.get('iss') ?? undefined;
      // Before anything else of the answer is looked at, shown or sent: it may be that of another server (RFC 9207).
      try {
        validateAuthorizationResponseIssuer({
          iss,
          expectedIssuer: metadata?.issuer,
          issParameterSupported: metadata?.['authorization_response_iss_parameter_supported'] === true,
        });
      } catch (error) {
        if (error instanceof IssuerMismatchError)
          throw new AuthFailure(`The answer to the sign-in did not come from ${host}, so it was thrown away. Try again.`);
        throw error;
      }
      const error = query.get('error');
      if (error !== null)
        throw new AuthFailure(refusalInWords(host, error), {
          detail: [error, query.get('error_description') ?? ''].join(': ').slice(0, 2000),
        });
      const code = query.get('code');
      if (code === null) throw new AuthFailure(`${host} answered the sign-in without a code. Try again.`);
      try {
        const tokens = await exchangeAuthorization(issuer, {
          ...(metadata ? { metadata } : {}),
          clientInformation: information,
          authorizationCode: code,
          ...(iss === undefined ? {} : { iss }),
          codeVerifier,
          redirectUri: listener.redirectUri,
          ...(resource === undefined ? {} : { resource }),
          ...(options.dpop ? { dpop: options.dpop } : {}),
          fetchFn: (input, init) => fetch(input, { ...init, signal }),
        });
        return tokens;
      } catch (failure) {
        throw asAuthFailure(failure, `Getting the permission from ${host}`);
      }
    },
  };
}

function refusalInWords(host: string, error: string): string {
  if (error === 'access_denied') return `The sign-in at ${host} was declined there.`;
  if (error === 'invalid_scope') return `${host} does not give out the permissions that the server asks for.`;
  return `${host} refused the sign-in.`;
}
