/**
 * An authorization server that asks nobody, with the oddities of real and of hostile ones. By hand: `node authServer.ts` serves a
 * well-behaved one and prints its address.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

export interface AuthServerOptions {
  /** Of the issuer's own path, such as `/t1`. */
  path?: string;
  /** Put over the metadata; undefined takes a member away. `origin` stands for the server's own address. */
  metadata?(origin: string): Record<string, unknown>;
  /** Bytes of the metadata instead of JSON; it never ends with `endless`. */
  metadataBody?: 'endless' | 'nonsense';
  /** What the authorization answer says it is from; undefined leaves `iss` out. */
  iss?(origin: string): string | undefined;
  /** Instead of a code the answer carries this error. */
  authorizationError?: string;
  /** The state that comes back; the one that was sent where absent. */
  state?(sent: string): string;
  scope?(asked: string | undefined): string | undefined;
  accessToken?(): string;
  expiresIn?: number;
  /** Each refresh token works once; used again it ends everything that came of it. */
  rotates?: boolean;
  /** A refresh gives no new refresh token: the old one goes on. */
  keepsRefreshToken?: boolean;
  /** Gives tokens to clients for themselves, whoever they say they are. */
  takesMachines?: boolean;
  /** Waits for this before it answers a refresh. */
  beforeRefresh?: Promise<unknown>;
  registration?: 'none' | 'refused';
  /** Checks assertions of an organization's identity provider (RFC 7523) for one client, and rejects those that are not good here. */
  organization?: {
    clientId: string;
    clientSecret: string;
    verify(assertion: string, audience: string): Promise<Record<string, unknown>>;
  };
}

export interface AuthRequest {
  method: string;
  path: string;
  params: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface AuthServer {
  origin: string;
  issuer: string;
  requests: AuthRequest[];
  /** Requests of one path, such as `/token`. */
  at(path: string): AuthRequest[];
  /** Whether it gave this token out for the resource, and it still holds. */
  holds(token: string, resource: string): { scope: string } | undefined;
  /** Ends every access token; refresh tokens too with `all`. */
  revoke(what: 'access' | 'all'): void;
  /** Every secret that it gave out. */
  secrets: string[];
  close(): void;
}

interface Given {
  resource: string;
  scope: string;
  valid: boolean;
}

export async function startAuthServer(options: AuthServerOptions = {}): Promise<AuthServer> {
  const requests: AuthRequest[] = [];
  const secrets: string[] = [];
  const codes = new Map<string, { challenge: string; redirectUri: string; clientId: string; resource: string; scope: string }>();
  const access = new Map<string, Given>();
  const refresh = new Map<string, Given>();
  const { path = '' } = options;
  const issuerOf = () => origin + path;
  let origin = '';

  const metadata = (): Record<string, unknown> => {
    const issuer = issuerOf();
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: options.organization ? ['client_secret_basic'] : ['none'],
      ...(options.registration === 'none' ? {} : { registration_endpoint: `${issuer}/register` }),
      ...options.metadata?.(origin),
    };
  };

  const issue = (given: Omit<Given, 'valid'>): Record<string, unknown> => {
    const token = options.accessToken?.() ?? `access-canary-${randomUUID()}`;
    const refreshToken = `refresh-canary-${randomUUID()}`;
    secrets.push(token, refreshToken);
    access.set(token, { ...given, valid: true });
    refresh.set(refreshToken, { ...given, valid: true });
    const scope = options.scope ? options.scope(given.scope || undefined) : given.scope || undefined;
    return {
      access_token: token,
      token_type: 'Bearer',
      refresh_token: refreshToken,
      ...(options.expiresIn === undefined ? {} : { expires_in: options.expiresIn }),
      ...(scope === undefined ? {} : { scope }),
    };
  };

  const byAssertion = async (
    { clientId, clientSecret, verify }: NonNullable<AuthServerOptions['organization']>,
    params: URLSearchParams,
    authorization: string | undefined,
  ): Promise<Record<string, unknown>> => {
    if (authorization !== `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`) return { error: 'invalid_client' };
    const claims = await verify(params.get('assertion') ?? '', issuerOf()).catch(() => undefined);
    if (!claims) return { error: 'invalid_grant' };
    const { refresh_token: _none, ...given } = issue({ resource: String(claims['resource']), scope: String(claims['scope'] ?? '') });
    return given;
  };

  const token = async (
    params: URLSearchParams,
    authorization: string | undefined,
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const refused = (error: string) => ({ status: 400, json: { error } });
    const resource = params.get('resource') ?? '';
    if (params.get('grant_type') === 'authorization_code') {
      const code = codes.get(params.get('code') ?? '');
      codes.delete(params.get('code') ?? '');
      const verified = createHash('sha256')
        .update(params.get('code_verifier') ?? '')
        .digest('base64url');
      const fits = code?.challenge === verified && code.redirectUri === params.get('redirect_uri') && code.resource === resource;
      return code && fits ? { status: 200, json: issue(code) } : refused('invalid_grant');
    }
    if (params.get('grant_type') === 'refresh_token') {
      const given = refresh.get(params.get('refresh_token') ?? '');
      await options.beforeRefresh;
      if (!given?.valid || given.resource !== resource) {
        for (const each of [...access.values(), ...refresh.values()]) each.valid = false;
        return refused('invalid_grant');
      }
      if (options.rotates) given.valid = false;
      const { refresh_token: renewed, ...rest } = issue(given);
      return { status: 200, json: options.keepsRefreshToken ? rest : { ...rest, refresh_token: renewed } };
    }
    if (params.get('grant_type') === 'client_credentials' && options.takesMachines) {
      const { refresh_token: _none, ...given } = issue({ resource, scope: params.get('scope') ?? '' });
      return { status: 200, json: given };
    }
    if (params.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' && options.organization) {
      const json = await byAssertion(options.organization, params, authorization);
      return { status: 'error' in json ? 400 : 200, json };
    }
    return refused('unsupported_grant_type');
  };

  const answer = async (request: AuthRequest, response: ServerResponse): Promise<void> => {
    const json = (status: number, value: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const place = request.path.replace(path, '');
    if (request.path === `/.well-known/oauth-authorization-server${path}`) {
      if (options.metadataBody === 'nonsense') return void response.end('<html>');
      if (options.metadataBody === 'endless') return pour(response);
      return json(200, metadata());
    }
    switch (place) {
      case '/authorize': {
        const { params } = request;
        const redirectUri = params.get('redirect_uri') ?? '';
        const back = new URL(redirectUri);
        const sent = params.get('state') ?? '';
        back.searchParams.set('state', options.state?.(sent) ?? sent);
        const iss = options.iss ? options.iss(origin) : undefined;
        if (iss !== undefined) back.searchParams.set('iss', iss);
        if (options.authorizationError === undefined) {
          const code = `code-canary-${randomUUID()}`;
          secrets.push(code);
          codes.set(code, {
            challenge: params.get('code_challenge') ?? '',
            redirectUri,
            clientId: params.get('client_id') ?? '',
            resource: params.get('resource') ?? '',
            scope: params.get('scope') ?? '',
          });
          back.searchParams.set('code', code);
        } else {
          back.searchParams.set('error', options.authorizationError);
          back.searchParams.set('error_description', 'words of the authorization server');
        }
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const { status, json: value } = await token(new URLSearchParams(request.body), request.headers.authorization);
        return json(status, value);
      }
      case '/register':
        if (options.registration === 'refused') return json(400, { error: 'invalid_redirect_uri' });
        return json(201, { ...JSON.parse(request.body), client_id: `client-${randomUUID()}` });
      case '/revoke': {
        const ended = new URLSearchParams(request.body).get('token') ?? '';
        const given = access.get(ended) ?? refresh.get(ended);
        if (given) given.valid = false;
        return void response.writeHead(200).end();
      }
      default:
        return void response.writeHead(404).end();
    }
  };

  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '', origin);
      const request = { method: incoming.method ?? '', path: url.pathname, params: url.searchParams, headers: incoming.headers, body };
      requests.push(request);
      answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;

  return {
    origin,
    issuer: issuerOf(),
    requests,
    at: (wanted) => requests.filter((request) => request.path === path + wanted),
    holds(given, resource) {
      const found = access.get(given);
      return found?.valid && found.resource === resource ? { scope: found.scope } : undefined;
    },
    revoke(what) {
      for (const each of access.values()) each.valid = false;
      if (what === 'all') for (const each of refresh.values()) each.valid = false;
    },
    secrets,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, ' ');
  const more = (): void => {
    while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', more);
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  more();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${(await startAuthServer()).issuer}\n`);
