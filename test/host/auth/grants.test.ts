import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { discoverAuthority } from '../../../main/host/auth/discovery.ts';
import { typedHostOf } from '../../../main/host/net/addressPolicy.ts';
import { createGuardedFetch } from '../../../main/host/net/guardedFetch.ts';
import { authServer, isReady, protectedServer, signInWorld, textOf, tokensTo, wantsSignIn } from './signInWorld.ts';

test('A9 A13: of sign-ins that are open at a time each keeps its own issuer, state, verifier and address, in whatever order they are answered', async () => {
  const auths = [await authServer({ iss: (origin) => origin }), await authServer({ iss: (origin) => origin })];
  const [one, two] = [await protectedServer(auths[0] ?? fail()), await protectedServer(auths[1] ?? fail())];
  const world = await signInWorld();
  const pages: string[] = [];
  world.browse(async (url) => pages.push(url));
  const ids = [await world.add(one.url), await world.add(two.url)];
  for (const id of ids) {
    await world.when(id, wantsSignIn);
    await world.host.run('server.signIn', { serverId: id });
    await world.when(id, ({ signingIn }) => signingIn?.url !== undefined);
  }
  // The answer of the one, given to the other's address, counts for neither.
  const [first = '', second = ''] = pages;
  const stolen = new URL((await fetch(second, { redirect: 'manual' })).headers.get('location') ?? '');
  const address = new URL(new URL(first).searchParams.get('redirect_uri') ?? '');
  await fetch(`${address.href}${stolen.search}`);
  for (const page of [second, first]) await fetch(page);
  for (const [index, id] of ids.entries()) {
    const { account } = await world.when(id, isReady);
    expect(account).toMatchObject({ signedIn: true, issuer: auths[index]?.issuer });
    expect(textOf(await world.call(id, 'echo', { text: 'hello' }))).toBe('hello');
  }
  for (const member of ['state', 'code_challenge', 'redirect_uri'])
    expect(new URL(first).searchParams.get(member)).not.toBe(new URL(second).searchParams.get(member));
  // A13: on every request from then on, in the header and in no address, and never at the other server.
  for (const [server, auth, other] of [
    [one, auths[0], auths[1]],
    [two, auths[1], auths[0]],
  ] as const) {
    const tokens = tokensTo(server);
    const from = tokens.findIndex((token) => token !== undefined);
    expect(tokens.slice(from).every((token) => token?.startsWith('Bearer access-canary-'))).toBe(true);
    for (const secret of auth?.secrets ?? []) expect(server.requests.some(({ path }) => path.includes(secret))).toBe(false);
    for (const secret of other?.secrets ?? []) expect(JSON.stringify(server.requests).includes(secret)).toBe(false);
  }
});

function fail(): never {
  throw new Error('There is no such server.');
}

test('§3.3: a renewal names the resource; where it brings no new refresh token, the old one is used again', async () => {
  const auth = await authServer({ keepsRefreshToken: true });
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  for (const text of ['one', 'two']) {
    auth.revoke('access');
    expect(textOf(await world.call(id, 'echo', { text }))).toBe(text);
  }
  const renewals = auth.at('/token').flatMap(({ body }) => {
    const params = new URLSearchParams(body);
    return params.get('grant_type') === 'refresh_token' ? [[params.get('refresh_token'), params.get('resource')]] : [];
  });
  expect(renewals).toHaveLength(2);
  expect(renewals[0]).toEqual(renewals[1]);
  expect(renewals[0]?.[1]).toBe(server.resource);
  expect(world.opened).toHaveLength(1);
});

test('§3.5: a client that signs in for itself proves itself by its secret or its key, without a browser and without a registration', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const proofs = [
    { kind: 'secret', secret: 'canary of the secret' },
    { kind: 'key', privateKey: pem, algorithm: 'ES256' },
  ] as const;
  for (const proof of proofs) {
    const methods = proof.kind === 'secret' ? ['client_secret_basic'] : ['private_key_jwt'];
    const metadata = () => ({ token_endpoint_auth_methods_supported: methods, grant_types_supported: ['client_credentials'] });
    const auth = await authServer({ takesMachines: true, metadata });
    const server = await protectedServer(auth, { scopes: ['read'] });
    const world = await signInWorld();
    const id = await world.add(server.url);
    await world.when(id, wantsSignIn);
    await world.host.run('server.setClient', { serverId: id, client: { kind: 'machine', clientId: 'robot', proof } });
    await world.host.run('server.signIn', { serverId: id });
    await world.when(id, isReady);
    expect(world.opened).toEqual([]);
    expect([...auth.at('/authorize'), ...auth.at('/register')]).toEqual([]);
    const [request] = auth.at('/token');
    const sent = Object.fromEntries(new URLSearchParams(request?.body));
    expect(sent).toMatchObject({ grant_type: 'client_credentials', resource: server.resource, scope: 'read' });
    if (proof.kind === 'secret') {
      const basic = `${encodeURIComponent('robot')}:${encodeURIComponent(proof.secret)}`;
      expect(Buffer.from(request?.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()).toMatch(
        new RegExp(`^(${basic}|robot:${proof.secret})$`),
      );
      continue;
    }
    expect(sent['client_assertion_type']).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (sent['client_assertion'] ?? '').split('.');
    const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${header}.${claims}`), signed, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 'robot', sub: 'robot', aud: auth.issuer });
    expect(JSON.stringify(auth.requests)).not.toContain('PRIVATE KEY');
  }
});

test('§3.6: a server of 2025-03-26 is asked at its origin, with the revision in a header, whatever its path', async () => {
  const auth = await authServer();
  const url = `${auth.origin}/team/mcp`;
  await discoverAuthority(url, undefined, { fetch: createGuardedFetch({ typed: typedHostOf(url) }), preferredIssuer: undefined });
  const [metadata] = auth.at('/.well-known/oauth-authorization-server');
  expect(metadata?.headers['mcp-protocol-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(auth.requests.map(({ path }) => path)).toEqual([
    '/.well-known/oauth-protected-resource/team/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
  ]);
});

test('A16: a client with a secret proves itself as the authorization server wants it', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
    const auth = await authServer({ metadata: () => ({ token_endpoint_auth_methods_supported: [method] }) });
    const server = await protectedServer(auth);
    const world = await signInWorld();
    onTestFinished(() => world.host.close());
    const id = await world.add(server.url);
    await world.when(id, wantsSignIn);
    const client = { kind: 'person', clientId: 'mine', ...(method !== 'none' && { clientSecret: 'canary' }) } as const;
    await world.host.run('server.setClient', { serverId: id, client });
    await world.host.run('server.signIn', { serverId: id });
    await world.when(id, isReady);
    const [request] = auth.at('/token');
    const body = new URLSearchParams(request?.body);
    const basic = request?.headers.authorization;
    expect([method, basic, body.get('client_secret')]).toEqual([
      method,
      method === 'client_secret_basic' ? `Basic ${Buffer.from('mine:canary').toString('base64')}` : undefined,
      method === 'client_secret_post' ? 'canary' : null,
    ]);
  }
});

test.each([
  ['401, whatever token it gets', 401, undefined],
  ['403 for want of a permission that it was given', 403, 'Bearer error="insufficient_scope", scope="write"'],
])(
  'A17 §3.3: a server that answers a call with %s is given up after a few tries, and the call ends in words',
  async (_what, status, challenge) => {
    const auth = await authServer();
    let refusing = false;
    const server = await protectedServer(auth, {
      scopes: ['read'],
      before: (_request, body) =>
        refusing && body.includes('"tools/call"')
          ? { status, ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }) }
          : undefined,
    });
    const world = await signInWorld();
    const id = await world.signedIn(server.url);
    refusing = true;
    let asked = 0;
    const call = await world.call(id, 'echo', { text: 'x' }, () => (asked++, { action: 'accept' }));
    expect(call).toMatchObject({ state: 'failed' });
    expect(asked).toBe(1);
    // As it came, after one renewal of a token that may just be old, and after the one sign-in.
    const renewals = auth.at('/token').filter(({ body }) => body.includes('grant_type=refresh_token')).length;
    expect(renewals).toBe(status === 401 ? 1 : 0);
    expect(server.requests.filter(({ body }) => body.includes('"tools/call"'))).toHaveLength(renewals + 2);
    expect(world.opened).toHaveLength(2);
  },
);
