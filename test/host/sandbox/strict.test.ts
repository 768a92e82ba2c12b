import { createServer, type Server } from 'node:http';
import { writeFileSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSandboxProxy, type SandboxProxy } from '../../../main/host/servers/sandboxProxy.ts';
import { confined, whyNoSandbox } from './confined.ts';

beforeEach(async ({ skip }) => {
  const reason = await whyNoSandbox('strict');
  if (reason !== undefined) skip(reason);
});

/** Something on this computer that can be called, and counts how often it was, with or without a request. */
async function listener(host = '127.0.0.1'): Promise<{ port: number; called(): number }> {
  let called = 0;
  const server: Server = createServer((_request, response) => response.end('hello from outside'));
  server.on('connection', () => (called += 1));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, called: () => called };
}

/** Scripts that call an address in the three ways there are: through what the environment says, straight, and by the way out without it. */
function scripts(work: string): void {
  writeFileSync(
    join(work, 'fetch.mjs'),
    `const answer = await fetch(process.argv[2]).then((r) => r.text(), (e) => 'failed: ' + (e.cause?.code ?? e.message)); console.log(answer);`,
  );
  writeFileSync(
    join(work, 'direct.mjs'),
    `import net from 'node:net';
const socket = net.connect(Number(process.argv[3]), process.argv[2], () => { console.log('connected'); process.exit(0); });
socket.on('error', (error) => { console.log('failed: ' + error.code); process.exit(1); });
setTimeout(() => { console.log('failed: silence'); process.exit(1); }, 3000);`,
  );
  writeFileSync(
    join(work, 'tunnel.mjs'),
    `import net from 'node:net';
const [, , authorization, target] = process.argv;
const socket = net.connect(3128, '127.0.0.1', () => socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: ' + target + '\\r\\n' + (authorization === 'own' ? 'Proxy-Authorization: Basic ' + Buffer.from(decodeURIComponent(new URL(process.env.HTTP_PROXY).username + ':' + new URL(process.env.HTTP_PROXY).password)).toString('base64') + '\\r\\n' : '') + '\\r\\n'));
socket.on('data', (data) => { console.log(String(data).split('\\r\\n')[0]); process.exit(0); });
socket.on('error', (error) => { console.log('failed: ' + error.code); process.exit(1); });
socket.on('close', () => process.exit(1));`,
  );
}

test('a strict server reaches the hosts of its list and no others, by no way', async () => {
  const listed = await listener();
  const other = await listener();
  const { run, places } = await confined(({ work }) => ({
    sandbox: 'strict',
    writable: [work],
    network: [`127.0.0.1:${listed.port}`, 'allowed.example'],
  }));
  const { work } = places;
  scripts(work);
  const node = (script: string, ...args: string[]) => run(`'${process.execPath}' '${work}/${script}' ${args.join(' ')}`);

  expect((await node('fetch.mjs', `http://127.0.0.1:${listed.port}/`)).out).toBe('hello from outside\n');
  expect(listed.called()).toBe(1);
  expect((await node('tunnel.mjs', 'own', `127.0.0.1:${listed.port}`)).out).toMatch(/^HTTP\/1.1 200/);

  const before = listed.called();
  expect((await node('fetch.mjs', `http://127.0.0.1:${other.port}/`)).out).not.toContain('hello');
  expect((await node('fetch.mjs', `http://localhost:${other.port}/`)).out).not.toContain('hello');
  expect((await node('fetch.mjs', `http://127.1:${other.port}/`)).out).not.toContain('hello');
  expect((await node('direct.mjs', '127.0.0.1', String(other.port))).out).toMatch(/^failed/);
  expect((await node('direct.mjs', '127.0.0.1', String(listed.port))).out).toMatch(/^failed/);
  expect((await node('direct.mjs', '192.0.2.1', '443')).out).toMatch(/^failed/);
  expect((await node('tunnel.mjs', 'own', `127.0.0.1:${other.port}`)).out).toMatch(/^HTTP\/1.1 403/);
  // A port of the list is that port of that host only.
  expect((await node('tunnel.mjs', 'own', `localhost:${listed.port}`)).out).toMatch(/^HTTP\/1.1 403/);
  expect((await node('tunnel.mjs', 'none', `127.0.0.1:${listed.port}`)).out).toMatch(/^HTTP\/1.1 407/);
  expect(other.called()).toBe(0);
  expect(listed.called()).toBe(before);
});

test('a protected server may call whom it likes', async () => {
  const any = await listener();
  const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
  scripts(places.work);
  expect((await run(`'${process.execPath}' '${places.work}/direct.mjs' 127.0.0.1 ${any.port}`)).out).toBe('connected\n');
});

/** The first line of what the way out says to who wants a tunnel. */
function tunnel(proxy: SandboxProxy, target: string, authorization: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(proxy.port ?? 0, '127.0.0.1', () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic ${authorization}\r\n\r\n`),
    );
    socket.once('data', (data) => (socket.destroy(), resolve(String(data).split('\r\n')[0] ?? '')));
    socket.once('error', reject);
  });
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a name of the list that leads to this computer is refused: who has the name decides where it leads', async ({ skip }) => {
  const name = hostname();
  const address = await lookup(name, { family: 4 }).catch(() => undefined);
  if (!address) return skip(`${name}, the name of this computer, leads nowhere`);
  const inside = await listener(address.address);
  const proxy = await openSandboxProxy([name, '*.example.com'], 'loopback');
  onTestFinished(proxy.close);
  const own = base64(`srt:${proxy.token}`);
  expect(await tunnel(proxy, `${name}:${inside.port}`, own)).toMatch(/ 403 /);
  expect(await tunnel(proxy, `${address.address}:${inside.port}`, own)).toMatch(/ 403 /);
  expect(await tunnel(proxy, `example.com.evil.test:443`, own)).toMatch(/ 403 /);
  expect(inside.called()).toBe(0);
});

test('a way out on a port of this computer serves nobody who does not know its word', async () => {
  const inside = await listener();
  const proxy = await openSandboxProxy(['localhost'], 'loopback');
  onTestFinished(proxy.close);
  expect(await tunnel(proxy, `localhost:${inside.port}`, base64('srt:guess'))).toMatch(/ 407 /);
  expect(inside.called()).toBe(0);
  expect(await tunnel(proxy, `localhost:${inside.port}`, base64(`srt:${proxy.token}`))).toMatch(/ 200 /);
  expect(inside.called()).toBe(1);
});
