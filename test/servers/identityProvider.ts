/**
 * An identity provider (OpenID Connect) that asks nobody, with the oddities of hostile ones: it signs people in, renews, and vouches
 * for them to authorization servers by token exchange (RFC 8693, ID-JAG). By hand: `node identityProvider.ts` prints its issuer.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose';

export interface IdentityProviderOptions {
  /** Wanted at the token endpoint, in the header (RFC 6749 §2.3.1). */
  clientSecret?: string;
  /** Put over the metadata; undefined takes a member away. */
  metadata?: Record<string, unknown>;
  /** Put over the claims of every ID token; undefined takes one away. */
  claims?(renewed: boolean): Record<string, unknown>;
  /** Signs with a key that it does not publish. */
  foreignKey?: boolean;
  /** What the authorization answer says it is from; undefined leaves `iss` out. */
  iss?(issuer: string): string | undefined;
  /** Of the ID tokens of a sign-in; those of a renewal live for an hour. In seconds. */
  lifetime?: number;
  refreshTokens?: 'none';
  /** Resources that it gives nobody access to, by the code of its refusal. */
  policy?(resource: string): string | undefined;
}

export interface IdentityProvider {
  issuer: string;
  /** Form members of what came to the token endpoint, by grant. */
  exchanges: URLSearchParams[];
  renewals: URLSearchParams[];
  revocations: URLSearchParams[];
  /** Queries of the pages that were opened. */
  pages: URLSearchParams[];
  /** Every secret that it gave out. */
  secrets: string[];
  /** Checks an assertion as an authorization server does. Rejects where it is not good for that one. */
  verify(assertion: string, audience: string): Promise<JWTPayload>;
  /** Ends what came before: the ID tokens, with `all` the refresh tokens too. */
  revoke(what: 'idTokens' | 'all'): void;
  /** Who signs in from now on. */
  subject(name: string): void;
  close(): void;
}

const jagType = 'oauth-id-jag+jwt';

export async function startIdentityProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const algorithm = 'ES256';
  const pair = await generateKeyPair(algorithm);
  const signing = options.foreignKey ? (await generateKeyPair(algorithm)).privateKey : pair.privateKey;
  const published = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: algorithm, use: 'sig' }] };
  const keys = createLocalJWKSet(published);
  const codes = new Map<string, URLSearchParams>();
  const refresh = new Map<string, { nonce: string; subject: string; clientId: string }>();
  const idTokens = new Set<string>();
  let subject = 'person-1';
  let issuer = '';
  const provider: Omit<IdentityProvider, 'issuer'> = {
    exchanges: [],
    renewals: [],
    revocations: [],
    pages: [],
    secrets: [],
    async verify(assertion, audience) {
      const { payload } = await jwtVerify(assertion, keys, { issuer, audience, typ: jagType });
      return payload;
    },
    revoke(what) {
      idTokens.clear();
      if (what === 'all') refresh.clear();
    },
    subject: (name) => void (subject = name),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  const sign = (claims: Record<string, unknown>, lifetime: number, typ = 'JWT') =>
    new SignJWT({ iss: issuer, exp: Math.floor(Date.now() / 1000) + lifetime, ...claims })
      .setProtectedHeader({ alg: algorithm, kid: 'one', typ })
      .setIssuedAt()
      .sign(signing);

  const tokens = async (about: { nonce: string; subject: string; clientId: string }, renewed: boolean) => {
    const idToken = await sign(
      { sub: about.subject, aud: about.clientId, ...(renewed ? {} : { nonce: about.nonce }), ...options.claims?.(renewed) },
      renewed ? 3600 : (options.lifetime ?? 3600),
    );
    const refreshToken = `idp-refresh-canary-${randomUUID()}`;
    const accessToken = `idp-access-canary-${randomUUID()}`;
    idTokens.add(idToken);
    provider.secrets.push(idToken, accessToken);
    if (options.refreshTokens !== 'none') {
      refresh.set(refreshToken, about);
      provider.secrets.push(refreshToken);
    }
    return {
      id_token: idToken,
      access_token: accessToken,
      token_type: 'Bearer',
      ...(options.refreshTokens === 'none' ? {} : { refresh_token: refreshToken }),
    };
  };

  const exchange = async (params: URLSearchParams) => {
    provider.exchanges.push(params);
    const idToken = params.get('subject_token') ?? '';
    if (!idTokens.has(idToken)) return { error: 'invalid_grant' };
    // What it would say to anybody whose token has ended.
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(published), { issuer }).catch(() => ({ payload: undefined }));
    if (!payload) return { error: 'invalid_grant' };
    const denied = options.policy?.(params.get('resource') ?? '');
    if (denied !== undefined) return { error: denied, error_description: 'words of the identity provider' };
    const claims = {
      jti: randomUUID(),
      sub: payload.sub,
      aud: params.get('audience'),
      resource: params.get('resource'),
      scope: params.get('scope') ?? '',
    };
    const assertion = await sign(claims, 300, jagType);
    provider.secrets.push(assertion);
    return { issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', access_token: assertion, token_type: 'N_A', expires_in: 300 };
  };

  const token = async (params: URLSearchParams, headers: IncomingMessage['headers']): Promise<Record<string, unknown>> => {
    const [id, secret] = Buffer.from((headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const clientId = options.clientSecret === undefined ? (params.get('client_id') ?? '') : (id ?? '');
    if (options.clientSecret !== undefined && (secret !== options.clientSecret || params.has('client_secret')))
      return { error: 'invalid_client' };
    switch (params.get('grant_type')) {
      case 'authorization_code': {
        const asked = codes.get(params.get('code') ?? '');
        codes.delete(params.get('code') ?? '');
        const verified = createHash('sha256')
          .update(params.get('code_verifier') ?? '')
          .digest('base64url');
        const fits = asked?.get('code_challenge') === verified && asked.get('redirect_uri') === params.get('redirect_uri');
        if (!asked || !fits || asked.get('client_id') !== clientId) return { error: 'invalid_grant' };
        return tokens({ nonce: asked.get('nonce') ?? '', subject, clientId }, false);
      }
      case 'refresh_token': {
        provider.renewals.push(params);
        const given = refresh.get(params.get('refresh_token') ?? '');
        // Good for one use.
        refresh.delete(params.get('refresh_token') ?? '');
        return given?.clientId === clientId ? tokens(given, true) : { error: 'invalid_grant' };
      }
      case 'urn:ietf:params:oauth:grant-type:token-exchange':
        return exchange(params);
      default:
        return { error: 'unsupported_grant_type' };
    }
  };

  const answer = async (url: URL, body: string, headers: IncomingMessage['headers']) => {
    const json = (value: object) => ({
      status: 'error' in value ? 400 : 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: [algorithm],
          scopes_supported: ['openid', 'offline_access'],
          token_endpoint_auth_methods_supported: [options.clientSecret === undefined ? 'none' : 'client_secret_basic'],
          ...options.metadata,
        });
      case '/keys':
        return json(published);
      case '/authorize': {
        provider.pages.push(url.searchParams);
        const code = `idp-code-canary-${randomUUID()}`;
        provider.secrets.push(code);
        codes.set(code, url.searchParams);
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        const iss = options.iss ? options.iss(issuer) : issuer;
        if (iss !== undefined) back.searchParams.set('iss', iss);
        return { status: 302, headers: { location: back.href }, body: '' };
      }
      case '/token':
        return json(await token(new URLSearchParams(body), headers));
      case '/revoke': {
        const params = new URLSearchParams(body);
        provider.revocations.push(params);
        refresh.delete(params.get('token') ?? '');
        return { status: 200, headers: {}, body: '' };
      }
      default:
        return { status: 404, headers: {}, body: '' };
    }
  };

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      answer(new URL(request.url ?? '', issuer), body, request.headers).then(
        (made) => response.writeHead(made.status, made.headers).end(made.body),
        (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  issuer = `http://127.0.0.1:${address.port}`;
  return { issuer, ...provider };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${(await startIdentityProvider()).issuer}\n`);
