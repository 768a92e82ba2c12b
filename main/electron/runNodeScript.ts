import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { utilityProcess } from 'electron';
import type { UtilityProcess } from 'electron';
import { PassThrough } from 'node:stream';
import type { ChildProgram, Exit, RunNodeScript } from '../host/ports.ts';
import { isFromUtility } from './utilityMessages.ts';
import type { ToUtility } from './utilityMessages.ts';

/** How long a script has to end after it was asked to, before it is ended. */
const politeMs = 2000;
const run = promisify(execFile);

/**
 * Runs scripts as utility processes: the packaged application cannot be run as Node (the fuse is off), and need not be.
 * `shim` is the built `utilityShim.js`.
 */
export function utilityScripts(shim: string): RunNodeScript {
  return (script, args, { env, cwd }) => {
    const child = utilityProcess.fork(shim, [script, ...args], {
      env: { ...env },
      ...(cwd === undefined ? {} : { cwd }),
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe'],
      serviceName: 'Maitre server',
    });
    return childProgram(child);
  };
}

function childProgram(child: UtilityProcess): ChildProgram {
  const takers = new Map<number, { resolve(): void; reject(reason: Error): void }>();
  let writes = 0;
  let running = true;
  let spawned = false;
  const closed = (): Error => new Error('The script has ended and takes no more input.');
  const send = (message: ToUtility): void => child.postMessage(message);

  child.once('spawn', () => {
    spawned = true;
  });
  child.on('message', (message: unknown) => {
    if (!isFromUtility(message)) return;
    takers.get(message.id)?.resolve();
    takers.delete(message.id);
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code) => {
      running = false;
      for (const taker of takers.values()) taker.reject(closed());
      takers.clear();
      resolve({ code, signal: null });
    });
  });

  // Electron makes these streams at once; the types allow null for the modes that are not used here.
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  child.stdout?.pipe(stdout);
  child.stderr?.pipe(stderr);

  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    if (!running) return;
    if (!spawned) await Promise.race([new Promise<void>((resolve) => child.once('spawn', () => resolve())), exited]);
    const pid = child.pid;
    const below = pid === undefined ? [] : await descendantsOf(pid);
    child.kill();
    const late = setTimeout(() => {
      if (running && pid !== undefined) killIfThere(pid);
    }, politeMs);
    await exited;
    clearTimeout(late);
    for (const descendant of below) killIfThere(descendant);
  };

  return {
    get pid() {
      return child.pid;
    },
    stdout,
    stderr,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (!running) {
          reject(closed());
          return;
        }
        writes += 1;
        takers.set(writes, { resolve, reject });
        send({ kind: 'stdin', id: writes, bytes: chunk });
      }),
    end() {
      if (running) send({ kind: 'stdinEnd' });
    },
    kill: () => (ending ??= end()),
    exited,
  };
}

/** The processes that a process has started, and those that these have started. A utility process leads no group. */
async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } =
    process.platform === 'win32'
      ? await run('powershell.exe', [
          '-NoProfile',
          '-Command',
          'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId)" }',
        ])
      : await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const childrenOf = Map.groupBy(
    stdout.split('\n').flatMap((line) => {
      const [child, parent] = line.trim().split(/\s+/).map(Number);
      return child === undefined || parent === undefined ? [] : [{ child, parent }];
    }),
    (pair) => pair.parent,
  );
  const found: number[] = [];
  for (const queue = [pid]; queue.length > 0;) {
    for (const { child } of childrenOf.get(queue.pop() ?? 0) ?? []) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
