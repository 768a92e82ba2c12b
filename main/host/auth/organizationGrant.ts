import { exchangeJwtAuthGrant, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { Grant } from './authRecords.ts';
import type { Authority } from './discovery.ts';
import type { Identities } from './identities.ts';
import { hostOfIssuer, type OrganizationClient } from './identityProvider.ts';
import { grantOf } from './tokens.ts';

/**
 * What an organization gives out instead of the person's consent (extension `enterprise-managed-authorization`): its identity provider
 * vouches (ID-JAG), the server's authorization server takes that for a token (RFC 7523). No page of the latter is ever opened.
 * `agreed`: the person has just said that this server may use his sign-in at the identity provider. Undefined when he has to sign in
 * there first. Rejects with {@link AuthFailure}.
 */
export async function organizationGrant(
  client: OrganizationClient,
  about: {
    authority: Authority;
    scope: string | undefined;
    serverUrl: string;
    owner: string;
    agreed: boolean;
    identities: Identities;
    fetch: GuardedFetch;
    now: number;
  },
): Promise<Grant | undefined> {
  const { authority, scope, serverUrl, owner, agreed, identities, fetch, now } = about;
  const { issuer, metadata, resource } = authority;
  const host = hostOfIssuer(issuer);
  const tokenEndpoint = metadata?.token_endpoint;
  if (tokenEndpoint === undefined || resource === undefined)
    throw new AuthFailure(`${host} cannot be signed in to through your organization. Ask who runs the server.`);
  const user = { owner, origin: new URL(serverUrl).origin };
  const vouched = await identities.assertionFor(client, user, { audience: issuer, resource, scope, agreed });
  if (!vouched) return undefined;
  const information = { client_id: client.clientId, client_secret: client.clientSecret };
  const tokens = await exchangeJwtAuthGrant({
    tokenEndpoint,
    jwtAuthGrant: vouched.assertion,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    authMethod: selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []),
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw asAuthFailure(error, `Signing in at ${host} with what your organization vouches for`);
  });
  return grantOf(tokens, { signInId: vouched.signInId, authority, serverUrl, client, scope, dpop: undefined, now });
}
