import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import type { Log } from '../../main/host/ports.ts';
import { startWebShell, type WebShell } from '../../main/web/webShell.ts';
import { launchBrowser } from '../doubles/browser.ts';
import { createFakeHost, type FakeHost } from '../doubles/fakeHost.ts';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let dir: string;
let host: FakeHost;
let shell: WebShell;
let browser: Browser;
let evil: { origin: string; close(): void };

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'attacked-shell-'));
  await mkdir(path.join(dir, 'renderer/assets'), { recursive: true });
  await writeFile(path.join(dir, 'renderer/index.html'), '<!doctype html><head></head><body>Maitre</body>');
  await writeFile(path.join(dir, 'renderer/assets/app.js'), 'globalThis.stolen = true;');
  host = createFakeHost();
  shell = await startWebShell({ host, port: 0, rendererDir: path.join(dir, 'renderer'), log });
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  evil = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
  // Newer browsers keep pages of the web from this computer by themselves: what is tested is what holds without them.
  browser = await launchBrowser([
    '--host-resolver-rules=MAP rebound.example 127.0.0.1',
    '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
  ]);
});
afterAll(async () => {
  await browser.close();
  await shell.close();
  evil.close();
  await rm(dir, { recursive: true });
});

const tokenOf = (link: string) => new URL(link).hash.slice('#token='.length);

/** A page of another origin in the same browser, and what it can do to the shell. */
async function fromPage<Value>(
  url: string,
  run: (given: { shell: string; port: number; token: string }) => Promise<Value>,
): Promise<Value> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'commit' });
    return await page.evaluate(run, { shell: shell.url, port: shell.port, token: tokenOf(shell.createLink()) });
  } finally {
    await context.close();
  }
}

test('a foreign page in the same browser gets no socket, though it knows port and token', async () => {
  const closed = await fromPage(`${evil.origin}/`, async ({ port, token }) => {
    const events: string[] = [];
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
      socket.onopen = () => {
        events.push('open');
        socket.send(JSON.stringify({ kind: 'hello', session: token }));
      };
      socket.onmessage = () => events.push('message');
      socket.onclose = () => resolve();
    });
    return events;
  });
  expect(closed).toEqual([]);
});

test('a foreign page reads no file, exchanges no token and uses none up', async () => {
  const told = await fromPage(`${evil.origin}/`, async ({ shell: url, token }) => {
    const tries = [
      () => fetch(url).then((response) => response.text()),
      () => fetch(`${url}assets/app.js`).then((response) => response.text()),
      () =>
        fetch(`${url}session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }).then(
          (r) => r.text(),
        ),
      () =>
        fetch(`${url}session`, { method: 'POST', mode: 'no-cors', body: JSON.stringify({ token }) }).then((response) => response.text()),
    ];
    const texts: string[] = [];
    for (const each of tries) texts.push(await each().catch(() => ''));
    return { texts, token };
  });
  expect(told.texts).toEqual(['', '', '', '']);
  const own = await fetch(`${shell.url}session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(shell.url).origin },
    body: JSON.stringify({ token: told.token }),
  });
  expect(own.status).toBe(200);
});

test('a foreign page can neither frame the shell nor run its scripts as its own', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(evil.origin);
  const outcome = await page.evaluate(async (url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
    await new Promise<void>((resolve) => (frame.onload = () => resolve()));
    const script = document.createElement('script');
    script.src = `${url}assets/app.js`;
    const ran = await new Promise<string>((resolve) => {
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve('blocked');
      document.body.append(script);
    });
    return { ran, stolen: 'stolen' in globalThis };
  }, shell.url);
  expect(outcome).toEqual({ ran: 'blocked', stolen: false });
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  expect(await framed?.evaluate(() => document.body?.textContent ?? '').catch(() => '')).not.toContain('Maitre');
  await context.close();
});

test('a name that was pointed at this computer after its page had loaded (DNS rebinding) is answered nothing', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  // The page itself comes from the attacker; then the name leads to this computer, under the same origin.
  const address = `http://rebound.example:${shell.port}/`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>evil</title>' }));
  await page.goto(address);
  await page.unroute(address);
  const told = await page.evaluate(
    async ({ port, token }) => {
      const headers = { 'content-type': 'application/json' };
      const exchange = await fetch('/session', { method: 'POST', headers, body: JSON.stringify({ token }) });
      const home = await fetch('/index.html');
      const socket = await new Promise<string>((resolve) => {
        const made = new WebSocket(`ws://rebound.example:${port}/socket`);
        made.onopen = () => resolve('open');
        made.onclose = () => resolve('closed');
      });
      return { statuses: [exchange.status, home.status], home: await home.text(), socket };
    },
    { port: shell.port, token: tokenOf(shell.createLink()) },
  );
  await context.close();
  expect(told).toMatchObject({ statuses: [403, 403], socket: 'closed' });
  expect(told.home).not.toContain('<body>');
});

test('of ten thieves with the same link one at most gets in', async () => {
  const token = tokenOf(shell.createLink());
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      fetch(`${shell.url}session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: new URL(shell.url).origin },
        body: JSON.stringify({ token }),
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 403)]);
});

/** Sends bytes as they are and resolves with the whole answer. */
const rawly = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(shell.port, '127.0.0.1', () => void socket.end(bytes));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

test.each([
  ['a foreign name in the request line', (own: string) => `GET http://evil.example/ HTTP/1.1\r\nHost: ${own}\r\n\r\n`],
  ['a second Host', (own: string) => `GET / HTTP/1.1\r\nHost: evil.example\r\nHost: ${own}\r\n\r\n`],
  ['no Host', () => 'GET / HTTP/1.0\r\n\r\n'],
  ['localhost for Host', (own: string) => `GET / HTTP/1.1\r\nHost: ${own.replace('127.0.0.1', 'localhost')}\r\n\r\n`],
  [
    'a body of two lengths',
    (own: string) =>
      `POST /session HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: ${own}\r\n\r\n`,
  ],
  [
    'an upgrade to another path',
    (own: string) =>
      `GET /socket?x HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  ],
  [
    'an upgrade without an origin',
    (own: string) =>
      `GET /socket HTTP/1.1\r\nHost: ${own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  ],
])('a request with %s gets neither page nor socket', async (_what, request) => {
  const answer = await rawly(request(`127.0.0.1:${shell.port}`));
  expect(answer).toMatch(/^HTTP\/1\.[01] 4\d\d /);
  expect(answer).not.toContain('Maitre</body>');
});

test('a socket that shows no session hears nothing, whatever it sends', async () => {
  for (const first of [
    '{"kind":"invoke","id":1,"name":"app.open","input":{}}',
    '{"kind":"hello","session":"x"}',
    '[[',
    '{"kind":"hello","session":"","__proto__":{"session":"x"}}',
  ]) {
    const frames: string[] = [];
    const socket = new NodeSocket(`ws://127.0.0.1:${shell.port}/socket`, { headers: { origin: new URL(shell.url).origin } });
    socket.on('message', (data) => frames.push(String(data)));
    socket.on('open', () => socket.send(first));
    expect(await new Promise((resolve) => socket.on('close', resolve))).toBe(4401);
    expect(frames).toEqual([]);
  }
  expect(host.invoked).toEqual([]);
});
