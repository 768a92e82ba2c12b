import { basename } from 'node:path';
import type { ChildProgram, Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { childEnvironment, mergePaths, readVariable } from './environment.ts';

/** A profile that asks a question or waits for the network must not hold up the servers. */
const shellTimeoutMs = 3000;
const maxOutput = 1_000_000;
const marker = '__MAITRE_PATH__';

export interface LoginPathDeps {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** True in a shell that a desktop can start. Such a start gives programs a PATH without the person's own folders. */
  fromDesktop: boolean;
  clock: Clock;
  log: Log;
  spawn(command: string, args: readonly string[], options: { env: Record<string, string> }): ChildProgram;
}

/**
 * The PATH for servers, found once: that of the process, after a start from the desktop behind that of the login shell, so
 * that `npx`, `uvx` and the `node` they look for are found as in a terminal. Never rejects.
 */
export function createLoginPath(deps: LoginPathDeps): () => Promise<string> {
  const own = readVariable(deps.env, 'PATH', deps.platform) ?? '';
  let found: Promise<string> | undefined;
  // A terminal always says what it is; what a desktop starts is told of none.
  const hasTerminal = (deps.env['TERM'] ?? 'dumb') !== 'dumb';
  const asks = deps.fromDesktop && !hasTerminal && deps.platform !== 'win32';
  return () => (found ??= asks ? askShell(deps, own) : Promise.resolve(own));
}

async function askShell(deps: LoginPathDeps, own: string): Promise<string> {
  const shell = deps.env['SHELL'] ?? (deps.platform === 'darwin' ? '/bin/zsh' : '/bin/sh');
  // Profiles print greetings, so the value stands between markers. fish keeps PATH as a list.
  const value = basename(shell) === 'fish' ? '(string join : $PATH)' : '"$PATH"';
  const child = deps.spawn(shell, ['-l', '-i', '-c', `printf '%s%s%s' ${marker} ${value} ${marker}`], {
    env: childEnvironment(deps.env, {}, { platform: deps.platform }),
  });
  child.end();
  child.stderr.resume();
  let output = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    if (output.length < maxOutput) output += chunk;
  });
  const finished = new Promise<void>((resolve, reject) => {
    child.stdout.once('end', resolve);
    child.exited.catch(reject);
  });
  let cancel: () => void = () => undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    cancel = deps.clock.after(shellTimeoutMs, () => reject(new Error(`no answer within ${shellTimeoutMs} ms`)));
  });
  try {
    await Promise.race([finished, overrun]);
    const [, path] = output.split(marker);
    if (path === undefined) throw new Error('the shell did not say its PATH');
    return mergePaths(path, own);
  } catch (error) {
    deps.log.warn('The PATH of the login shell could not be read; servers are started with the PATH of the application.', {
      shell,
      reason: messageOf(error),
    });
    return own;
  } finally {
    cancel();
    await child.kill();
  }
}
