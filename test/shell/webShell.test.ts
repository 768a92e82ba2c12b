import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ClientFrame, ServerFrame } from '../../preload/contract/bridge.ts';
import { maxBridgeMessageBytes } from '../../preload/contract/bridge.ts';
import type { Log } from '../../main/host/ports.ts';
import { startWebShell } from '../../main/web/webShell.ts';
import type { WebShell } from '../../main/web/webShell.ts';
import { createFakeHost, settingsEvent } from '../doubles/fakeHost.ts';
import type { FakeHost } from '../doubles/fakeHost.ts';

let dir: string;
let host: FakeHost;
let shell: WebShell;
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'web-shell-'));
  await mkdir(path.join(dir, 'renderer'));
  await writeFile(path.join(dir, 'renderer/index.html'), '<!doctype html><head></head>');
  await writeFile(path.join(dir, 'secret.json'), '"secret"');
  host = createFakeHost();
  shell = await startWebShell({ host, port: 0, rendererDir: path.join(dir, 'renderer'), log });
});
afterEach(async () => {
  await shell.close();
  await rm(dir, { recursive: true });
});

const own = () => ({ host: `127.0.0.1:${shell.port}`, origin: `http://127.0.0.1:${shell.port}` });

/** Sends the path as it is written, which fetch would fold. */
function ask(
  method: string,
  rawPath: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: shell.port, method, path: rawPath, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const tokenOf = (link: string): string => new URL(link).hash.replace('#token=', '');
const exchange = (token: unknown, headers: Record<string, string> = {}) =>
  ask('POST', '/session', { ...own(), 'content-type': 'application/json', ...headers }, JSON.stringify({ token }));

async function newSession(): Promise<string> {
  const answer = await exchange(tokenOf(shell.createLink()));
  return String(JSON.parse(answer.text).session);
}

interface Page {
  socket: WebSocket;
  next(): Promise<ServerFrame>;
  send(frame: ClientFrame): void;
  closed: Promise<number>;
}
function openSocket(headers: Record<string, string> = own(), pathname = '/socket'): Page {
  const { host: hostHeader, origin, ...more } = headers;
  const socket = new WebSocket(`ws://127.0.0.1:${shell.port}${pathname}`, {
    headers: { ...more, ...(hostHeader === undefined ? {} : { host: hostHeader }), ...(origin === undefined ? {} : { origin }) },
  });
  const frames: ServerFrame[] = [];
  const waiting: ((frame: ServerFrame) => void)[] = [];
  socket.on('message', (data) => {
    const frame: ServerFrame = JSON.parse(String(data));
    const taker = waiting.shift();
    if (taker) taker(frame);
    else frames.push(frame);
  });
  socket.on('error', () => undefined);
  return {
    socket,
    next: () => {
      const frame = frames.shift();
      return frame === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(frame);
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}
const opened = (page: Page): Promise<void> => new Promise((resolve) => page.socket.once('open', resolve));
async function letIn(session: string): Promise<Page> {
  const page = openSocket();
  await opened(page);
  page.send({ kind: 'hello', session });
  expect(await page.next()).toEqual({ kind: 'welcome' });
  return page;
}

describe('Files', () => {
  test('come with the policy, which lets the page reach its own socket and session only', async () => {
    const page = await ask('GET', '/');
    const { origin } = own();
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain(`connect-src ${origin}/session ws://127.0.0.1:${shell.port}/socket;`);
    const nonce = /<meta name="nonce" content="([^"]+)">/.exec(page.text)?.[1];
    expect(page.headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
    expect((await ask('GET', '/')).text).not.toContain(String(nonce));
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.headers['x-dns-prefetch-control']).toBe('off');
  });

  test.each(['/../secret.json', '/%2e%2e/secret.json', '/..%2fsecret.json', '/x/../../secret.json', '//../secret.json'])(
    'outside the folder are not to be had: %s',
    async (rawPath) => {
      const answer = await ask('GET', rawPath);
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain('secret"');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])('are not answered to %s', async (method) => {
    expect((await ask(method, '/', own())).status).toBe(405);
  });

  test.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['our port under another name', { host: 'localhost.evil.example:1' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin of a local file', { origin: 'null' }],
    ['the Origin of another local server', { origin: 'http://127.0.0.1:1' }],
  ])('are not answered to %s', async (_name, headers) => {
    const answer = await ask('GET', '/', headers);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('<head>');
  });

  test('are served on the loopback address only', async () => {
    const refused = new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.2', port: shell.port });
      socket.once('connect', () => resolve('connected'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    expect(await refused).toBe('ECONNREFUSED');
  });
});

describe('A token', () => {
  test('is worth one session, once', async () => {
    const token = tokenOf(shell.createLink());
    expect((await exchange(token)).status).toBe(200);
    expect((await exchange(token)).status).toBe(403);
  });

  test.each([
    ['no token', undefined],
    ['a wrong token', 'wrong'],
    ['a token that is no text', 7],
    ['an empty token', ''],
  ])('is needed: %s gets no session', async (_name, token) => {
    const answer = await exchange(token);
    expect(answer.status).toBe(403);
    expect(answer.text).toMatch(/used or is not known/);
  });

  test('is taken from our own page only, and stays good when a foreign one tries', async () => {
    const token = tokenOf(shell.createLink());
    expect((await exchange(token, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await exchange(token, { host: 'evil.example' })).status).toBe(403);
    const { host: hostHeader } = own();
    const body = JSON.stringify({ token });
    expect((await ask('POST', '/session', { host: hostHeader, 'content-type': 'application/json' }, body)).status).toBe(403);
    expect((await ask('POST', '/session', { ...own(), 'content-type': 'text/plain' }, body)).status).toBe(415);
    expect((await ask('GET', '/session', own())).status).toBe(405);
    expect((await ask('POST', '/session', { ...own(), 'content-type': 'application/json' }, 'x'.repeat(5000))).status).toBe(413);
    expect((await exchange(token)).status).toBe(200);
  });

  test('stands in the fragment of the link, which no server and no log ever sees', () => {
    expect(shell.createLink()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${shell.port}/#token=[A-Za-z0-9_-]{43}$`));
  });
});

describe('The socket', () => {
  test('answers commands and sends events after hello; a reload comes in with the same session', async () => {
    const session = await newSession();
    const first = await letIn(session);
    first.send({ kind: 'invoke', id: 1, name: 'echo', input: { text: 'é' } });
    expect(await first.next()).toEqual({ kind: 'answer', id: 1, result: { ok: true, value: { text: 'é' } } });
    host.emit(settingsEvent(1));
    expect(await first.next()).toEqual({ kind: 'event', message: settingsEvent(1) });
    first.socket.close();
    await first.closed;
    const again = await letIn(session);
    host.emit(settingsEvent(2));
    expect(await again.next()).toEqual({ kind: 'event', message: settingsEvent(2) });
    expect(host.listeners()).toBe(1);
  });

  test('passes an unknown command on, and the host says so in words', async () => {
    const page = await letIn(await newSession());
    page.send({ kind: 'invoke', id: 9, name: 'shell.run', input: {} });
    expect(await page.next()).toMatchObject({ kind: 'answer', id: 9, result: { ok: false, error: { code: 'unknownCommand' } } });
  });

  test.each([
    ['an unknown session', { kind: 'hello', session: 'wrong' }],
    ['a command before hello', { kind: 'invoke', id: 1, name: 'echo', input: {} }],
    ['an unknown frame', { kind: 'other' }],
  ])('is closed to %s, and nothing reaches the host', async (_name, frame) => {
    const page = openSocket();
    await opened(page);
    page.socket.send(JSON.stringify(frame));
    expect(await page.closed).toBe(4401);
    expect(host.invoked).toEqual([]);
    expect(host.listeners()).toBe(0);
  });

  test('that shows no session is closed', { timeout: 15_000 }, async () => {
    const page = openSocket();
    await opened(page);
    expect(await page.closed).toBe(4401);
  });

  test.each([
    ['a foreign Origin', () => ({ ...own(), origin: 'https://evil.example' })],
    ['no Origin', () => ({ host: own().host })],
    ['a foreign Host', () => ({ ...own(), host: 'evil.example' })],
  ])('is not opened to %s', async (_name, headers) => {
    const page = openSocket(headers());
    const status = new Promise((resolve) => page.socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)));
    expect(await status).toBe(403);
    page.socket.terminate();
  });

  test('is not opened under another path', async () => {
    const page = openSocket(own(), '/other');
    const status = new Promise((resolve) => page.socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)));
    expect(await status).toBe(403);
    page.socket.terminate();
  });

  test('takes no message over 1 MiB', async () => {
    const page = await letIn(await newSession());
    page.send({ kind: 'invoke', id: 1, name: 'echo', input: 'x'.repeat(maxBridgeMessageBytes) });
    expect(await page.closed).toBe(1009);
    expect(host.invoked).toEqual([]);
  });

  test.each([
    ['no JSON', '{'],
    ['a command without an id', '{"kind":"invoke","name":"echo","input":{}}'],
    ['a member that is not known', '{"kind":"invoke","id":1,"name":"echo","input":{},"more":1}'],
  ])('is closed by %s', async (_name, text) => {
    const page = await letIn(await newSession());
    page.socket.send(text);
    expect(await page.closed).toBe(1008);
    expect(host.invoked).toEqual([]);
  });

  test('tells the host how far a page is behind', async () => {
    const page = await letIn(await newSession());
    expect(host.queuedBytes()).toEqual([0]);
    page.socket.pause();
    const big = settingsEvent(1);
    // The kernel's own buffers hold some MiB before anything is left waiting here.
    for (let sent = 0; host.queuedBytes()[0] === 0 && sent < 200; sent += 1) {
      host.emit(Object.assign({}, big, { padding: 'x'.repeat(1_000_000) }));
    }
    expect(host.queuedBytes()[0]).toBeGreaterThan(0);
    page.socket.terminate();
  });
});

test('Closing ends every socket and frees the port', async () => {
  const page = await letIn(await newSession());
  const { port } = shell;
  await shell.close();
  await page.closed;
  expect(host.listeners()).toBe(0);
  shell = await startWebShell({ host, port, rendererDir: dir, log });
  expect(shell.port).toBe(port);
});
