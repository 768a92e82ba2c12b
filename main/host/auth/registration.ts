import { type OAuthClientMetadata, registerClient, RegistrationRejectedError } from '@modelcontextprotocol/client';
import type { GuardedFetch } from '../net/guardedFetch.ts';
import { asAuthFailure, AuthFailure } from './authFailure.ts';
import type { ClientRecord } from './authRecords.ts';
import type { Authority } from './discovery.ts';

export const clientName = 'Maitre';

/** A secret that ends within so many milliseconds is not begun with. */
const expiryMarginMs = 60_000;

/** As the client library wants it. `issuer` keeps it from being sent anywhere else. */
export function clientInformation(client: ClientRecord, issuer: string) {
  const secret = 'clientSecret' in client ? client.clientSecret : undefined;
  const method = client.kind === 'registered' ? client.authMethod : undefined;
  return {
    client_id: client.clientId,
    issuer,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}

/**
 * Who this application is for an authorization server, in the order of MCP 2026-07-28 "Client registration": what is known already,
 * the document, dynamic registration, else the person is asked. Rejects with {@link AuthFailure} (`needsClient`).
 */
export async function clientFor(
  authority: Authority,
  options: {
    known: ClientRecord | undefined;
    /** Address of the document about this application, where whoever distributes it has published one (docs/client-metadata.json). */
    documentUrl: string | undefined;
    redirectUri: string;
    scope: string | undefined;
    fetch: GuardedFetch;
    now: number;
  },
): Promise<ClientRecord> {
  const { known, redirectUri } = options;
  const { metadata, issuer } = authority;
  const usable =
    known &&
    (known.kind !== 'registered' ||
      (known.redirectUri === redirectUri && (known.secretExpiresAt === undefined || known.secretExpiresAt - expiryMarginMs > options.now)));
  if (known && usable) return known;

  if (metadata?.client_id_metadata_document_supported === true) {
    const { documentUrl } = options;
    if (documentUrl !== undefined) return { kind: 'document', clientId: documentUrl };
  }
  if (metadata && metadata.registration_endpoint === undefined) {
    throw new AuthFailure(
      `${new URL(issuer).host} does not let Maitre make itself known. Make a client for it there and enter its id on the page of this server.`,
      { needsClient: true },
    );
  }
  return register(authority, options);
}

async function register(
  authority: Authority,
  { redirectUri, scope, fetch }: { redirectUri: string; scope: string | undefined; fetch: GuardedFetch },
): Promise<ClientRecord> {
  const { issuer, metadata } = authority;
  const submitted: OAuthClientMetadata & { application_type: 'native' } = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: authMethodFor(metadata?.token_endpoint_auth_methods_supported),
  };
  try {
    const answer = await registerClient(issuer, {
      ...(metadata ? { metadata } : {}),
      clientMetadata: submitted,
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
    return {
      kind: 'registered',
      clientId: answer.client_id,
      ...(answer.client_secret === undefined ? {} : { clientSecret: answer.client_secret }),
      authMethod: answer.token_endpoint_auth_method ?? submitted.token_endpoint_auth_method,
      redirectUri,
      ...(answer.client_secret_expires_at ? { secretExpiresAt: answer.client_secret_expires_at * 1000 } : {}),
    };
  } catch (error) {
    if (error instanceof RegistrationRejectedError) {
      // The default place of 2025-03-26, and nothing there: most likely it is no sign-in at all that this server wants.
      if (!metadata && error.status < 500) {
        throw new AuthFailure(
          `${new URL(issuer).host} wants to know who you are and does not say how to sign in. If you have a key for it, enter it as a header in its settings.`,
          { detail: error.body.slice(0, 2000) },
        );
      }
      throw new AuthFailure(
        `${new URL(issuer).host} refused to register Maitre (HTTP status ${error.status}). Make a client for it there and enter its id on the page of this server.`,
        { detail: error.body.slice(0, 2000), needsClient: true },
      );
    }
    throw asAuthFailure(error, `Making Maitre known to ${new URL(issuer).host}`);
  }
}

/** A program on a desk keeps no secret from its owner, so none is asked for where that is allowed. */
function authMethodFor(supported: string[] | undefined): string {
  if (!supported || supported.length === 0 || supported.includes('none')) return 'none';
  return ['client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method)) ?? 'none';
}
