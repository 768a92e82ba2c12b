import type { OAuthTokens } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { AuthFailure } from './authFailure.ts';
import type { ClientRecord, Grant } from './authRecords.ts';
import type { Authority } from './discovery.ts';

export const scopesOf = (scope: string | undefined): string[] => [...new Set((scope ?? '').split(/\s+/).filter(Boolean))];

/**
 * Tokens as they are kept, after a look at what was given: not more permissions than were asked for, and not for another server
 * (S1). Throws {@link AuthFailure}.
 */
export function grantOf(
  tokens: OAuthTokens,
  about: {
    signInId: string;
    authority: Authority;
    serverUrl: string;
    client: ClientRecord;
    scope: string | undefined;
    dpop: Grant['dpop'] | undefined;
    now: number;
  },
): Grant {
  const { authority, serverUrl, scope } = about;
  const host = new URL(authority.issuer).host;
  const more = scope === undefined ? [] : scopesOf(tokens.scope).filter((each) => !scopesOf(scope).includes(each));
  if (more.length > 0)
    throw new AuthFailure(`${host} gave more permissions than were asked for (${more.join(', ').slice(0, 300)}), so they were not taken.`);
  const foreign = foreignAudience(tokens.access_token, authority.resource ?? serverUrl);
  if (foreign !== undefined)
    throw new AuthFailure(`${host} gave a permission for ${foreign.slice(0, 200)}, which is another server, so it was not taken.`);
  return {
    signInId: about.signInId,
    issuer: authority.issuer,
    serverUrl,
    ...(authority.resource === undefined ? {} : { resource: authority.resource }),
    accessToken: tokens.access_token,
    tokenType: tokens.token_type,
    ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
    ...optionalScope(tokens.scope ?? scope),
    ...(tokens.expires_in === undefined ? {} : { expiresAt: about.now + tokens.expires_in * 1000 }),
    client: about.client,
    ...(about.dpop ? { dpop: about.dpop } : {}),
  };
}

const optionalScope = (scope: string | undefined) => (scope === undefined || scope === '' ? {} : { scope });

const Payload = z.looseObject({ aud: z.union([z.string(), z.array(z.string())]).optional() });

/**
 * The audience of a token that can be read and is meant for another origin only. Audiences that are no addresses (ids of an
 * authorization server) say nothing about where the token belongs, and most tokens cannot be read at all.
 */
function foreignAudience(token: string, resource: string): string | undefined {
  const [, middle, signature] = token.split('.');
  if (middle === undefined || signature === undefined) return undefined;
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(middle, 'base64url').toString('utf8'));
  } catch (error) {
    // Three parts and no JSON: a token of another kind.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const audience = Payload.safeParse(decoded).data?.aud;
  const named = (typeof audience === 'string' ? [audience] : (audience ?? [])).filter((each) => URL.parse(each)?.host);
  const { origin } = new URL(resource);
  return named.length > 0 && named.every((each) => new URL(each).origin !== origin) ? named[0] : undefined;
}
