import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import type { Grant } from './authRecords.ts';
import type { Authority } from './discovery.ts';
import { clientInformation } from './registration.ts';

/**
 * Tells the authorization server that a grant is over (RFC 7009), the refresh token first, since what came of it goes with it.
 * Does nothing where no such place is advertised. Rejects when it was not taken.
 */
export async function revokeGrant(grant: Grant, authority: Authority, fetch: GuardedFetch): Promise<void> {
  const { metadata } = authority;
  const endpoint: unknown = metadata && Reflect.get(metadata, 'revocation_endpoint');
  if (typeof endpoint !== 'string' || authority.issuer !== grant.issuer) return;
  const information = clientInformation(grant.client, grant.issuer);
  const method = selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []);
  for (const [hint, token] of [
    ['refresh_token', grant.refreshToken],
    ['access_token', grant.accessToken],
  ] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers();
    if (method === 'client_secret_basic') {
      headers.set(
        'authorization',
        `Basic ${Buffer.from(`${grant.client.clientId}:${information.client_secret ?? ''}`).toString('base64')}`,
      );
    } else {
      body.set('client_id', grant.client.clientId);
      if (information.client_secret !== undefined) body.set('client_secret', information.client_secret);
    }
    const response = await fetch(endpoint, { method: 'POST', headers, body });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The revocation was answered with HTTP status ${response.status}.`);
  }
}
