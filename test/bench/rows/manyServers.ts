import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { bareClient } from '../callCost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';
import { everything } from '../servers.ts';

const servers = 25;
/** Bare clients that start at a time: with more, programs only wait for each other. */
const atOnce = 3;

async function startBare(): Promise<number> {
  const start = performance.now();
  let left = servers;
  const clients: ReturnType<typeof bareClient>[] = [];
  const next = async (): Promise<void> => {
    while (left-- > 0) {
      const client = bareClient('legacy');
      clients.push(client);
      await client.connect(new StdioClientTransport({ ...everything, stderr: 'ignore' }));
      await Promise.all([client.listTools(), client.listResources(), client.listResourceTemplates(), client.listPrompts()]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  const ms = performance.now() - start;
  await Promise.all(clients.map((client) => client.close()));
  return ms;
}

export const row: Row = {
  name: `${servers} servers at once: all ready, in times of as many bare clients`,
  unit: '×',
  bound: 1.3,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const names = Array.from({ length: servers }, (_, n) => [`server ${n}`, everything]);
      const serversFile = writeJson(join(folder, 'servers.json'), { mcpServers: Object.fromEntries(names) });
      const bare = await startBare();
      const start = performance.now();
      const { loopDelayMs } = await watchLoop(async () => {
        const host = await startBenchHost(join(folder, 'data'), { serversFile }, later);
        await host.serversReady();
      });
      const ms = performance.now() - start;
      return { value: ms / bare, loopDelayMs, detail: `${(bare / 1000).toFixed(2)} s bare, ${(ms / 1000).toFixed(2)} s by the host` };
    }),
};
