// `npm start`: the desktop window where this computer can show one, otherwise the same application in a browser.
import { fileURLToPath } from 'node:url';
import { missingDisplay } from './display.ts';
import { downloadElectron, electronBinary } from './electronBinary.ts';
import { runElectron } from './runElectron.ts';

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

/** The web shell, in this process: it takes its flags from the command line like any program. */
async function runWebShell(args: readonly string[]): Promise<void> {
  const shell = new URL('../main/web/main.ts', import.meta.url);
  process.argv = [process.execPath, fileURLToPath(shell), ...args];
  await import(shell.href);
}

const usage = `Usage: npm start [-- --web [--port N] [--no-open] [--model scripted:FILE]]
Opens the desktop window; with --web, or where no window can open, the same application in a browser of this computer.`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`);
} else if (args.includes('--web')) {
  await runWebShell(args.filter((arg) => arg !== '--web'));
} else {
  const electron = await findElectron();
  const outcome = 'reason' in electron ? electron : await runElectron(electron.binary, [root, ...args]);
  if (typeof outcome === 'number') {
    process.exitCode = outcome;
  } else {
    say(`The desktop window cannot open: ${outcome.reason}. Maitre opens in the browser instead.`);
    await runWebShell(args);
  }
}
