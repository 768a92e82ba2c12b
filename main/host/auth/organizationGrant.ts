import { exchangeJwtAuthGrant, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import type { Clock } from '../ports.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { Grant } from './authRecords.ts';
import type { Authority } from './discovery.ts';
import type { Identities, IdentityUser } from './identities.ts';
import { hostOfIssuer, type OrganizationClient, prepareIdentitySignIn } from './identityProvider.ts';
import type { LoopbackListener } from './loopbackListener.ts';
import type { SignInAttempt } from './signInFlow.ts';
import { grantOf } from './tokens.ts';

/** What a permission is for, and what getting it takes. */
export interface OrganizationRequest {
  authority: Authority;
  scope: string | undefined;
  serverUrl: string;
  /** Owner of the server's secrets. */
  owner: string;
  identities: Identities;
  fetch: GuardedFetch;
  clock: Clock;
}

const userOf = ({ owner, serverUrl }: OrganizationRequest): IdentityUser => ({ owner, origin: new URL(serverUrl).origin });

/**
 * What an organization gives out instead of the person's consent (extension `enterprise-managed-authorization`): its identity provider
 * vouches (ID-JAG), the server's authorization server takes that for a token (RFC 7523). No page of the latter is ever opened.
 * `agreed`: the person has just said that this server may use his sign-in at the identity provider. Undefined when he has to sign in
 * there first. Rejects with {@link AuthFailure}.
 */
export async function organizationGrant(
  client: OrganizationClient,
  request: OrganizationRequest,
  agreed: boolean,
): Promise<Grant | undefined> {
  const { authority, scope, serverUrl, identities, fetch, clock } = request;
  const { issuer, metadata, resource } = authority;
  const host = hostOfIssuer(issuer);
  const tokenEndpoint = metadata?.token_endpoint;
  if (tokenEndpoint === undefined || resource === undefined)
    throw new AuthFailure(`${host} cannot be signed in to through your organization. Ask who runs the server.`);
  const vouched = await identities.assertionFor(client, userOf(request), { audience: issuer, resource, scope, agreed });
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
  return grantOf(tokens, { signInId: vouched.signInId, authority, serverUrl, client, scope, dpop: undefined, now: clock.now() });
}

/** The same by way of a sign-in at the identity provider. `keep` gets what came of it. Rejects with AuthFailure, as does what it returns. */
export async function prepareOrganizationSignIn(
  listener: LoopbackListener,
  client: OrganizationClient,
  request: OrganizationRequest,
  keep: (grant: Grant) => Promise<void>,
): Promise<SignInAttempt> {
  const prepared = await prepareIdentitySignIn(client, listener, request.clock);
  return {
    url: prepared.url,
    async finish(signal) {
      await request.identities.keep(client, userOf(request), await prepared.identity(signal));
      const grant = await organizationGrant(client, request, true);
      if (!grant)
        throw new AuthFailure(
          `${hostOfIssuer(client.idpIssuer)} does not take the sign-in that it has just given. Ask who looks after it.`,
        );
      await keep(grant);
    },
  };
}
