import { type AuthorizationServerMetadata, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import type { Grant } from './authRecords.ts';
import type { Authority } from './discovery.ts';
import { clientInformation } from './registration.ts';

/** Tells the authorization server that a grant is over. Rejects when it was not taken. */
export async function revokeGrant(grant: Grant, authority: Authority, fetch: GuardedFetch): Promise<void> {
  if (authority.issuer !== grant.issuer) return;
  // The refresh token first, since what came of it goes with it.
  const tokens = [
    ['refresh_token', grant.refreshToken],
    ['access_token', grant.accessToken],
  ] as const;
  await revokeTokens(tokens, clientInformation(grant.client, grant.issuer), authority.metadata, fetch);
}

/** RFC 7009, each token by its kind. Does nothing where no such place is advertised. Rejects when one was not taken. */
export async function revokeTokens(
  tokens: readonly (readonly [hint: string, token: string | undefined])[],
  information: { client_id: string; client_secret?: string },
  metadata: AuthorizationServerMetadata | undefined,
  fetch: GuardedFetch,
): Promise<void> {
  const endpoint: unknown = metadata && Reflect.get(metadata, 'revocation_endpoint');
  if (typeof endpoint !== 'string') return;
  const method = selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []);
  for (const [hint, token] of tokens) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers();
    if (method === 'client_secret_basic') {
      headers.set(
        'authorization',
        `Basic ${Buffer.from(`${information.client_id}:${information.client_secret ?? ''}`).toString('base64')}`,
      );
    } else {
      body.set('client_id', information.client_id);
      if (information.client_secret !== undefined) body.set('client_secret', information.client_secret);
    }
    const response = await fetch(endpoint, { method: 'POST', headers, body });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The revocation was answered with HTTP status ${response.status}.`);
  }
}
