import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { SignInClient } from '../../../preload/contract/signIn.ts';
import { memoryKeychain } from '../../doubles/hostParts.ts';
import type { AuthServer } from '../../servers/authServer.ts';
import { type IdentityProvider, type IdentityProviderOptions, startIdentityProvider } from '../../servers/identityProvider.ts';
import {
  authServer,
  hasProblem,
  isReady,
  problemOf,
  protectedServer,
  signInWorld,
  type SignInWorld,
  textOf,
  tokensTo,
  wantsSignIn,
} from './signInWorld.ts';

const clientSecret = 'canary-of-the-client-secret';

async function identityProvider(options?: IdentityProviderOptions): Promise<IdentityProvider> {
  const provider = await startIdentityProvider(options);
  onTestFinished(() => provider.close());
  return provider;
}

/** An authorization server that trusts this provider. */
const trusting = (idp: IdentityProvider): Promise<AuthServer> =>
  authServer({ registration: 'none', organization: { clientId: 'maitre-there', clientSecret, verify: idp.verify } });

const clientAt = (idp: IdentityProvider, more: Partial<Extract<SignInClient, { kind: 'organization' }>> = {}): SignInClient => ({
  kind: 'organization',
  clientId: 'maitre-there',
  clientSecret,
  idpIssuer: idp.issuer,
  idpClientId: 'maitre-at-work',
  ...more,
});

/** Adds a server and enters what its organization told about it. */
async function setUp(world: SignInWorld, url: string, client: SignInClient): Promise<ServerId> {
  const id = await world.add(url);
  await world.when(id, wantsSignIn);
  await world.host.run('server.setClient', { serverId: id, client });
  await world.when(id, wantsSignIn);
  return id;
}

async function signedIn(world: SignInWorld, url: string, client: SignInClient): Promise<ServerId> {
  const id = await setUp(world, url, client);
  await world.host.run('server.signIn', { serverId: id });
  await world.when(id, isReady);
  return id;
}

test('one sign-in at the organization’s identity provider gives access, and the page of the authorization server is never opened', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const server = await protectedServer(auth, { scopes: ['files.read'] });
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));

  const { status } = await world.when(id, wantsSignIn);
  expect(status).toMatchObject({ issuer: auth.issuer, identityProvider: idp.issuer, scopes: ['files.read'], resource: server.url });
  const [provider, there] = [idp.issuer, auth.issuer].map((issuer) => new URL(issuer).host);
  expect(status).toHaveProperty(
    'words',
    `${provider} will ask you to sign in with your organization. It is then asked to let you use "Server ${server.url.split(':').at(-1)}", whose access ${there} gives out: “files.read”.`,
  );
  expect([world.opened, idp.pages, idp.exchanges, auth.at('/token')]).toEqual([[], [], [], []]);

  const { asked } = await world.host.run('server.signIn', { serverId: id });
  expect(asked.identityProvider).toBe(idp.issuer);
  const ready = await world.when(id, isReady);
  expect(ready.account).toEqual({ signedIn: true, issuer: auth.issuer, identityProvider: idp.issuer, scopes: ['files.read'] });

  const [page] = idp.pages;
  expect(Object.fromEntries(page ?? [])).toMatchObject({
    response_type: 'code',
    client_id: 'maitre-at-work',
    scope: 'openid offline_access',
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
  });
  expect(page?.has('resource')).toBe(false);
  expect(Object.fromEntries(idp.exchanges[0] ?? [])).toMatchObject({
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: auth.issuer,
    resource: server.url,
    scope: 'files.read',
    client_id: 'maitre-at-work',
  });
  expect(world.opened).toHaveLength(1);
  expect([auth.at('/authorize'), auth.at('/register')]).toEqual([[], []]);

  expect(textOf(await world.call(id, 'echo', { text: 'hello' }))).toBe('hello');
  // A token of the server that has ended is replaced without anybody: the organization is asked again.
  auth.revoke('access');
  expect(textOf(await world.call(id, 'echo', { text: 'again' }))).toBe('again');
  expect(idp.exchanges).toHaveLength(2);
  expect(world.opened).toHaveLength(1);
});

test.each<[string, IdentityProviderOptions, RegExp]>([
  ['of another nonce', { claims: () => ({ nonce: 'guessed' }) }, /does not belong to what was asked for/],
  ['without a nonce', { claims: () => ({ nonce: undefined }) }, /does not belong to what was asked for/],
  ['for another application', { claims: () => ({ aud: 'somebody-else' }) }, /is meant for another application/],
  ['for several, and given to another', { claims: () => ({ aud: ['maitre-at-work', 'b'], azp: 'b' }) }, /is meant for another application/],
  ['for several, and given to nobody by name', { claims: () => ({ aud: ['maitre-at-work', 'b'] }) }, /is meant for another application/],
  ['in the name of another provider', { claims: () => ({ iss: 'https://attacker.example' }) }, /is in the name of somebody else/],
  ['that has ended', { lifetime: -120 }, /has ended already/],
  ['that somebody else signed', { foreignKey: true }, /it has not signed itself/],
])('an ID token %s is not taken, and nothing is asked for with it', async (_what, options, words) => {
  const idp = await identityProvider(options);
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(words);
  expect([idp.exchanges, auth.at('/token')]).toEqual([[], []]);
  const { status } = await world.when(id, hasProblem);
  expect(status).toHaveProperty('words', expect.stringContaining('will ask you to sign in with your organization'));
});

test.each<[string, IdentityProviderOptions]>([
  ['another provider', { iss: () => 'https://attacker.example' }],
  ['nobody, where a name is promised', { iss: () => undefined, metadata: { authorization_response_iss_parameter_supported: true } }],
])('an answer from %s is thrown away before its code goes anywhere (RFC 9207)', async (_what, options) => {
  const idp = await identityProvider(options);
  const server = await protectedServer(await trusting(idp));
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(/did not come from 127\.0\.0\.1/);
  expect(idp.secrets).toHaveLength(1);
});

test('a provider that answers in the name of another one is not opened', async () => {
  const idp = await identityProvider({ metadata: { issuer: 'https://login.example.com' } });
  const server = await protectedServer(await trusting(idp));
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));
  expect(await world.host.refused('server.signIn', { serverId: id })).toMatchObject({
    message: expect.stringContaining('answers in the name of another identity provider'),
    detail: expect.stringContaining('login.example.com'),
  });
  expect(world.opened).toEqual([]);
});

test('an ID token that is about to end is renewed first, with a refresh token that is good for one use', async () => {
  const idp = await identityProvider({ lifetime: 20 });
  const server = await protectedServer(await trusting(idp));
  const world = await signInWorld();
  await signedIn(world, server.url, clientAt(idp));
  expect(idp.renewals).toHaveLength(1);
  expect(idp.exchanges).toHaveLength(1);
  expect(world.opened).toHaveLength(1);
});

test('an ID token that was ended at the provider is renewed, and the call that needed it goes on', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await signedIn(world, server.url, clientAt(idp));
  idp.revoke('idTokens');
  auth.revoke('access');
  expect(textOf(await world.call(id, 'echo', { text: 'on' }))).toBe('on');
  expect(idp.renewals).toHaveLength(1);
  // The one that came with it is the one that counts from now on.
  idp.revoke('idTokens');
  auth.revoke('access');
  expect(textOf(await world.call(id, 'echo', { text: 'and on' }))).toBe('and on');
  expect(new Set(idp.renewals.map((params) => params.get('refresh_token'))).size).toBe(2);
  expect(world.opened).toHaveLength(1);
});

test('a renewed ID token of somebody else is not taken', async () => {
  const idp = await identityProvider({ lifetime: 20, claims: (renewed) => (renewed ? { sub: 'somebody-else' } : {}) });
  const server = await protectedServer(await trusting(idp));
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(/is that of somebody else/);
  expect(idp.exchanges).toEqual([]);
});

test('a sign-in that was revoked at the provider becomes a sign-in there on the call, which goes on after it', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await signedIn(world, server.url, clientAt(idp));
  idp.revoke('all');
  auth.revoke('access');
  const words: (string | undefined)[] = [];
  const call = await world.call(id, 'echo', { text: 'after' }, (input) => {
    words.push(`${input.kind} ${input.signIn?.identityProvider} ${input.signIn?.words}`);
    return { action: 'accept' };
  });
  expect(textOf(call)).toBe('after');
  expect(words).toEqual([expect.stringMatching(/^signIn http.* has ended\. 127.* will ask you to sign in with your organization\./)]);
  expect(words[0]).toContain(idp.issuer);
  expect(world.opened).toHaveLength(2);
  expect(auth.at('/authorize')).toEqual([]);
});

test('a further permission is asked for on the call and comes from the organization, without a page', async () => {
  const idp = await identityProvider();
  const server = await protectedServer(await trusting(idp), { scopes: ['read'], writeScope: 'write' });
  const world = await signInWorld();
  const id = await signedIn(world, server.url, clientAt(idp));
  const words: (string | undefined)[] = [];
  const call = await world.call(id, 'write', { text: 'it' }, (input) => (words.push(input.signIn?.words), { action: 'accept' }));
  expect(textOf(call)).toBe('wrote it');
  expect(words).toEqual([expect.stringMatching(/needs a further permission.*already.*“read”, “write”/)]);
  expect(idp.exchanges.map((params) => params.get('scope'))).toEqual(['read', 'read write']);
  expect(world.opened).toHaveLength(1);
});

test('what the organization does not allow is told in words, and no further page opens', async () => {
  const idp = await identityProvider({ policy: () => 'access_denied' });
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await setUp(world, server.url, clientAt(idp));
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(
    /^Your organization \(127\.0\.0\.1:\d+\) does not let you use 127\.0\.0\.1:\d+ from here\./,
  );
  expect(await world.host.refused('server.signIn', { serverId: id })).toMatchObject({
    message: expect.stringContaining('Your organization'),
  });
  expect(world.opened).toHaveLength(1);
  expect(auth.at('/token')).toEqual([]);
});

test('two servers share a sign-in only when both were set up for it and the person says so at each; the last sign-out revokes it', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const [one, two, other] = [await protectedServer(auth), await protectedServer(auth), await protectedServer(auth)];
  const world = await signInWorld();
  const first = await signedIn(world, one.url, clientAt(idp));

  const second = await setUp(world, two.url, clientAt(idp));
  const { status } = await world.when(second, wantsSignIn);
  expect(status).toHaveProperty('words', expect.stringContaining('already; its page opens only if that has ended'));
  expect(idp.exchanges).toHaveLength(1);
  await world.host.run('server.signIn', { serverId: second });
  await world.when(second, isReady);
  expect(world.opened).toHaveLength(1);
  expect(idp.exchanges.map((params) => params.get('resource'))).toEqual([one.url, two.url]);
  const [ofOne, ofTwo] = [one, two].map((server) => tokensTo(server).findLast((token) => token !== undefined));
  expect(ofOne).not.toBe(ofTwo);

  // Another client at the same provider is another sign-in.
  const third = await signedIn(world, other.url, clientAt(idp, { idpClientId: 'maitre-elsewhere' }));
  expect(world.opened).toHaveLength(2);

  await world.host.run('server.signOut', { serverId: first });
  await world.when(first, wantsSignIn);
  expect(idp.revocations).toEqual([]);
  auth.revoke('access');
  expect(textOf(await world.call(second, 'echo', { text: 'still' }))).toBe('still');
  // Nothing brings the first one back by itself, though the sign-in is there.
  await world.host.run('server.restart', { serverId: first });
  expect((await world.when(first, wantsSignIn)).status.state).toBe('needsSignIn');
  expect(idp.exchanges.filter((params) => params.get('resource') === one.url)).toHaveLength(1);

  await world.host.run('server.signOut', { serverId: second });
  expect(idp.revocations.map((params) => [params.get('client_id'), params.get('token_type_hint')])).toEqual([
    ['maitre-at-work', 'refresh_token'],
  ]);
  await world.host.run('server.remove', { serverId: third });
  expect(idp.revocations).toHaveLength(2);
});

test('of sign-ins that were open at a time one person’s serve each other, and another person’s takes their place', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const servers = [await protectedServer(auth), await protectedServer(auth), await protectedServer(auth)];
  const world = await signInWorld();
  world.browse(async () => undefined);
  const ids: ServerId[] = [];
  for (const { url } of servers) ids.push(await setUp(world, url, clientAt(idp)));
  for (const serverId of ids) await world.host.run('server.signIn', { serverId });
  const [first, second, third] = ids;
  if (!first || !second || !third) throw new Error('Three servers were added.');
  const finish = async (id: ServerId, index: number) => {
    await fetch(world.opened[index] ?? '');
    await world.when(id, isReady);
  };
  await finish(first, 0);
  await finish(second, 1);
  auth.revoke('access');
  expect(textOf(await world.call(first, 'echo', { text: 'shared' }))).toBe('shared');

  idp.subject('person-2');
  await finish(third, 2);
  auth.revoke('access');
  const forOthers = () => idp.exchanges.filter((params) => params.get('resource') !== servers[2]?.url).length;
  const before = forOthers();
  let asked = 0;
  for (const id of [first, second])
    expect((await world.call(id, 'echo', { text: 'x' }, () => (asked++, { action: 'decline' }))).state).toBe('failed');
  expect(asked).toBe(2);
  expect(forOthers()).toBe(before);
});

test('a server that moves to another address does not get a permission from the organization by itself', async () => {
  const idp = await identityProvider();
  const auth = await trusting(idp);
  const [one, elsewhere] = [await protectedServer(auth), await protectedServer(auth)];
  const world = await signInWorld();
  const id = await signedIn(world, one.url, clientAt(idp));
  const { server } = await world.host.run('server.update', { serverId: id, configJson: JSON.stringify({ url: elsewhere.url }) });
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  await world.host.run('server.consent', { serverId: id, configHash: consent?.configHash ?? '', allow: true });
  await world.when(id, wantsSignIn);
  expect(idp.exchanges).toHaveLength(1);
  expect(tokensTo(elsewhere).every((token) => token === undefined)).toBe(true);
});

test('the sign-in survives a restart of the host, and its client proves itself by header where the provider wants that', async () => {
  const idp = await identityProvider({ clientSecret: 'canary-of-the-idp-secret' });
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const keychain = memoryKeychain();
  const world = await signInWorld({ ports: { keychain } });
  const id = await signedIn(world, server.url, clientAt(idp, { idpClientSecret: 'canary-of-the-idp-secret' }));
  await world.host.close();
  idp.revoke('idTokens');
  auth.revoke('access');
  const again = await signInWorld({ dataDir: world.host.dataDir, ports: { keychain } });
  const ready = await again.when(id, isReady);
  expect(ready.account).toMatchObject({ signedIn: true, identityProvider: idp.issuer });
  expect(again.opened).toEqual([]);
  expect(idp.renewals).toHaveLength(1);
});

test('nothing secret of the whole way stands readable in events, logs, traces, details, the audit or files', async () => {
  const idp = await identityProvider({ clientSecret: 'canary-of-the-idp-secret', lifetime: 20 });
  const auth = await trusting(idp);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await signedIn(world, server.url, clientAt(idp, { idpClientSecret: 'canary-of-the-idp-secret' }));
  expect(textOf(await world.call(id, 'echo', { text: 'hello' }))).toBe('hello');
  const { entries } = await world.host.run('trace.list', { limit: 500 });
  const traced = await Promise.all(entries.map(({ id: entryId }) => world.host.run('trace.read', { entryId })));
  expect(JSON.stringify(traced)).toContain('tools/call');
  const { json: bundle } = await world.host.run('trace.bundle', { serverId: id });
  const rows = await world.host.run('audit.list', { limit: 100 });
  const details = await world.host.run('server.details', { serverId: id });
  const listed = await world.host.run('server.list', {});
  const told = JSON.stringify([world.host.events, world.host.log.lines, traced, bundle, rows, details, listed]);
  await world.host.close();
  const files = readdirSync(world.host.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
  const secrets = [...idp.secrets, ...auth.secrets, clientSecret, 'canary-of-the-idp-secret'];
  // Codes, two ID tokens, two refresh tokens, an assertion, the token of the server.
  expect(secrets.length).toBeGreaterThan(8);
  for (const secret of secrets) {
    expect(told.includes(secret)).toBe(false);
    expect(files.some((text) => text.includes(secret))).toBe(false);
  }
});
