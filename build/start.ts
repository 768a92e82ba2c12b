// `npm start`: the desktop window where this computer can show one, otherwise the same application in a browser.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { missingDisplay } from './display.ts';
import { downloadElectron, electronBinary } from './electronBinary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const stallMs = 60_000;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Why Electron cannot run here, as the rest of a sentence; a path when it can. */
async function findElectron(): Promise<{ binary: string } | { reason: string }> {
  // Chromium refuses to run as root with its sandbox, and without it Maitre does not run.
  if (process.getuid?.() === 0) return { reason: 'Electron does not run as root' };
  const display = await missingDisplay(process.env, process.platform);
  if (display !== null) return { reason: display };
  try {
    return { binary: electronBinary() ?? (await downloadElectron(stallMs, say)) };
  } catch (error) {
    return { reason: `Electron could not be downloaded (${reasonOf(error)})` };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * Resolves to the exit code, or to a reason when Electron ended before its window could be made. The shell says `ready` over the channel; an
 * orderly end before that is a second start, which has handed over to the first.
 */
function runElectron(binary: string, args: readonly string[]): Promise<number | { reason: string }> {
  return new Promise((resolve) => {
    const { ELECTRON_RUN_AS_NODE: _runAsNode, ...env } = process.env;
    const child = spawn(binary, [root, ...args], { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    let ready = false;
    child.on('message', (message) => {
      ready ||= message === 'ready';
    });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const forward = (signal: NodeJS.Signals): void => {
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    const finish = (outcome: number | { reason: string }): void => {
      for (const signal of signals) process.off(signal, forward);
      resolve(outcome);
    };
    child.on('error', (error) => finish({ reason: `Electron could not be started (${error.message})` }));
    child.on('exit', (code, signal) => {
      if (ready || code === 0) finish(code ?? 1);
      else finish({ reason: `Electron ended before it was ready (${signal ?? `code ${code}`})` });
    });
  });
}

/** The web shell, in this process: it takes its flags from the command line like any program. */
async function runWebShell(args: readonly string[]): Promise<void> {
  const shell = new URL('../main/web/main.ts', import.meta.url);
  process.argv = [process.execPath, fileURLToPath(shell), ...args];
  await import(shell.href);
}

const args = process.argv.slice(2);
if (args.includes('--web')) {
  await runWebShell(args.filter((arg) => arg !== '--web'));
} else {
  const electron = await findElectron();
  const outcome = 'reason' in electron ? electron : await runElectron(electron.binary, args);
  if (typeof outcome === 'number') {
    process.exitCode = outcome;
  } else {
    say(`The desktop window cannot open: ${outcome.reason}. Maitre opens in the browser instead.`);
    await runWebShell(args);
  }
}
