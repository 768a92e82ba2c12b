import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

type Params = Record<string, unknown>;

/** Results and parameters are whatever the protocol's own description says of the method. */
export interface CdpSession {
  send(method: string, params?: Params): Promise<unknown>;
  on(method: string, listener: (params: unknown) => void): void;
}

export interface Browser {
  endpoint: string;
  process: ChildProcess;
  root: CdpSession;
  session(sessionId: string): CdpSession;
}

/** Starts a headless Chromium without a window and connects to it. It ends with this process. */
export async function launchChromium(executable: string, userDataDir: string, openNetwork: boolean): Promise<Browser> {
  const child = spawn(
    executable,
    [
      '--headless=new',
      '--no-startup-window',
      '--remote-debugging-port=0',
      `--user-data-dir=${userDataDir}`,
      '--no-first-run',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      '--allow-pre-commit-input',
      '--disable-features=PaintHolding,Translate,OptimizationHints,MediaRouter',
      '--password-store=basic',
      '--force-color-profile=srgb',
      // Where a test does not need it there is no network at all.
      ...(openNetwork ? [] : ['--proxy-server=127.0.0.1:1', '--proxy-bypass-list=<-loopback>']),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  child.unref();
  process.on('exit', () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const endpoint = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Chromium ended with ${code}: ${said}`)));
  });
  return { endpoint, process: child, ...(await connect(endpoint)) };
}

async function connect(endpoint: string): Promise<{ root: CdpSession; session(sessionId: string): CdpSession }> {
  const socket = new WebSocket(endpoint);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error(`No connection to ${endpoint}.`)), { once: true });
  });
  let lastId = 0;
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, ((params: unknown) => void)[]>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number;
      error?: { message: string };
      result: unknown;
      method: string;
      params: unknown;
      sessionId?: string;
    };
    if (message.id === undefined) {
      for (const listener of listeners.get(`${message.sessionId ?? ''} ${message.method}`) ?? []) listener(message.params);
      return;
    }
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  });
  const session = (sessionId: string): CdpSession => ({
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        socket.send(JSON.stringify({ id: lastId, method, params, ...(sessionId === '' ? {} : { sessionId }) }));
      }),
    on(method, listener) {
      const key = `${sessionId} ${method}`;
      listeners.set(key, [...(listeners.get(key) ?? []), listener]);
    },
  });
  return { root: session(''), session };
}
