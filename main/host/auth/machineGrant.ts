import { ClientCredentialsProvider, fetchToken, type OAuthTokens, PrivateKeyJwtProvider } from '@modelcontextprotocol/client';
import type { SignInClient } from '../../../preload/contract/signIn.ts';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure } from './authFailure.ts';
import type { Authority } from './discovery.ts';

type Machine = Extract<SignInClient, { kind: 'machine' }>;

/** Tokens without a browser, for the client itself (extension `oauth-client-credentials`). Rejects with {@link AuthFailure}. */
export async function machineTokens(
  { clientId, proof }: Machine,
  { issuer, metadata, resource }: Authority,
  scope: string | undefined,
  fetch: GuardedFetch,
): Promise<OAuthTokens> {
  const provider =
    proof.kind === 'secret'
      ? new ClientCredentialsProvider({ clientId, clientSecret: proof.secret, expectedIssuer: issuer })
      : new PrivateKeyJwtProvider({ clientId, privateKey: proof.privateKey, algorithm: proof.algorithm, expectedIssuer: issuer });
  try {
    return await fetchToken(provider, issuer, {
      ...(metadata ? { metadata } : {}),
      ...(resource === undefined ? {} : { resource }),
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
  } catch (error) {
    throw asAuthFailure(error, `Signing in at ${new URL(issuer).host}`);
  }
}
