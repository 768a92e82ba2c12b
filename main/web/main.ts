import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createHost } from '../host/createHost.ts';
import { nodePorts } from '../host/nodePorts.ts';
import { Refusal, messageOf, refuse } from '../host/refusal.ts';
import { startWebShell } from './webShell.ts';
import type { WebShell } from './webShell.ts';

/** Longest wait for servers and database at the end, in milliseconds. */
const closeMs = 15_000;

const root = path.resolve(import.meta.dirname, '../..');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));

function readFlags(args: string[]): { port: number; open: boolean; scriptFiles: string[] } {
  const usage = 'Usage: npm start -- --web [--port N] [--no-open] [--model scripted:FILE]';
  let values: { port?: string; 'no-open'?: boolean; model?: string };
  try {
    ({ values } = parseArgs({
      args,
      options: { web: { type: 'boolean' }, port: { type: 'string' }, 'no-open': { type: 'boolean' }, model: { type: 'string' } },
    }));
  } catch (error) {
    return refuse('invalidInput', `${messageOf(error)}\n${usage}`);
  }
  const port = values.port === undefined ? 0 : Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || values.port === '') {
    return refuse('invalidInput', `--port takes a number from 0 to 65535, not “${values.port}”.\n${usage}`);
  }
  return { port, open: values['no-open'] !== true, scriptFiles: values.model === undefined ? [] : [scriptFile(values.model, usage)] };
}

function scriptFile(model: string, usage: string): string {
  if (!model.startsWith('scripted:')) return refuse('invalidInput', `--model takes scripted:FILE here, not “${model}”.\n${usage}`);
  try {
    return realpathSync(model.slice('scripted:'.length));
  } catch (error) {
    return refuse('invalidInput', `The script of --model cannot be read: ${messageOf(error)}`);
  }
}

async function start(): Promise<void> {
  const { port, open, scriptFiles } = readFlags(process.argv.slice(2));
  let shell: WebShell | null = null;
  const base = nodePorts({ env: process.env });
  const ports = {
    ...base,
    createLink(): string {
      if (shell === null) throw new Error('A link was asked for before the web shell listened.');
      return shell.createLink();
    },
  };
  const host = await createHost(ports, { shell: 'web', version, scriptFiles });
  try {
    shell = await startWebShell({ host, port, rendererDir: path.join(root, 'dist/renderer'), log: ports.log });
  } catch (error) {
    await host.close();
    const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (inUse) refuse('wrongState', `Port ${port} is taken by another program. Choose another with --port, or leave --port out.`);
    throw error;
  }
  const running = shell;

  let closingSince: number | null = null;
  const close = (signal: NodeJS.Signals): void => {
    if (closingSince !== null) {
      // A second Ctrl+C means that the person does not want to wait. The first one arrives several times: from the terminal and from npm.
      if (performance.now() - closingSince > 500) process.exit(1);
      return;
    }
    closingSince = performance.now();
    ports.log.info('The web shell closes.', { signal });
    const late = setTimeout(() => {
      console.error(`Maitre did not close within ${closeMs / 1000} s and was ended.`);
      process.exit(1);
    }, closeMs);
    late.unref();
    running
      .close()
      .then(() => host.close())
      .then(() => process.exit(0))
      .catch(fail);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);

  // The one line that scripts read. The browser gets a link of its own, so that this one is still good afterwards.
  console.log(`Maitre is at ${running.createLink()}`);
  if (!open) return;
  try {
    await ports.openUrl(running.createLink());
  } catch (error) {
    ports.log.warn('The browser could not be opened.', { error: messageOf(error) });
    console.error(`The browser could not be opened (${messageOf(error)}). Open the address above yourself; it works once.`);
  }
}

function fail(error: unknown): void {
  if (error instanceof Refusal) {
    console.error(error.failure.detail === undefined ? error.message : `${error.message}\n${error.failure.detail}`);
    process.exit(1);
  }
  throw error;
}

await start().catch(fail);
