import {
  type AuthorizationServerMetadata,
  ClientCredentialsProvider,
  discoverAndRequestJwtAuthGrant,
  exchangeJwtAuthGrant,
  fetchToken,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import type { SignInClient } from '../../../preload/contract/signIn.ts';
import { typedHostOf } from '../net/addressPolicy.ts';
import { createGuardedFetch, type GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { Authority } from './discovery.ts';

type Machine = Extract<SignInClient, { kind: 'machine' }>;
type Organization = Extract<SignInClient, { kind: 'organization' }>;

/**
 * Tokens without a browser: client credentials (extension `oauth-client-credentials`), or what a company's identity provider vouches
 * for (extension `enterprise-managed-authorization`, ID-JAG). Rejects with {@link AuthFailure}.
 */
export async function machineTokens(
  client: Machine | Organization,
  authority: Authority,
  scope: string | undefined,
  fetch: GuardedFetch,
): Promise<OAuthTokens> {
  const host = new URL(authority.issuer).host;
  try {
    return await (client.kind === 'machine'
      ? clientCredentials(client, authority, scope, fetch)
      : byIdentityProvider(client, authority, scope, fetch));
  } catch (error) {
    throw asAuthFailure(error, `Signing in at ${host}`);
  }
}

function clientCredentials(
  { clientId, proof }: Machine,
  authority: Authority,
  scope: string | undefined,
  fetch: GuardedFetch,
): Promise<OAuthTokens> {
  const { issuer: expectedIssuer, metadata, resource } = authority;
  const provider =
    proof.kind === 'secret'
      ? new ClientCredentialsProvider({ clientId, clientSecret: proof.secret, expectedIssuer })
      : new PrivateKeyJwtProvider({ clientId, privateKey: proof.privateKey, algorithm: proof.algorithm, expectedIssuer });
  return fetchToken(provider, expectedIssuer, { ...about(metadata, resource, scope), fetchFn: fetch });
}

async function byIdentityProvider(
  client: Organization,
  authority: Authority,
  scope: string | undefined,
  fetch: GuardedFetch,
): Promise<OAuthTokens> {
  const { issuer, metadata, resource } = authority;
  const tokenEndpoint = metadata?.token_endpoint;
  if (tokenEndpoint === undefined || resource === undefined)
    throw new AuthFailure(`${new URL(issuer).host} cannot be signed in to through your organization. Ask who runs the server.`);
  const { idpTokenEndpoint: tokenEndpointOfIdp } = client;
  const request = {
    audience: issuer,
    resource,
    idToken: client.idToken,
    clientId: client.idpClientId,
    ...(scope === undefined ? {} : { scope }),
    // The identity provider was named by the organization, not by the server: another guard.
    fetchFn: createGuardedFetch({ typed: typedHostOf(client.idpIssuer) }),
  };
  const { jwtAuthGrant } = await (
    tokenEndpointOfIdp === undefined
      ? discoverAndRequestJwtAuthGrant({ ...request, idpUrl: client.idpIssuer })
      : requestJwtAuthorizationGrant({ ...request, tokenEndpoint: tokenEndpointOfIdp })
  ).catch((error: unknown) => {
    throw asAuthFailure(error, 'Asking your organization for the permission');
  });
  const information = { client_id: client.clientId, client_secret: client.clientSecret };
  return exchangeJwtAuthGrant({
    tokenEndpoint,
    jwtAuthGrant,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    authMethod: selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []),
    fetchFn: fetch,
  });
}

const about = (metadata: AuthorizationServerMetadata | undefined, resource: string | undefined, scope: string | undefined) => ({
  ...(metadata ? { metadata } : {}),
  ...(resource === undefined ? {} : { resource }),
  ...(scope === undefined ? {} : { scope }),
});
