import { onTestFinished, vi } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { AuthServer } from '../servers/authServer.ts';
import {
  authServer,
  hasProblem,
  isReady,
  protectedServer,
  signInWorld,
  type SignInWorld,
  textOf,
  wantsSignIn,
} from '../host/auth/signInWorld.ts';
import type * as Library from '@modelcontextprotocol/client';
import type * as ServerAuth from '../../main/host/auth/serverAuth.ts';
import type * as Tokens from '../../main/host/auth/tokens.ts';
import type * as CachedLists from '../../main/host/servers/cachedLists.ts';
import { type Attack, describeAttacks } from './attack.ts';
import { legacyHttp, stranger } from './legacyHttp.ts';
import { canary } from './stage.ts';

vi.mock('@modelcontextprotocol/client', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/net/addressPolicy.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/auth/serverAuth.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/servers/cachedLists.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/auth/tokens.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/mcp/watchedFetch.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));

const real = {
  ...(await vi.importActual<typeof Library>('@modelcontextprotocol/client')),
  ...(await vi.importActual<typeof ServerAuth>('../../main/host/auth/serverAuth.ts')),
  ...(await vi.importActual<typeof Tokens>('../../main/host/auth/tokens.ts')),
  ...(await vi.importActual<typeof CachedLists>('../../main/host/servers/cachedLists.ts')),
};
const anyAddress = () => ({ ok: true });

const redirectedCall: Attack = {
  name: 'a call that its server sends on to another origin',
  guard: 'neither token nor arguments follow a redirect to another origin',
  off: {
    // What a client does that follows wherever it is sent.
    watchedFetch: () => async (input: string | URL, init?: RequestInit) => {
      const response = await fetch(input, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      return response.status === 307 && location !== null ? fetch(location, { ...init, redirect: 'follow' }) : response;
    },
  },
  async run(kind) {
    const elsewhere = await stranger();
    const auth = await authServer({ accessToken: () => `token-${canary}` });
    let redirecting = false;
    const server = await protectedServer(auth, {
      before: (_request, body) =>
        redirecting && body.includes('tools/call') ? { status: 307, headers: { location: elsewhere.url } } : undefined,
    });
    const world = await signInWorld();
    const id = await world.signedIn(server.url);
    redirecting = kind === 'attack';
    const call = await world.call(id, 'echo', { text: 'hello' });
    return { left: elsewhere.heard.join('\n').includes(canary), done: textOf(call) === 'hello' };
  },
};

const jwt = (aud: string): string =>
  [{ alg: 'none' }, { aud, jti: canary }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.c2ln';

const tokenOfAnother: Attack = {
  name: 'one sign-in place for two servers, which gives the one a token for the other (confused deputy)',
  guard: 'a token that is meant for another server is not taken',
  off: {
    grantOf: (tokens: { access_token: string }, about: never) => ({
      ...real.grantOf({ ...tokens, access_token: 'opaque', token_type: 'Bearer' }, about),
      accessToken: tokens.access_token,
    }),
  },
  async run(kind) {
    const hostile = kind === 'attack';
    const good = 'https://bank.example/mcp';
    const auth = await authServer(hostile ? { accessToken: () => jwt(good) } : {});
    const server = await protectedServer(auth);
    const world = await signInWorld();
    const id = await world.add(server.url);
    await world.when(id, wantsSignIn);
    await world.host.run('server.signIn', { serverId: id });
    await world.when(
      id,
      (seen) => isReady(seen) || hasProblem(seen) || server.requests.some(({ headers }) => headers.authorization !== undefined),
    );
    const sent = server.requests.map(({ headers }) => headers.authorization ?? '').join('\n');
    const done = !hostile && textOf(await world.call(id, 'echo', { text: 'hello' })) === 'hello';
    return { left: sent.includes(jwt(good)), done };
  },
};

const script = `javascript:'${canary}'`;

const scriptForPage: Attack = {
  name: 'a sign-in whose page is a script (javascript:)',
  guard: 'only addresses of the web are opened for a sign-in',
  off: {
    checkUrl: anyAddress,
    // The library holds the same against what it reads and makes.
    discoverAuthorizationServerMetadata: async (issuer: string) =>
      (await fetch(new URL('/.well-known/oauth-authorization-server', issuer))).json(),
    startAuthorization: async (issuer: string, options: Parameters<typeof real.startAuthorization>[1]) =>
      options.metadata?.authorization_endpoint === script
        ? { authorizationUrl: new URL(script), codeVerifier: 'verifier' }
        : real.startAuthorization(issuer, options),
  },
  async run(kind) {
    const auth = await authServer(kind === 'attack' ? { metadata: () => ({ authorization_endpoint: script }) } : {});
    const server = await protectedServer(auth);
    const world = await signInWorld();
    if (kind === 'attack') world.browse(async () => undefined);
    const id = await world.add(server.url);
    await world.when(id, (seen) => wantsSignIn(seen) || hasProblem(seen));
    await world.host.host.invoke('server.signIn', { commandId: 'sign-in', serverId: id });
    const done = kind === 'twin' && isReady(await world.when(id, isReady));
    return { left: world.opened.join('\n').includes(canary), done };
  },
};

const answerOfAnother: Attack = {
  name: 'an answer to a sign-in that comes from another place than was asked (mix-up)',
  guard: 'who answers is compared with who was asked, before the code is sent anywhere (iss)',
  off: {
    validateAuthorizationResponseIssuer: () => undefined,
    // The library compares once more.
    exchangeAuthorization: (issuer: string, { iss: _iss, ...options }: Parameters<typeof real.exchangeAuthorization>[1]) =>
      real.exchangeAuthorization(issuer, {
        ...options,
        ...(options.metadata && { metadata: { ...options.metadata, authorization_response_iss_parameter_supported: false } }),
      }),
  },
  async run(kind) {
    const auth = await authServer({ iss: (origin) => (kind === 'attack' ? 'https://honest.example' : origin) });
    const server = await protectedServer(auth);
    const world = await signInWorld();
    const id = await world.add(server.url);
    await world.when(id, wantsSignIn);
    await world.host.run('server.signIn', { serverId: id });
    const end = await world.when(id, (seen) => isReady(seen) || hasProblem(seen));
    // The code of the honest place, in the hands of the other one.
    return { left: kind === 'attack' && auth.at('/token').some(({ body }) => body.includes('code-canary-')), done: isReady(end) };
  },
};

/** Where clouds give keys to whoever asks from inside, in the ways in which it can be written. */
const metadataPlaces = [
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://0xa9fea9fe/latest/meta-data/',
  'https://0251.0376.0251.0376/latest/meta-data/',
  'https://[::ffff:169.254.169.254]/latest/meta-data/',
  'https://[64:ff9b::a9fe:a9fe]/latest/meta-data/',
  'https://[fd00:ec2::254]/latest/meta-data/',
];

const metadataService = (place: string): Attack => ({
  name: `sign-in data that are said to lie at ${place}`,
  guard: 'addresses that a server names do not lead into this computer or its network',
  off: { checkUrl: anyAddress, checkAddress: anyAddress },
  async run(kind) {
    const inside = await stranger();
    const { fetch: network } = globalThis;
    // No request leaves this computer: whatever has another address ends at the place of this test.
    const double = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      return url.hostname === '127.0.0.1' ? network(input, init) : network(new URL(url.pathname, inside.url), { method: 'GET' });
    });
    onTestFinished(() => double.mockRestore());
    const auth = await authServer();
    const challenge = kind === 'attack' ? { challenge: () => `resource_metadata="${place}${canary}"` } : {};
    const server = await protectedServer(auth, challenge);
    const world = await signInWorld();
    const id = await world.add(server.url);
    const seen = await world.when(id, (now) => wantsSignIn(now) || hasProblem(now));
    return { left: inside.heard.join('\n').includes(canary), done: wantsSignIn(seen) && !hasProblem(seen) };
  },
});

/** Another person signs in at the same server. */
async function signInAnew({ host, when }: SignInWorld, id: ServerId, auth: AuthServer): Promise<void> {
  await host.run('server.signIn', { serverId: id });
  await when(id, ({ signingIn }) => auth.at('/token').length === 2 && signingIn === undefined);
}

const sessionOfAnother: Attack = {
  name: 'a session that would live on when another account signs in',
  guard: 'under another sign-in nothing of the old connection lives on',
  off: {
    createServerAuth: (deps: Parameters<typeof real.createServerAuth>[0]) => {
      let connects = deps.onSignedIn;
      const onSignedIn = () => {
        connects();
        connects = () => undefined;
      };
      return real.createServerAuth({ ...deps, onSignedIn });
    },
  },
  async run(kind) {
    let accounts = 0;
    const auth = await authServer({ accessToken: () => `account-${(accounts += 1)}` });
    const server = await legacyHttp({ auth, session: (n) => `session-${n}` });
    const world = await signInWorld();
    const id = await world.signedIn(server.url);
    if (kind === 'attack') await signInAnew(world, id, auth);
    await world.when(id, isReady);
    const call = await world.call(id, 'echo', { text: canary });
    const heard = server.heard.filter(({ body }) => body.includes(canary));
    return {
      left: heard.some(({ token, session }) => token === 'account-2' && session === 'session-1'),
      done: textOf(call).includes(canary) && heard.every(({ session }) => session === 'session-1'),
    };
  },
};

const listsOfAnother: Attack = {
  name: 'what a server has said to one account, shown to the next one',
  guard: 'what is kept of a server belongs to the sign-in under which it was heard',
  off: {
    createCachedLists: (...args: Parameters<typeof real.createCachedLists>) => {
      let key = '';
      const cached = real.createCachedLists(...args);
      return {
        of: (configHash: string) => cached.of(configHash, key),
        keep(lists: Parameters<typeof cached.keep>[0]) {
          key = lists.authorizationKey ?? '';
          cached.keep(lists);
        },
      };
    },
  },
  async run(kind) {
    let accounts = 0;
    let silent = false;
    const auth = await authServer({ accessToken: () => `account-${(accounts += 1)}` });
    const server = await legacyHttp({
      auth,
      describe: (token) => (token === 'account-1' ? `Reads the files of ${canary}.` : 'Reads files.'),
      silent: (method) => silent && method === 'initialize',
    });
    const world = await signInWorld();
    const id = await world.signedIn(server.url);
    silent = true;
    if (kind === 'attack') await signInAnew(world, id, auth);
    else await world.host.run('server.restart', { serverId: id });
    await world.when(id, ({ status }) => status.state === 'starting');
    const shown = JSON.stringify(await world.host.run('server.details', { serverId: id })).includes(canary);
    return { left: kind === 'attack' && shown, done: shown };
  },
};

describeAttacks([
  redirectedCall,
  tokenOfAnother,
  scriptForPage,
  answerOfAnother,
  ...metadataPlaces.map(metadataService),
  sessionOfAnother,
  listsOfAnother,
]);
