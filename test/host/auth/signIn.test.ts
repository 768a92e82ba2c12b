import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { memoryKeychain } from '../../doubles/hostParts.ts';
import { testServer } from '../mcp/harness.ts';
import { authServer, hasProblem, isReady, problemOf, protectedServer, signInWorld, textOf, tokensTo, wantsSignIn } from './signInWorld.ts';

test('nothing is opened before the person says so, and what will be asked for is known before (S6, S70)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, { scopes: ['files.read', 'openid'] });
  const world = await signInWorld();
  const id = await world.add(server.url);

  const waiting = await world.when(id, wantsSignIn);
  expect(waiting.status).toMatchObject({ issuer: auth.issuer, scopes: ['files.read', 'openid'], resource: server.url });
  expect(waiting.status).toHaveProperty(
    'words',
    expect.stringMatching(/127\.0\.0\.1:\d+ will ask you to sign in.*“files.read”, know who you are/),
  );
  expect(world.opened).toEqual([]);
  expect(auth.at('/authorize')).toEqual([]);
  expect(auth.at('/register')).toEqual([]);

  const { asked } = await world.host.run('server.signIn', { serverId: id });
  expect(asked.scopes).toEqual(['files.read', 'openid']);
  const ready = await world.when(id, isReady);
  expect(ready.account).toEqual({ signedIn: true, issuer: auth.issuer, scopes: ['files.read', 'openid'] });
  expect(textOf(await world.call(id, 'echo', { text: 'hello' }))).toBe('hello');
  expect(world.opened).toHaveLength(1);
});

test('the authorization request carries PKCE, state and the resource as advertised, and a native client was registered (A7, A8, A10)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, { resource: (origin) => origin });
  const world = await signInWorld();
  await world.signedIn(server.url);
  const [request] = auth.at('/authorize');
  expect(request?.params.get('resource')).toBe(server.origin);
  expect(request?.params.get('code_challenge_method')).toBe('S256');
  expect(request?.params.get('state')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(request?.params.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(new URLSearchParams(auth.at('/token')[0]?.body).get('resource')).toBe(server.origin);
  expect(JSON.parse(auth.at('/register')[0]?.body ?? '{}')).toMatchObject({
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  });
});

test('two servers with one authorization server get tokens of their own, which never cross (S1)', async () => {
  const auth = await authServer();
  const [one, two] = [await protectedServer(auth), await protectedServer(auth)];
  const world = await signInWorld();
  await world.signedIn(one.url);
  const second = await world.add(two.url);
  await world.when(second, wantsSignIn);
  await world.host.run('server.signIn', { serverId: second });
  await world.when(second, isReady);
  const [ofOne, ofTwo] = [tokensTo(one), tokensTo(two)].map((tokens) => new Set(tokens.filter((token) => token !== undefined)));
  expect(ofOne?.size).toBe(1);
  expect(ofTwo?.size).toBe(1);
  expect([...(ofOne ?? [])]).not.toEqual([...(ofTwo ?? [])]);
});

test('two resources on one origin are told apart by the address in the challenge (fault 68)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, {
    path: '/team/mcp',
    metadataPath: '/.well-known/oauth-protected-resource/team/mcp',
    // At the root stands the metadata of somebody else.
    before: (request) => (request.url === '/.well-known/oauth-protected-resource' ? { status: 500 } : undefined),
  });
  const world = await signInWorld();
  await world.signedIn(server.url);
  expect(auth.at('/authorize')[0]?.params.get('resource')).toBe(server.url);
});

test('a slash at the end of the advertised resource or of the typed address changes neither (fault 67)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, { path: '/mcp', resource: (origin) => `${origin}/` });
  const world = await signInWorld();
  await world.signedIn(server.url);
  expect(auth.at('/authorize')[0]?.params.get('resource')).toBe(`${server.origin}/`);
});

test('a revoked token in the middle of a chat becomes a sign-in on that call, which goes on after it', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  auth.revoke('all');
  const questions: string[] = [];
  const call = await world.call(id, 'echo', { text: 'after' }, (input) => {
    questions.push(`${input.kind} ${input.callId === undefined ? 'no call' : 'call'} ${input.signIn?.words}`);
    return { action: 'accept' };
  });
  expect(textOf(call)).toBe('after');
  expect(questions).toEqual([expect.stringMatching(/^signIn call Your sign-in for "Server .*" has ended\. 127/)]);
  expect(world.opened).toHaveLength(2);
});

test('a sign-in that is declined in a chat ends the call in words, and is not asked for again by itself (S71)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  auth.revoke('all');
  let asked = 0;
  const decline = () => (asked++, { action: 'decline' as const });
  const words = async () => JSON.stringify(await world.call(id, 'echo', { text: 'x' }, decline));
  expect(await words()).toMatch(/wants a sign-in first, which you declined\./);
  expect(await words()).toMatch(/wants a sign-in first, which you declined before\. Sign in on its page\./);
  expect(asked).toBe(1);
  expect(world.opened).toHaveLength(1);
});

test('a missing permission is asked for on the call, together with what was given before, and the call goes on (A17)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth, { scopes: ['read'], writeScope: 'write' });
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  const words: (string | undefined)[] = [];
  const call = await world.call(id, 'write', { text: 'it' }, (input) => (words.push(input.signIn?.words), { action: 'accept' }));
  expect(textOf(call)).toBe('wrote it');
  expect(words).toEqual([expect.stringContaining('needs a further permission')]);
  expect(auth.at('/authorize').map(({ params }) => params.get('scope'))).toEqual(['read', 'read write']);
});

test('of calls that are refused together one renews the token, the others follow (rotation, single flight)', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const auth = await authServer({ rotates: true, beforeRefresh: gate });
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  auth.revoke('access');
  const before = server.requests.length;
  const calls = [1, 2, 3, 4].map((n) => world.call(id, 'echo', { text: String(n) }));
  // All four have been refused before the first renewal is answered.
  while (tokensTo(server).length < 4 || server.requests.length - before < 4) await new Promise((resolve) => setImmediate(resolve));
  open();
  expect((await Promise.all(calls)).map(textOf)).toEqual(['1', '2', '3', '4']);
  expect(auth.at('/token').filter(({ body }) => body.includes('grant_type=refresh_token'))).toHaveLength(1);
  expect(world.opened).toHaveLength(1);
});

test('signing out revokes, forgets, and connects without a token; what comes back is a sign-in (S72)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  await world.host.run('server.signOut', { serverId: id });
  const after = await world.when(id, wantsSignIn);
  expect(after.account).toBeUndefined();
  const revoked = auth.at('/revoke').map(({ body }) => new URLSearchParams(body).get('token_type_hint'));
  expect(revoked).toEqual(['refresh_token', 'access_token']);
  expect(tokensTo(server).at(-1)).toBeUndefined();
});

test('a sign-in survives a restart of the host, with its refresh token', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const keychain = memoryKeychain();
  const world = await signInWorld({ ports: { keychain } });
  const id = await world.signedIn(server.url);
  await world.host.close();
  auth.revoke('access');
  const again = await signInWorld({ dataDir: world.host.dataDir, ports: { keychain } });
  const ready = await again.when(id, isReady);
  expect(ready.account).toMatchObject({ signedIn: true, issuer: auth.issuer });
  expect(again.opened).toEqual([]);
  expect(auth.at('/token').at(-1)?.body).toContain('grant_type=refresh_token');
});

test('no token stands readable in events, logs, traces, files, details or the environment of a program (A14, S2, S7)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  expect(textOf(await world.call(id, 'echo', { text: 'hello' }))).toBe('hello');
  const program = await world.addProgram(process.execPath, [testServer('tellsEnvironment')]);
  await world.when(program, isReady);
  const environment = textOf(await world.call(program, 'environment', {}));
  expect(environment).toContain('PATH');
  const { entries } = await world.host.run('trace.list', { limit: 500 });
  const traced = await Promise.all(entries.map(({ id: entryId }) => world.host.run('trace.read', { entryId })));
  expect(JSON.stringify(traced)).toContain('tools/call');
  const { json: bundle } = await world.host.run('trace.bundle', { serverId: id });

  const told = JSON.stringify([world.host.events, world.host.log.lines, environment, traced, bundle]);
  const details = JSON.stringify(await world.host.run('server.details', { serverId: id }));
  await world.host.close();
  const files = readdirSync(world.host.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
  expect(auth.secrets.length).toBeGreaterThan(2);
  for (const secret of auth.secrets) {
    expect(told.includes(secret)).toBe(false);
    expect(details.includes(secret)).toBe(false);
    expect(files.some((text) => text.includes(secret))).toBe(false);
  }
});

test('an address that is not encrypted gets no sign-in and no header with a secret, and its page says so', async () => {
  const world = await signInWorld();
  const id = await world.add('http://mcp.invalid/mcp', { 'X-Api-Key': 'canary-of-the-header', 'X-Plain': 'seen' });
  expect(await world.host.refused('server.signIn', { serverId: id })).toMatchObject({
    code: 'notAllowed',
    message: expect.stringContaining('is not encrypted'),
  });
  const { details } = await world.host.run('server.details', { serverId: id });
  expect(details.warnings).toEqual([expect.stringMatching(/^Not encrypted: .*these headers are not sent: X-Api-Key\./)]);
});

test('a server over HTTP with SSE whose endpoint lies on another origin is refused, and that origin hears nothing', async () => {
  const seen: string[] = [];
  const listen = async (listener: RequestListener): Promise<string> => {
    const made = createServer(listener);
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      made.closeAllConnections();
      made.close();
    });
    const address = made.address();
    return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  };
  const elsewhere = await listen((request, response) => (seen.push(request.url ?? ''), response.end()));
  const origin = await listen((request, response) => {
    if (request.method === 'POST') return void response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${elsewhere}/messages\n\n`);
  });
  const world = await signInWorld();
  const id = await world.add(`${origin}/sse`);
  const server = await world.when(id, ({ status }) => status.state === 'failed');
  expect(server.status).toMatchObject({ failure: { message: expect.stringContaining(`to another origin than its own (${elsewhere})`) } });
  expect(seen).toEqual([]);
});

test('a token does not follow a redirect of the server to another origin (A13)', async () => {
  const auth = await authServer();
  const seen: string[] = [];
  const thief = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.authorization}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void thief.close());
  const address = thief.address();
  const elsewhere = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}/` : '';
  let redirecting = false;
  const server = await protectedServer(auth, {
    before: (_request, body) =>
      redirecting && body.includes('tools/call') ? { status: 307, headers: { location: elsewhere } } : undefined,
  });
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  redirecting = true;
  expect((await world.call(id, 'echo', { text: 'x' })).state).toBe('failed');
  expect(seen).toEqual([]);
});

test('an answer that carries a strange state is thrown away, and the right one still counts (A10)', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  world.browse(async (url) => {
    const redirect = new URL(url).searchParams.get('redirect_uri') ?? '';
    expect((await fetch(`${redirect}?code=stolen&state=guessed`)).status).toBe(200);
    expect((await fetch(`${redirect}?code=stolen`)).status).toBe(200);
    await fetch(url);
    // Used once: nobody listens any more.
    await expect(fetch(`${redirect}?code=late&state=${new URL(url).searchParams.get('state')}`)).rejects.toThrow();
  });
  await world.signedIn(server.url);
  expect(auth.at('/token')).toHaveLength(1);
});

test.each([
  ['another issuer', { iss: () => 'https://attacker.example' }],
  ['an issuer that differs by a slash', { iss: (origin: string) => `${origin}/` }],
  ['no issuer where one is promised', { metadata: () => ({ authorization_response_iss_parameter_supported: true }) }],
])('an answer from %s is refused before its code goes anywhere (A11, RFC 9207)', async (_what, options) => {
  const auth = await authServer(options);
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(/did not come from 127\.0\.0\.1/);
  expect(auth.at('/token')).toEqual([]);
});

test('an error from another issuer is not shown (A12), one from the right issuer is told in words', async () => {
  const foreign = await authServer({ authorizationError: 'access_denied', iss: () => 'https://attacker.example' });
  const right = await authServer({ authorizationError: 'access_denied' });
  const world = await signInWorld();
  const problems: string[] = [];
  for (const auth of [foreign, right]) {
    const id = await world.add((await protectedServer(auth)).url);
    await world.when(id, wantsSignIn);
    await world.host.run('server.signIn', { serverId: id });
    problems.push(problemOf(await world.when(id, hasProblem)));
  }
  expect(problems).toEqual([expect.stringMatching(/did not come from/), expect.stringMatching(/was declined there/)]);
});

test.each([
  ['more permissions than were asked for', { scope: () => 'read admin' }, /more permissions than were asked for \(admin\)/],
  [
    'a token for another server',
    { accessToken: () => `e30.${Buffer.from(JSON.stringify({ aud: 'https://other.example' })).toString('base64url')}.x` },
    /for https:\/\/other\.example, which is another server/,
  ],
])('%s is not taken (S1)', async (_what, options, words) => {
  const auth = await authServer(options);
  const server = await protectedServer(auth, { scopes: ['read'] });
  const world = await signInWorld();
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  await world.host.run('server.signIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toMatch(words);
  expect(tokensTo(server).every((token) => token === undefined)).toBe(true);
});

test('a sign-in can be given up, and be begun again', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  world.browse(async () => undefined);
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  await world.host.run('server.signIn', { serverId: id });
  const open = await world.when(id, ({ signingIn }) => signingIn?.url !== undefined);
  expect(open.signingIn?.url).toBe(world.opened[0]);
  await world.host.run('server.cancelSignIn', { serverId: id });
  expect(problemOf(await world.when(id, hasProblem))).toBe('The sign-in was cancelled.');
  world.browse(fetch);
  await world.host.run('server.signIn', { serverId: id });
  await world.when(id, isReady);
});

test('nobody listens for the browser any more when the server is switched off or the host has closed', async () => {
  const auth = await authServer();
  const server = await protectedServer(auth);
  const world = await signInWorld();
  world.browse(async () => undefined);
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  const end = [() => world.host.run('server.setEnabled', { serverId: id, enabled: false }), () => world.host.close()];
  for (const stop of end) {
    await world.host.run('server.setEnabled', { serverId: id, enabled: true });
    await world.when(id, wantsSignIn);
    await world.host.run('server.signIn', { serverId: id });
    await world.when(id, ({ signingIn }) => signingIn !== undefined);
    await stop();
    const redirect = new URL(world.opened.at(-1) ?? '').searchParams.get('redirect_uri') ?? '';
    await expect(fetch(redirect)).rejects.toThrow('fetch failed');
  }
});

test('a sign-in that waits for its token is given up when the host closes, and nothing of it comes after', async () => {
  const asked = Promise.withResolvers<void>();
  const hungUp = Promise.withResolvers<void>();
  const silent = createServer((request) => {
    request.socket.on('close', hungUp.resolve);
    asked.resolve();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const auth = await authServer({ metadata: () => ({ token_endpoint: `http://127.0.0.1:${port}/token` }) });
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  await world.host.run('server.signIn', { serverId: id });
  await asked.promise;
  await world.host.close();
  await hungUp.promise;
  // What fails after the end of the database would be a rejection that nobody handles, which fails the run of this file.
  await expect.poll(() => world.host.log.lines.map(({ fields }) => fields?.['reason'])).toContain('The server was switched off.');
});

test('where no client can be registered the person is asked for one, and it is used (3.2)', async () => {
  const auth = await authServer({ registration: 'none' });
  const server = await protectedServer(auth);
  const world = await signInWorld();
  const id = await world.add(server.url);
  await world.when(id, wantsSignIn);
  const refused = await world.host.refused('server.signIn', { serverId: id });
  expect(refused).toMatchObject({ code: 'serverFailed', message: expect.stringContaining('enter its id on the page of this server') });
  await world.host.run('server.setClient', { serverId: id, client: { kind: 'person', clientId: 'my-own-client' } });
  await world.host.run('server.signIn', { serverId: id });
  await world.when(id, isReady);
  expect(auth.at('/authorize')[0]?.params.get('client_id')).toBe('my-own-client');
});

test('a server that wants a key and knows no sign-in is told apart from one that does', async () => {
  const server = createServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const world = await signInWorld();
  const id = await world.add(typeof address === 'object' && address ? `http://127.0.0.1:${address.port}/mcp` : '');
  await world.when(id, ({ status }) => status.state === 'needsSignIn');
  expect(await world.host.refused('server.signIn', { serverId: id })).toMatchObject({
    message: expect.stringContaining('enter it as a header in its settings'),
  });
  expect(world.opened).toEqual([]);
});

test('another authorization server in the metadata gets neither the old client nor the old token (S5)', async () => {
  const [first, second] = [await authServer(), await authServer()];
  let issuer = first.issuer;
  const server = await protectedServer(first, { issuers: () => [issuer] });
  const world = await signInWorld();
  const id = await world.signedIn(server.url);
  const [client] = first.at('/authorize').map(({ params }) => params.get('client_id'));
  issuer = second.issuer;
  first.revoke('access');
  const words: (string | undefined)[] = [];
  await world.call(id, 'echo', { text: 'x' }, (input) => (words.push(input.signIn?.issuer), { action: 'accept' }));
  expect(words).toEqual([second.issuer]);
  expect(second.at('/register')).toHaveLength(1);
  expect(second.at('/authorize')[0]?.params.get('client_id')).not.toBe(client);
  for (const secret of first.secrets) expect(JSON.stringify(second.requests).includes(secret)).toBe(false);
});
