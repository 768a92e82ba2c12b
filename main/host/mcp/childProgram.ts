import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import spawn from 'cross-spawn';
import type { ChildProgram, Exit } from '../ports.ts';

/** Why a program never ran. `exited` of its {@link ChildProgram} and every `write` reject with it. */
export class SpawnFailure extends Error {
  /** The system's code: `ENOENT` (no such program, or no such working folder), `EACCES`, `E2BIG`... */
  readonly code: string;
  readonly command: string;
  /** Set when the working folder is what is missing: the system reports both with the same code. */
  readonly missingFolder: string | undefined;

  constructor(command: string, cause: NodeJS.ErrnoException, cwd?: string) {
    super(cause.message, { cause });
    this.name = 'SpawnFailure';
    this.code = cause.code ?? 'UNKNOWN';
    this.command = command;
    this.missingFolder = cwd !== undefined && !existsSync(cwd) ? cwd : undefined;
  }
}

/** Milliseconds between the polite end of a process group and the end that cannot be refused. */
const politeMs = 2000;
/** How often a group that was told to end is looked at, in milliseconds: at first, and when it takes its time. */
const lookMs = 15;
const slowLookMs = 100;

/**
 * Starts a program without a shell. Its whole process tree is ended by `kill`: on POSIX it leads a process group of its
 * own, which gets SIGTERM, then SIGKILL; on Windows the tree is ended by `taskkill`.
 *
 * `env` is the child's whole environment; nothing of ours is added.
 * Never throws: a program that cannot be started rejects `exited` with a {@link SpawnFailure}.
 */
export function spawnProgram(
  command: string,
  args: readonly string[],
  options: {
    env: Record<string, string>;
    cwd?: string | undefined;
    /** What the program finds on its descriptors from 3 on, each to its end: for what must not stand among its arguments. */
    feeds?: readonly (string | Uint8Array)[] | undefined;
  },
): ChildProgram {
  let child: ChildProcess;
  try {
    child = spawn(command, [...args], {
      cwd: options.cwd,
      env: options.env,
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe', ...(options.feeds ?? []).map(() => 'pipe' as const)],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (thrown) {
    // Node throws here for arguments with NUL bytes, and for some errors of the system itself.
    return neverRan(new SpawnFailure(command, thrown instanceof Error ? thrown : new Error(String(thrown)), options.cwd));
  }
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) return neverRan(new SpawnFailure(command, new Error('The system gave no pipes to the program.')));

  let failure: SpawnFailure | undefined;
  let gone = false;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', (error) => {
      // An `error` after a successful start is about a signal that could not be sent, not about the program.
      if (child.pid !== undefined) return;
      failure = new SpawnFailure(command, error, options.cwd);
      reject(failure);
    });
    child.once('exit', (code, signal) => {
      // The system may give the number of an empty group to a stranger later: such a group must not be signalled any more.
      if (child.pid !== undefined && process.platform !== 'win32' && !signalGroup(child.pid, 0)) gone = true;
      resolve({ code, signal });
    });
  });
  exited.catch(() => undefined);
  // A child that closes its stdin early gives EPIPE: `write` reports it to the writer, and it must not end the host.
  stdin.on('error', () => undefined);
  for (const [index, feed] of (options.feeds ?? []).entries()) {
    // The types know of no more descriptors than five.
    const fed = (child.stdio as readonly (Readable | Writable | null | undefined)[])[3 + index];
    if (!fed || !('end' in fed)) continue;
    // As with stdin: a program that ends before it has read it is told of by its end.
    fed.on('error', () => undefined);
    fed.end(feed);
  }

  let killed: Promise<void> | undefined;
  return {
    pid: child.pid,
    stdout,
    stderr,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (failure) reject(failure);
        else stdin.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => void stdin.end(),
    kill: () => (killed ??= child.pid === undefined || gone ? Promise.resolve() : endTree(child, child.pid, exited)),
    exited,
  };
}

async function endTree(child: ChildProcess, pid: number, exited: Promise<Exit>): Promise<void> {
  let ended = true;
  if (process.platform === 'win32') {
    // `taskkill` fails when nothing is left, which is what is wanted.
    await new Promise<void>((resolve) => execFile('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve()));
  } else {
    signalGroup(pid, 'SIGTERM');
    ended = await groupEnds(pid, politeMs);
    if (!ended) {
      signalGroup(pid, 'SIGKILL');
      ended = await groupEnds(pid, politeMs);
    }
  }
  // A process of another user (setuid) cannot be ended by us; waiting for it would keep the host from quitting.
  if (ended) await exited;
  // A grandchild that left the group may still hold our pipes open, and would keep the host from ending.
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Signals every process of the group; false when there is none. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM means that members exist but changed their user (setuid): they are there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Resolves to true as soon as nothing of the group is left, to false after `ms`. */
async function groupEnds(pid: number, ms: number): Promise<boolean> {
  // Not the time of day: were it set back meanwhile, a group that refuses the polite end would be waited for as long.
  const begin = performance.now();
  while (signalGroup(pid, 0)) {
    const passed = performance.now() - begin;
    if (passed > slowLookMs && onlyZombies(pid)) return true;
    if (passed > ms) return false;
    await new Promise((resolve) => setTimeout(resolve, passed > slowLookMs ? slowLookMs : lookMs));
  }
  return true;
}

/**
 * Whether all of the group are dead and only wait to be collected. In a container without an init process orphans stay so
 * for ever, and would make every stop wait for its whole time.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== 'linux') return false;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // `pid (name) state parent group …`; the name may hold anything, a bracket too.
    const fields = statOf(entry).split(') ').pop()?.split(' ') ?? [];
    if (fields[2] === String(group) && fields[0] !== 'Z' && fields[0] !== 'X') return false;
  }
  return true;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    // It ended between the listing and the look.
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

/** A program that was not even tried, as one that could not be started. */
export function neverRan(failure: SpawnFailure): ChildProgram {
  const exited = Promise.reject<Exit>(failure);
  exited.catch(() => undefined);
  const closed = (): Readable => new PassThrough().end();
  return {
    pid: undefined,
    stdout: closed(),
    stderr: closed(),
    write: () => Promise.reject(failure),
    end: () => undefined,
    kill: () => Promise.resolve(),
    exited,
  };
}
