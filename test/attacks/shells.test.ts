import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { BrowserWindow, IpcMain } from 'electron';
import { answerInvocations } from '../../main/electron/ipc.ts';
import { startWebShell } from '../../main/web/webShell.ts';
import { rememberingLog, tempFolder } from '../doubles/hostParts.ts';
import { startTestHost, type TestHost } from '../doubles/testHost.ts';
import { type Attack, describeAttacks } from './attack.ts';
import { canary } from './stage.ts';

vi.mock('../../main/web/requestCheck.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/electron/navigation.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));

/** A host with something to find. */
async function hostWithServer(): Promise<TestHost> {
  const host = await startTestHost();
  await host.run('server.add', { name: canary, config: { command: 'owls' } });
  return host;
}

/** The answer to a request that names another host than it goes to, as a browser sends it for a page of that name. */
function ask(port: number, place: string, headers: Record<string, string>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ host: '127.0.0.1', port, path: place, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a socket is told that shows this session and asks for the servers. Empty where it is closed first. */
function servers(port: number, headers: Record<string, string>, session: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers });
    const end = (text: string) => {
      socket.terminate();
      resolve(text);
    };
    socket.on('open', () => socket.send(JSON.stringify({ kind: 'hello', session })));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { kind: string };
      if (frame.kind === 'welcome') socket.send(JSON.stringify({ kind: 'invoke', id: 1, name: 'server.list', input: {} }));
      if (frame.kind === 'answer') end(String(data));
    });
    socket.on('error', () => end(''));
    socket.on('close', () => end(''));
  });
}

const foreignPage = (name: string, headersOf: (port: number) => Record<string, string>): Attack => ({
  name,
  guard: 'a request is answered only where it names this address, and comes from its page',
  off: { requestProblem: () => null },
  async run(kind) {
    const { host } = await hostWithServer();
    const rendererDir = path.join(tempFolder(), 'renderer');
    mkdirSync(rendererDir);
    writeFileSync(path.join(rendererDir, 'index.html'), '<!doctype html><head></head><body></body>');
    const shell = await startWebShell({ host, port: 0, rendererDir, log: rememberingLog() });
    onTestFinished(() => shell.close());
    const own = `127.0.0.1:${shell.port}`;
    const headers = kind === 'attack' ? headersOf(shell.port) : { host: own, origin: `http://${own}` };
    // Whoever has seen the link, over a shoulder or in a history.
    const token = new URL(shell.createLink()).hash.slice('#token='.length);
    const exchanged = await ask(shell.port, '/session', { ...headers, 'content-type': 'application/json' }, JSON.stringify({ token }));
    const session = /"session":"([^"]+)"/.exec(exchanged)?.[1] ?? '';
    const told = await servers(shell.port, headers, session);
    return { left: kind === 'attack' && told.includes(canary), done: told.includes(canary) };
  },
});

/** The window of the desktop application, shown to the process that answers it: only what that one looks at. */
async function invokeFrom(host: TestHost, frameUrl: string): Promise<string> {
  let answer: ((event: unknown, name: string, input: unknown) => Promise<unknown>) | undefined;
  const ipcMain = { handle: (_channel: string, handle: typeof answer) => (answer = handle) };
  const frame = { url: frameUrl };
  const webContents = { mainFrame: frame };
  const window = { isDestroyed: () => false, webContents };
  const given: unknown[] = [ipcMain, window];
  const [ipc, shown] = given as [IpcMain, BrowserWindow];
  answerInvocations(ipc, host.host, () => shown, rememberingLog());
  const told = await answer?.({ sender: webContents, senderFrame: frame }, 'server.list', {}).catch(() => undefined);
  return JSON.stringify(told ?? '');
}

const takenOver: Attack = {
  name: 'a foreign page in the window of the desktop application that calls the bridge',
  guard: 'commands are taken from our own page alone',
  off: { isOwnPage: () => true },
  async run(kind) {
    const host = await hostWithServer();
    const told = await invokeFrom(host, kind === 'attack' ? 'app://maitre.evil.example/' : 'app://maitre/');
    return { left: kind === 'attack' && told.includes(canary), done: told.includes(canary) };
  },
};

describeAttacks([
  foreignPage('a name that was made to lead to this computer, in a browser (DNS rebinding)', (port) => ({
    host: `rebound.example:${port}`,
    origin: `http://rebound.example:${port}`,
  })),
  foreignPage('a foreign page in the same browser that speaks to the web shell', (port) => ({
    host: `127.0.0.1:${port}`,
    origin: 'https://evil.example',
  })),
  takenOver,
]);
