import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

/** A local server's entry in the usual `mcpServers` shape. */
export interface ProgramConfig {
  command: string;
  args: string[];
}

const { resolve } = createRequire(import.meta.url);
const node = (...args: string[]): ProgramConfig => ({ command: process.execPath, args });

export const everything = node(resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio');
export const memory = node(resolve('@modelcontextprotocol/server-memory/dist/index.js'));
export const filesystem = (folder: string) => node(resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), folder);
/** One of test/servers. */
export const ownServer = (name: string, ...args: string[]) =>
  node(fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url)), ...args);
export const inline = (code: string) => node('--eval', code);

/** Starts the reference server over HTTP, or SSE, and returns its address. */
export async function serveEverything(transport: 'streamableHttp' | 'sse', later: (undo: () => unknown) => void): Promise<string> {
  const port = await freePort();
  const [program = ''] = everything.args;
  const { stderr } = run(node(program, transport), { PORT: String(port) }, later);
  for await (const line of createInterface(stderr)) if (/port/i.test(line)) break;
  stderr.resume();
  return `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
}

/** The same for a server of 2026-07-28. */
export async function serveModern(later: (undo: () => unknown) => void): Promise<string> {
  const { stdout, stderr } = run(ownServer('modernHttp', 'only'), {}, later);
  stderr.resume();
  const [url] = await once(createInterface(stdout), 'line');
  return String(url);
}

function run({ command, args }: ProgramConfig, env: Record<string, string>, later: (undo: () => unknown) => void) {
  const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  later(async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });
  return server;
}

/** The reference server cannot choose a port by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}
