import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Makes the bundles of `dist` again where a source has changed, as `npm start` does; nothing happens when they are fresh. */
export function buildBundles(): void {
  execFileSync(process.execPath, [path.join(root, 'build/setup.mjs'), 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Folders of one person: a home, and Maitre's data beside it. Blank and Chinese in the path, as real ones have them. */
export interface Person {
  home: string;
  dataDir: string;
  remove(): void;
}

export function newPerson(): Person {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'maitre 测试 '));
  const home = path.join(folder, 'home');
  mkdirSync(home);
  return {
    home,
    dataDir: path.join(folder, 'data'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface WebProcess {
  child: ChildProcess;
  /** The printed address, which lets one tab in. */
  link: string;
  port: number;
  /** Ends it as Ctrl+C or the system does; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** What it wrote so far. */
  output(): string;
}

/** Starts the web shell as `npm start -- --web` does, and waits for its address. */
export async function startWeb(person: Pick<Person, 'home' | 'dataDir'>, args: readonly string[] = []): Promise<WebProcess> {
  const child = spawn(process.execPath, [path.join(root, 'main/web/main.ts'), '--no-open', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LANG: 'en_US.UTF-8',
      HOME: person.home,
      USERPROFILE: person.home,
      MAITRE_DATA_DIR: person.dataDir,
    },
  });
  let output = '';
  const printed = Promise.withResolvers<string>();
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    const link = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+(?=\s)/.exec(output)?.[0];
    if (link !== undefined) printed.resolve(link);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      printed.reject(new Error(`The web shell ended with ${code}:\n${output}`));
      resolve(code);
    });
  });
  const link = await printed.promise;
  return {
    child,
    link,
    port: Number(new URL(link).port),
    output: () => output,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** All processes below `pid`, children of children too. */
export async function processesBelow(pid: number | undefined): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').flatMap((line) => {
    const [, own, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), command: command ?? '' }];
  });
  const below = (parent: number): typeof all => all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  // `ps` itself runs below the process that asks.
  return pid === undefined ? [] : below(pid).filter(({ command }) => !command.startsWith('ps '));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
