import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { findBrowser } from '../../../build/browser.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The modules of `electron` inside the application's process, and the double's own records. */
// The functions that tests send run elsewhere: their argument cannot be typed by what is here.
export type Modules = Record<string, never> & { double: never };

export interface RunningApp {
  /** The application's own process. */
  process: ChildProcess;
  firstWindow(): Promise<Page>;
  /** Runs a function inside the application; it sees only its two arguments. */
  evaluate<Value>(run: string, arg?: unknown): Promise<Value>;
  /** Quits as a person does and resolves with the exit code. */
  close(): Promise<number | null>;
  exited: Promise<number | null>;
  /** What it has written to stdout and stderr so far. */
  output(): string;
  dataDir: string;
  /** Whether it has told its launcher that Electron came up. */
  saidReady(): boolean;
}

/** Starts the built application on the double. `home` and `dataDir` are new folders unless given; own ones are removed at the end. */
export async function launchApp(
  options: { main?: string; dataDir?: string; env?: Record<string, string>; openNetwork?: boolean; packaged?: boolean } = {},
): Promise<RunningApp> {
  const executable = findBrowser();
  if (executable === null) throw new Error('No Chrome, Chromium or Edge was found.');
  const home = await mkdtemp(path.join(tmpdir(), 'double-home-'));
  const dataDir = options.dataDir ?? path.join(home, 'data');
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && !/^(NODE_OPTIONS|VITEST)/.test(name)),
  );
  const child = fork(options.main ?? path.join(root, 'dist/main/electron.js'), [], {
    execArgv: ['--import', new URL('./register.ts', import.meta.url).href],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...env,
      ...options.env,
      HOME: home,
      MAITRE_DATA_DIR: dataDir,
      ELECTRON_DOUBLE: JSON.stringify({
        home,
        chromium: executable,
        appPath: root,
        openNetwork: options.openNetwork ?? false,
        packaged: options.packaged ?? false,
      }),
    },
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));

  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const endpoint = Promise.withResolvers<string>();
  endpoint.promise.catch(() => undefined);
  let saidReady = false;
  child.on('message', (message: 'ready' | { endpoint?: string; id: number; ok: boolean; value: unknown }) => {
    if (message === 'ready') {
      saidReady = true;
      return;
    }
    if (message.endpoint !== undefined) return endpoint.resolve(message.endpoint);
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.ok) waiting?.resolve(message.value);
    else waiting?.reject(new Error(String(message.value)));
  });
  let browser: Browser | null = null;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      const gone = new Error(`The application ended with ${code}:\n${output}`);
      endpoint.reject(gone);
      for (const waiting of pending.values()) waiting.reject(gone);
      Promise.resolve(browser?.close())
        .then(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
        .then(() => resolve(code));
    });
  });
  const died = exited.then((code): never => {
    throw new Error(`The application ended with ${code}:\n${output}`);
  });
  died.catch(() => undefined);

  const evaluate = <Value>(source: string, arg?: unknown): Promise<Value> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve: (value) => resolve(value as Value), reject });
      child.send({ id: lastId, source, arg });
    });

  return {
    process: child,
    dataDir,
    exited,
    output: () => output,
    saidReady: () => saidReady,
    evaluate,
    async firstWindow() {
      browser ??= await Promise.race([endpoint.promise.then((url) => chromium.connectOverCDP(url)), died]);
      const context = browser.contexts()[0];
      if (context === undefined) throw new Error('The browser has no context.');
      const page = context.pages()[0] ?? (await Promise.race([context.waitForEvent('page'), died]));
      await Promise.race([page.waitForURL(/\.app\.test\//), died]);
      await page.waitForLoadState('load');
      return page;
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return exited;
    },
  };
}
