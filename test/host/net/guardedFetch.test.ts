import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { typedHostOf } from '../../../main/host/net/addressPolicy.ts';
import { createGuardedFetch, GuardRefusal, type GuardedFetchOptions } from '../../../main/host/net/guardedFetch.ts';

const local = typedHostOf('http://127.0.0.1:1/');

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** What `dns.lookup` would say, by the test's own word. */
const resolving =
  (...addresses: string[]) =>
  (_hostname: string, _options: unknown, done: (error: null, found: { address: string; family: number }[]) => void): void =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const guard = (more: Partial<GuardedFetchOptions> = {}) => createGuardedFetch({ typed: local, ...more });

test('an address is fetched, and the answer is the one that came', async () => {
  const origin = await serve((_request, response) => response.writeHead(203, { 'x-said': 'yes' }).end('hello'));
  const response = await guard()(`${origin}/a`);
  expect([response.status, response.headers.get('x-said'), await response.text(), response.url]).toEqual([
    203,
    'yes',
    'hello',
    `${origin}/a`,
  ]);
});

test('a redirect into the private network is refused though the first address was allowed (S12)', async () => {
  const origin = await serve((_request, response) =>
    response.writeHead(302, { location: 'https://169.254.169.254/latest/meta-data' }).end(),
  );
  await expect(guard()(origin)).rejects.toThrow(/169\.254\.169\.254.*was not asked for/);
});

test('the address that a name leads to when it is connected to is checked, not the one before (S13)', async () => {
  const rebound = guard({ typed: typedHostOf('https://mcp.example.com/'), lookup: resolving('127.0.0.1') as never });
  await expect(rebound('https://auth.example.com/')).rejects.toThrow(/leads to 127\.0\.0\.1/);
  const mixed = guard({ typed: typedHostOf('https://mcp.example.com/'), lookup: resolving('93.184.216.34', '10.0.0.1') as never });
  await expect(mixed('https://auth.example.com/')).rejects.toThrow(/leads to 10\.0\.0\.1/);
});

test('no credential follows a redirect to another origin, and data follows none', async () => {
  const seen: IncomingMessage[] = [];
  const other = await serve((request, response) => (seen.push(request), response.end('here')));
  const origin = await serve((_request, response) => response.writeHead(307, { location: `${other}/x` }).end());
  const headers = { authorization: 'Bearer canary', cookie: 'a=b', 'x-other': 'stays' };
  expect(await (await guard()(origin, { headers })).text()).toBe('here');
  expect(seen[0]?.headers).not.toHaveProperty('authorization');
  expect(seen[0]?.headers).not.toHaveProperty('cookie');
  expect(seen[0]?.headers['x-other']).toBe('stays');
  await expect(guard()(origin, { method: 'POST', body: 'secret' })).rejects.toThrow(/not followed with data in hand/);
  expect(seen).toHaveLength(1);
});

test('redirects that never end are given up', async () => {
  const origin = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
  await expect(guard()(origin)).rejects.toThrow(/more than 3 times/);
});

test('a body without end is left after its limit, whatever its headers say (S15)', async () => {
  let sent = 0;
  const origin = await serve((_request, response) => {
    const chunk = Buffer.alloc(65_536, 'x');
    const pour = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', pour);
      }
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    pour();
  });
  const response = await guard()(origin);
  await expect(response.json()).rejects.toThrow(GuardRefusal);
  expect(sent).toBeLessThan(64 * 1_048_576);
});

test('a server that does not answer is given up in words', async () => {
  const origin = await serve(() => undefined);
  await expect(guard({ timeoutMs: 50 })(origin)).rejects.toThrow(/did not answer within/);
});

test('a stop of the caller is the caller’s own reason', async () => {
  const stop = new AbortController();
  const origin = await serve(() => stop.abort(new Error('enough')));
  await expect(guard()(origin, { signal: stop.signal })).rejects.toThrow('enough');
});
