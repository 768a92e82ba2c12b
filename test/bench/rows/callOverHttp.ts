import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { measureCall } from '../callCost.ts';
import { type Row, withCleanUp } from '../row.ts';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

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

export const row: Row = {
  name: 'Call over HTTP: through the host, in calls of the bare client',
  unit: '×',
  bound: 1.3,
  run: () =>
    withCleanUp(async (later) => {
      const port = await freePort();
      const server = spawn(process.execPath, [program, 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      later(async () => {
        server.kill('SIGKILL');
        if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      });
      await once(server.stderr, 'data');
      server.stderr.resume();
      const url = `http://127.0.0.1:${port}/mcp`;
      const { bare, host, loopDelayMs } = await measureCall({ url }, () => new StreamableHTTPClientTransport(new URL(url)));
      return { value: host / bare, loopDelayMs, detail: `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host` };
    }),
};
