import { expect, onTestFinished, test } from 'vitest';
import { AuthFailure } from '../../../main/host/auth/authFailure.ts';
import type { AuthChallenge } from '../../../main/host/auth/challenge.ts';
import { discoverAuthority, firstScope, requirePkce } from '../../../main/host/auth/discovery.ts';
import { typedHostOf } from '../../../main/host/net/addressPolicy.ts';
import { createGuardedFetch } from '../../../main/host/net/guardedFetch.ts';
import type { AuthServer } from '../../servers/authServer.ts';
import { startIdentityProvider } from '../../servers/identityProvider.ts';
import type { ProtectedServer } from '../../servers/protectedServer.ts';
import { authServer, protectedServer } from './signInWorld.ts';

const discover = (url: string, challenge?: Partial<AuthChallenge>, preferredIssuer?: string) =>
  discoverAuthority(url, challenge && { status: 401, ...challenge }, {
    fetch: createGuardedFetch({ typed: typedHostOf(url) }),
    preferredIssuer,
  });

const wellKnown = ({ requests }: ProtectedServer) => requests.map(({ path }) => path).filter((path) => path.includes('well-known'));
const asked = ({ requests }: AuthServer) => requests.map(({ path }) => path);

test('the metadata that the challenge names is the only one asked for; without it the form with the path, then the root (A2, fault 68)', async () => {
  const auth = await authServer();
  const named = await protectedServer(auth, { metadataPath: '/elsewhere' });
  expect((await discover(named.url, { resourceMetadata: `${named.origin}/elsewhere` })).issuer).toBe(auth.issuer);
  expect(wellKnown(named)).toEqual([]);
  const byPath = await protectedServer(auth);
  await discover(byPath.url);
  expect(wellKnown(byPath)).toEqual(['/.well-known/oauth-protected-resource/mcp']);
  const atRoot = await protectedServer(auth, { metadataPath: '/.well-known/oauth-protected-resource' });
  await discover(atRoot.url);
  expect(wellKnown(atRoot)).toEqual(['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']);
});

test('the metadata of an authorization server with a path is looked for in the three places, in their order (A5)', async () => {
  const auth = await authServer({ path: '/t1', metadataBody: 'nonsense' });
  const server = await protectedServer(auth, { issuers: () => [`${auth.origin}/t2`] });
  await expect(discover(server.url)).rejects.toThrow(/does not say how/);
  expect(asked(auth)).toEqual([
    '/.well-known/oauth-authorization-server/t2',
    '/.well-known/openid-configuration/t2',
    '/t2/.well-known/openid-configuration',
  ]);
});

test.each([
  ['another origin', () => 'https://other.example/mcp'],
  ['another path of the same origin', (origin: string) => `${origin}/other`],
  ['a deeper path', (origin: string) => `${origin}/mcp/deeper`],
  ['no address', () => 'not an address'],
])('metadata for %s is refused before any authorization server is asked (A3)', async (_what, resource) => {
  const auth = await authServer();
  const server = await protectedServer(auth, { resource });
  await expect(discover(server.url)).rejects.toBeInstanceOf(AuthFailure);
  expect(auth.requests).toEqual([]);
});

test.each([
  ['the origin', (origin: string) => origin],
  ['the origin with a slash', (origin: string) => `${origin}/`],
  ['the address with a slash', (origin: string) => `${origin}/mcp/`],
  ['the address', (origin: string) => `${origin}/mcp`],
])('%s denotes the server, and is kept letter by letter (A8, fault 67)', async (_what, resource) => {
  const server = await protectedServer(await authServer(), { resource });
  for (const url of [server.url, `${server.url}/`]) {
    expect((await discover(url, { resourceMetadata: `${server.origin}/.well-known/oauth-protected-resource/mcp` })).resource).toBe(
      server.resource,
    );
  }
});

test.each([
  ['another issuer', () => ({ issuer: 'https://attacker.example' })],
  ['an issuer with a slash more', (origin: string) => ({ issuer: `${origin}/` })],
])('metadata in the name of %s is thrown away (A6)', async (_what, metadata) => {
  const server = await protectedServer(await authServer({ metadata }));
  await expect(discover(server.url)).rejects.toThrow(/in the name of somebody else/);
});

test('an issuer that is named with a slash more than its metadata has is another one (A6)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, { issuers: () => [`${auth.issuer}/`] });
  await expect(discover(server.url)).rejects.toThrow(/in the name of somebody else/);
});

test('of several authorization servers the one is taken that was used before (A4)', async () => {
  const [one, two] = [await authServer(), await authServer()];
  const server = await protectedServer(one, { issuers: () => [one.issuer, two.issuer] });
  expect(await discover(server.url)).toMatchObject({ issuer: one.issuer, issuers: [one.issuer, two.issuer] });
  expect((await discover(server.url, undefined, two.issuer)).issuer).toBe(two.issuer);
  expect((await discover(server.url, undefined, 'https://gone.example')).issuer).toBe(one.issuer);
});

test('without S256 in the metadata no sign-in is begun (A7)', async () => {
  for (const methods of [undefined, [], ['plain']]) {
    const server = await protectedServer(await authServer({ metadata: () => ({ code_challenge_methods_supported: methods }) }));
    const authority = await discover(server.url);
    expect(() => requirePkce(authority)).toThrow(/PKCE/);
  }
});

test.each([
  ['javascript:alert(1)'],
  ['data:text/html,<script>'],
  ['file:///etc/passwd'],
  ['my-app://callback'],
  ['http://auth.example.com/authorize'],
  ['https://user:password@auth.example.com/authorize'],
  ['https://169.254.169.254/authorize'],
])('an authorization server that names %s as a page or place is not used (A15, S14)', async (address) => {
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
    const server = await protectedServer(await authServer({ metadata: () => ({ [endpoint]: address }) }));
    await expect(discover(server.url)).rejects.toBeInstanceOf(AuthFailure);
  }
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://10.0.0.1/',
  'http://public.example/',
  'file:///etc/passwd',
])('discovery that is sent to %s goes nowhere, as metadata and as issuer (S10, S11)', async (address) => {
  const auth = await authServer();
  const server = await protectedServer(auth, { issuers: () => [address] });
  await expect(discover(server.url, { resourceMetadata: address })).rejects.toThrow(/was not asked for/);
  await expect(discover(server.url)).rejects.toBeInstanceOf(AuthFailure);
  expect(auth.requests).toEqual([]);
});

test('metadata that never ends is left, and metadata that is none is told in words (S15)', async () => {
  for (const metadataBody of ['endless', 'nonsense'] as const) {
    const server = await protectedServer(await authServer({ metadataBody }));
    await expect(discover(server.url)).rejects.toThrow(/^Reading how to sign in at http:\/\/127\.0\.0\.1:\d+ failed/);
  }
});

test('a server of 2025-03-26 is its own authorization server, and gets no resource (3.6)', async () => {
  const auth = await authServer();
  expect(await discover(`${auth.origin}/mcp`)).toMatchObject({ issuer: auth.origin, resource: undefined, supportedScopes: undefined });
});

test('the permissions are those of the challenge, else those of the metadata, else none by name (S70)', async () => {
  const server = await protectedServer(await authServer(), { scopes: ['a', 'b'] });
  const authority = await discover(server.url);
  expect(firstScope(authority, { status: 401, scope: 'c' })).toBe('c');
  expect(firstScope(authority, { status: 401 })).toBe('a b');
  expect(firstScope({ ...authority, supportedScopes: undefined }, undefined)).toBeUndefined();
});

test('staying signed in is asked for only where the authorization server itself offers it', async () => {
  const offers = await authServer({ metadata: () => ({ scopes_supported: ['offline_access', 'z'] }) });
  const authority = await discover((await protectedServer(offers, { scopes: ['a'] })).url);
  expect(firstScope(authority, undefined)).toBe('a offline_access');
  const silent = await discover((await protectedServer(await authServer(), { scopes: ['a'] })).url);
  expect(firstScope(silent, undefined)).toBe('a');
});

test('what a document of OpenID Connect says of revocation and of bound tokens counts as in one of RFC 8414', async () => {
  const idp = await startIdentityProvider({ metadata: { dpop_signing_alg_values_supported: ['ES256'] } });
  onTestFinished(() => idp.close());
  const server = await protectedServer(await authServer(), { issuers: () => [idp.issuer] });
  expect((await discover(server.url)).metadata).toMatchObject({
    revocation_endpoint: `${idp.issuer}/revoke`,
    dpop_signing_alg_values_supported: ['ES256'],
  });
});
