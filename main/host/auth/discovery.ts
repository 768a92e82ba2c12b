import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { OAuthMetadataSchema, OAuthProtectedResourceMetadataSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { SignInRequest } from '../../../preload/contract/signIn.ts';
import { checkUrl, typedHostOf } from '../net/addressPolicy.ts';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { AuthChallenge } from './challenge.ts';

/** Who may give out tokens for a server, and for what. */
export interface Authority {
  issuer: string;
  /** All that the server names. */
  issuers: string[];
  /** Absent only for servers of 2025-03-26 that rely on default endpoints. */
  metadata: AuthorizationServerMetadata | undefined;
  /** The indicator of RFC 8707, letter by letter as the server advertises it; servers of 2025-03-26 have none. */
  resource: string | undefined;
  supportedScopes: string[] | undefined;
  /** Where the page that opens lies, and who gets what is allowed there; undefined where the page is one of the issuer's own. */
  page?: SignInRequest['page'];
}

/**
 * Finds out where to sign in for a server (MCP 2026-07-28 "Authorization", discovery): the metadata that the challenge names, else
 * the well-known place with the server's path, else the one at the root; then the authorization server's own metadata. A server
 * without any is taken for one of 2025-03-26. Rejects with {@link AuthFailure}.
 */
export async function discoverAuthority(
  serverUrl: string,
  challenge: AuthChallenge | undefined,
  options: { fetch: GuardedFetch; preferredIssuer: string | undefined },
): Promise<Authority> {
  const { fetch } = options;
  const protectedResource = await resourceMetadata(serverUrl, challenge?.resourceMetadata, fetch);
  if (!protectedResource) return originAuthority(serverUrl, fetch);

  const { resource, authorization_servers: named = [], scopes_supported: supportedScopes } = protectedResource;
  if (!denotes(resource, serverUrl)) {
    throw new AuthFailure(
      `The sign-in data of this server is for ${resource.slice(0, 200)}, which is another address. Nobody was asked for a sign-in.`,
    );
  }
  const issuers = named.map(String);
  const issuer = issuers.find((each) => each === options.preferredIssuer) ?? issuers[0] ?? new URL(serverUrl).origin;
  const metadata = await authorizationServer(issuer, fetch);
  // The client lets a slash at the end pass; RFC 8414 §3.3 wants the same characters.
  if (metadata && metadata.issuer !== issuer) throw foreignIssuer(issuer, metadata.issuer);
  if (!metadata)
    throw new AuthFailure(`${issuer.slice(0, 200)}, where this server wants you to sign in, does not say how. Ask who runs the server.`);
  checkEndpoints(metadata, serverUrl);
  return {
    issuer,
    issuers: issuers.length === 0 ? [issuer] : issuers,
    metadata,
    resource,
    supportedScopes,
    page: pageElsewhere(issuer, metadata),
  };
}

async function resourceMetadata(
  serverUrl: string,
  named: string | undefined,
  fetch: GuardedFetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { origin, pathname } = new URL(serverUrl);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/, '');
  const places = named === undefined ? (path === '' ? [wellKnown] : [wellKnown + path, wellKnown]) : [named];
  for (const place of places) {
    if (!URL.canParse(place))
      throw new AuthFailure('The server names an address for its sign-in data that is none.', { detail: place.slice(0, 500) });
    try {
      const response = await fetch(place, { headers: { accept: 'application/json' } });
      if (response.ok) return OAuthProtectedResourceMetadataSchema.parse(await response.json());
      await response.body?.cancel();
      // What does not exist at the first place may at the next; a server in trouble says nothing about it.
      if (response.status >= 500 || named !== undefined) throw new AuthFailure(`${place} answered with HTTP status ${response.status}.`);
    } catch (error) {
      throw asAuthFailure(error, 'Reading what this server says of its sign-in');
    }
  }
  return undefined;
}

/**
 * Same origin, and at or above the server's path (RFC 9728 §3.3, in the reading of the official client). A slash at the end of either
 * says nothing: `URL` adds it to some addresses, people to others.
 */
function denotes(resource: string, serverUrl: string): boolean {
  const named = URL.parse(resource);
  const server = new URL(serverUrl);
  const folder = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname : `${pathname}/`);
  return named !== null && named.origin === server.origin && named.hash === '' && folder(server).startsWith(folder(named));
}

/** The way of 2025-03-26: the server's origin is the authorization server, without metadata at default places. */
async function originAuthority(serverUrl: string, fetch: GuardedFetch): Promise<Authority> {
  const { origin } = new URL(serverUrl);
  const metadata = await authorizationServer(`${origin}/`, fetch);
  if (metadata) checkEndpoints(metadata, serverUrl);
  const issuer = metadata?.issuer ?? origin;
  return { issuer, issuers: [issuer], metadata, resource: undefined, supportedScopes: undefined, page: pageElsewhere(issuer, metadata) };
}

/**
 * Whoever makes up an authorization server can name the page of another one, and the code that comes back goes to himself. `iss` tells
 * only where that other one sends it (RFC 9207, mix-up), so the person is told.
 */
function pageElsewhere(issuer: string, metadata: AuthorizationServerMetadata | undefined): Authority['page'] {
  const host = URL.parse(metadata?.authorization_endpoint ?? '')?.host;
  const receiver = URL.parse(metadata?.token_endpoint ?? '')?.host;
  return host === undefined || receiver === undefined || host === new URL(issuer).host ? undefined : { host, receiver };
}

/** Of RFC 8414 and RFC 9449. The client drops them from a document of OpenID Connect, where they stand just as well. */
const DroppedMembers = z.object({
  ...OAuthMetadataSchema.pick({ revocation_endpoint: true, dpop_signing_alg_values_supported: true }).shape,
});

/**
 * What an authorization server or identity provider says about itself (RFC 8414, OpenID Connect Discovery); undefined where it says
 * nothing. Rejects with IssuerMismatchError, with what `fetch` rejects with, or when it cannot be read.
 */
export async function readMetadata(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServerMetadata | undefined> {
  let document = '{}';
  const metadata = await discoverAuthorizationServerMetadata(issuer, {
    async fetchFn(url, init) {
      const response = await fetch(url, init);
      if (!response.ok) return response;
      document = await response.text();
      return new Response(document, response);
    },
  });
  return metadata && { ...metadata, ...DroppedMembers.parse(JSON.parse(document)) };
}

async function authorizationServer(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServerMetadata | undefined> {
  try {
    return await readMetadata(issuer, fetch);
  } catch (error) {
    if (error instanceof IssuerMismatchError) throw foreignIssuer(issuer, error.received);
    throw asAuthFailure(error, `Reading how to sign in at ${issuer.slice(0, 200)}`);
  }
}

function foreignIssuer(issuer: string, received: string | undefined): AuthFailure {
  return new AuthFailure(
    `${issuer.slice(0, 200)} answers in the name of somebody else, so nothing was sent to it. Ask who runs the server.`,
    {
      detail: `Its metadata names ${JSON.stringify(received ?? '').slice(0, 500)} as the issuer.`,
    },
  );
}

/** Nothing is opened and nothing sent where it is not encrypted, or in this computer's own network (A15, S14). */
function checkEndpoints(metadata: AuthorizationServerMetadata, serverUrl: string): void {
  const typed = typedHostOf(serverUrl);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const) {
    const endpoint: unknown = Reflect.get(metadata, name);
    if (typeof endpoint !== 'string') continue;
    const url = URL.parse(endpoint);
    const verdict = url ? checkUrl(url, typed) : { ok: false as const, reason: 'it is no address' };
    if (!verdict.ok)
      throw new AuthFailure(`${metadata.issuer.slice(0, 200)} names an address that is not used: ${verdict.reason}.`, {
        detail: `${name}: ${endpoint.slice(0, 500)}`,
      });
  }
}

/** PKCE with S256 is not optional (MCP 2026-07-28 "Authorization code protection"). */
export function requirePkce({ issuer, metadata }: Authority): void {
  if (metadata && !metadata.code_challenge_methods_supported?.includes('S256'))
    throw new AuthFailure(
      `${issuer.slice(0, 200)} does not say that it protects a sign-in on its way back (PKCE), so none was begun. Ask who runs the server.`,
    );
}

/** The permissions to ask for first: the challenge's, else all that the server knows, else none by name. */
export function firstScope(authority: Authority, challenge: AuthChallenge | undefined): string | undefined {
  const scope = challenge?.scope ?? authority.supportedScopes?.join(' ');
  if (scope === undefined || scope === '') return undefined;
  // To stay signed in. Only the authorization server can offer that (SEP-2207).
  const offline = authority.metadata?.scopes_supported?.includes('offline_access') && !scope.split(/\s+/).includes('offline_access');
  return offline ? `${scope} offline_access` : scope;
}
