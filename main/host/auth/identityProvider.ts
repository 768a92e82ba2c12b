import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AuthorizationServerMetadata,
  IssuerMismatchError,
  OAuthError,
  parseErrorResponse,
  refreshAuthorization,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { IdJagTokenExchangeResponseSchema } from '@modelcontextprotocol/core';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import type { SignInClient } from '../../../preload/contract/signIn.ts';
import { typedHostOf } from '../net/addressPolicy.ts';
import { createGuardedFetch, type GuardedFetch } from '../net/guardedFetch.ts';
import type { Clock } from '../ports.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import { prepareSignIn } from './browserSignIn.ts';
import { type Authority, readMetadata } from './discovery.ts';
import { checkIdToken, type IdTokenExpectation } from './idToken.ts';
import type { LoopbackListener } from './loopbackListener.ts';
import { revokeTokens } from './revocation.ts';

/** A server whose access an organization gives out, as the person set it up. */
export type OrganizationClient = Extract<SignInClient, { kind: 'organization' }>;
/** How this application is known at the organization's identity provider. */
export type IdentityClient = Pick<OrganizationClient, 'idpIssuer' | 'idpClientId' | 'idpClientSecret'>;

/** What a sign-in at an identity provider leaves behind. All but `subject` and `signInId` is secret. */
export interface ProvenIdentity {
  /** One sign-in of one person, through all its renewals. */
  signInId: string;
  subject: string;
  nonce: string;
  idToken: string;
  /** Of the ID token. Milliseconds since 1970. */
  expiresAt: number;
  refreshToken?: string | undefined;
}

/** What a permission is asked for. */
export interface PermissionRequest {
  /** Issuer of the authorization server that will be handed the assertion. */
  audience: string;
  resource: string;
  scope: string | undefined;
}

/** The host of a provider, for sentences. What is no address shows as it is. */
export const hostOfIssuer = (issuer: string): string => URL.parse(issuer)?.host ?? issuer.slice(0, 200);

/** The identity provider was named by the person, not by a server: a guard of its own. Throws {@link AuthFailure}. */
function guardOf({ idpIssuer }: IdentityClient): GuardedFetch {
  if (!URL.canParse(idpIssuer))
    throw new AuthFailure('The address of the identity provider is none. Enter it again in the sign-in settings of this server.', {
      detail: idpIssuer.slice(0, 500),
    });
  return createGuardedFetch({ typed: typedHostOf(idpIssuer) });
}

async function metadataOf(client: IdentityClient, fetch: GuardedFetch): Promise<AuthorizationServerMetadata> {
  const issuer = client.idpIssuer;
  const foreign = (received: string | undefined): AuthFailure =>
    new AuthFailure(
      `${hostOfIssuer(issuer)} answers in the name of another identity provider, so nothing was sent to it. The address in the sign-in settings must be the same to the letter.`,
      { detail: `Its metadata names ${JSON.stringify(received ?? '').slice(0, 500)} as the issuer.` },
    );
  const metadata = await readMetadata(issuer, fetch).catch((error: unknown) => {
    if (error instanceof IssuerMismatchError) throw foreign(error.received);
    throw asAuthFailure(error, `Reading how to sign in at ${hostOfIssuer(issuer)}`);
  });
  if (!metadata)
    throw new AuthFailure(
      `${hostOfIssuer(issuer)} does not say how to sign in there. Check the address of the identity provider in the sign-in settings.`,
    );
  // The client lets a slash at the end pass; OpenID Connect Discovery §4.3 wants the same characters.
  if (metadata.issuer !== issuer) throw foreign(metadata.issuer);
  return metadata;
}

const clientInformation = ({ idpClientId, idpClientSecret, idpIssuer }: IdentityClient) => ({
  client_id: idpClientId,
  issuer: idpIssuer,
  ...(idpClientSecret === undefined ? {} : { client_secret: idpClientSecret }),
});

async function checked(
  token: string,
  metadata: AuthorizationServerMetadata,
  fetch: GuardedFetch,
  expected: Omit<IdTokenExpectation, 'issuer' | 'keys'>,
) {
  const place: unknown = Reflect.get(metadata, 'jwks_uri');
  const host = hostOfIssuer(metadata.issuer);
  if (typeof place !== 'string') throw new AuthFailure(`${host} does not say what it signs with, so no sign-in of it can be checked.`);
  const keys: JSONWebKeySet = await fetch(place, { headers: { accept: 'application/json' } })
    .then(async (response) => JwkSet.parse(await response.json()))
    .catch((error: unknown) => {
      throw asAuthFailure(error, `Reading what ${host} signs with`);
    });
  return checkIdToken(token, { ...expected, issuer: metadata.issuer, keys });
}

const JwkSet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * A sign-in of OpenID Connect, ready to be opened in the browser: authorization code with PKCE, state, nonce and the check of `iss`.
 * `identity` waits for the person and checks the ID token. Both reject with {@link AuthFailure}.
 */
export async function prepareIdentitySignIn(
  client: IdentityClient,
  listener: LoopbackListener,
  clock: Clock,
): Promise<{ url: string; identity(signal: AbortSignal): Promise<ProvenIdentity> }> {
  const fetch = guardOf(client);
  const metadata = await metadataOf(client, fetch);
  const host = hostOfIssuer(client.idpIssuer);
  const authority: Authority = { issuer: metadata.issuer, issuers: [], metadata, resource: undefined, supportedScopes: undefined };
  const nonce = randomBytes(32).toString('base64url');
  const prepared = await prepareSignIn({
    authority,
    serverUrl: client.idpIssuer,
    client: {
      kind: 'person',
      clientId: client.idpClientId,
      ...(client.idpClientSecret === undefined ? {} : { clientSecret: client.idpClientSecret }),
    },
    listener,
    // To stay signed in, where the provider offers it.
    scope: metadata.scopes_supported?.includes('offline_access') ? 'openid offline_access' : 'openid',
    nonce,
    dpop: undefined,
    fetch,
  });
  return {
    url: prepared.url,
    async identity(signal) {
      const { id_token: idToken, refresh_token: refreshToken } = await prepared.tokens(signal);
      if (idToken === undefined) throw new AuthFailure(`${host} did not say who has signed in (no ID token). Ask who looks after it.`);
      const claims = await checked(idToken, metadata, fetch, {
        clientId: client.idpClientId,
        nonce: { value: nonce, mayBeAbsent: false },
        now: clock.now(),
      });
      return { ...claims, signInId: randomUUID(), nonce, idToken, refreshToken };
    },
  };
}

/**
 * The same sign-in with a fresh ID token. Undefined when it is over and only the person can help. Rejects with {@link AuthFailure}
 * when it may work later, and when what came is not what was asked for.
 */
export async function renewIdentity(client: IdentityClient, known: ProvenIdentity, clock: Clock): Promise<ProvenIdentity | undefined> {
  if (known.refreshToken === undefined) return undefined;
  const fetch = guardOf(client);
  const metadata = await metadataOf(client, fetch);
  const tokens = await refreshAuthorization(client.idpIssuer, {
    metadata,
    clientInformation: clientInformation(client),
    refreshToken: known.refreshToken,
    fetchFn: fetch,
  }).catch((error: unknown) => {
    if (error instanceof OAuthError && error.code === 'invalid_grant') return undefined;
    throw asAuthFailure(error, `Renewing the sign-in at ${hostOfIssuer(client.idpIssuer)}`);
  });
  // Providers may renew without saying again who it is: there is nothing then that could be shown to anybody.
  if (tokens?.id_token === undefined) return undefined;
  const claims = await checked(tokens.id_token, metadata, fetch, {
    clientId: client.idpClientId,
    nonce: { value: known.nonce, mayBeAbsent: true },
    subject: known.subject,
    now: clock.now(),
  });
  return { ...known, ...claims, idToken: tokens.id_token, refreshToken: tokens.refresh_token };
}

/** Codes of RFC 8693 §2.2.2 that speak of the ID token itself: another one may be taken. */
const tokenCodes: readonly string[] = ['invalid_grant', 'invalid_request', 'invalid_token'];

/** The ID token was not taken, whatever was asked for with it. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof AuthFailure && error.code !== undefined && tokenCodes.includes(error.code);

/**
 * Asks the identity provider for an assertion to one authorization server (ID-JAG, by token exchange of RFC 8693). `tokenEndpoint`
 * undefined: where the provider's own metadata says. Not the library's function, which loses the code of a refusal and always sends a
 * secret in the body. Rejects with {@link AuthFailure}, where the provider refused with its code.
 */
export async function exchangeIdToken(
  client: IdentityClient,
  idToken: string,
  { audience, resource, scope }: PermissionRequest,
  tokenEndpoint: string | undefined,
): Promise<string> {
  const host = hostOfIssuer(client.idpIssuer);
  try {
    const fetch = guardOf(client);
    const metadata = tokenEndpoint === undefined ? await metadataOf(client, fetch) : undefined;
    const information = clientInformation(client);
    const method = selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []);
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience,
      resource,
      subject_token: idToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      ...(scope === undefined ? {} : { scope }),
    });
    const headers = new Headers({ accept: 'application/json' });
    if (method === 'client_secret_basic')
      headers.set('authorization', `Basic ${Buffer.from(`${client.idpClientId}:${client.idpClientSecret ?? ''}`).toString('base64')}`);
    else {
      body.set('client_id', client.idpClientId);
      if (client.idpClientSecret !== undefined) body.set('client_secret', client.idpClientSecret);
    }
    const response = await fetch(tokenEndpoint ?? metadata?.token_endpoint ?? '', { method: 'POST', headers, body });
    if (!response.ok) throw await parseErrorResponse(response);
    return IdJagTokenExchangeResponseSchema.parse(await response.json()).access_token;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw asAuthFailure(error, `Asking ${host} for the permission`);
    const { code } = error;
    throw new AuthFailure(refusalInWords(host, URL.parse(resource)?.host ?? resource, code), {
      code,
      detail: error.message.slice(0, 2000),
    });
  }
}

function refusalInWords(host: string, server: string, code: string): string {
  if (tokenCodes.includes(code)) return `${host} does not take your sign-in there any more. Sign in again.`;
  if (code === 'invalid_client')
    return `${host} does not know this application by the client ID and secret in the sign-in settings of this server.`;
  if (code === 'server_error' || code === 'temporarily_unavailable') return `${host} could not answer. Try again later.`;
  return `Your organization (${host}) does not let you use ${server.slice(0, 200)} from here. Ask who looks after that.`;
}

/** Tells the provider that a sign-in is over (RFC 7009), where it offers that. Rejects when it was not taken. */
export async function revokeIdentity(client: IdentityClient, { refreshToken }: ProvenIdentity): Promise<void> {
  if (refreshToken === undefined) return;
  const fetch = guardOf(client);
  const information = clientInformation(client);
  await revokeTokens([['refresh_token', refreshToken]], information, await metadataOf(client, fetch), fetch);
}
