import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { authServer, hasProblem, isReady, protectedServer, signInWorld, textOf, wantsSignIn } from '../host/auth/signInWorld.ts';
import { type Attack, describeAttacks } from './attack.ts';
import { canary } from './stage.ts';

vi.mock('../../main/host/auth/tokens.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/mcp/watchedFetch.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));

const real = await vi.importActual<typeof import('../../main/host/auth/tokens.ts')>('../../main/host/auth/tokens.ts');

/** A place of this machine that remembers what it is asked. */
async function stranger(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard };
}

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

describeAttacks([redirectedCall, tokenOfAnother]);
