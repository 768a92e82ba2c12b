import { type Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { bareClient, type Measurable } from '../callCost.ts';
import { median, type Row, watchLoop, withCleanUp } from '../row.ts';
import { everything, ownServer, serveEverything, serveModern } from '../servers.ts';

const rounds = 6;
/** Rounds at the start that only warm up. */
const warmUpRounds = 1;
const bound = 1.5;
const name = (what: string) => `Connect over ${what}: by the host, in times of the bare client`;

type Connectable = Omit<Measurable, 'argument'>;

/** From nothing to known lists: the bare client's time and the host's, in turns. Medians in milliseconds. */
function measureConnect({ config, connect, era }: Connectable): Promise<{ bare: number; host: number; loopDelayMs: number }> {
  return withCleanUp(async (later) => {
    const folder = benchFolder(later);
    const host = await startBenchHost(join(folder, 'data'), {}, later);
    const { server } = await host.run('server.add', { name: 'bench', config });
    const serverId = server.id;
    const reached = (state: 'starting' | 'ready') =>
      host.next((message) =>
        message.topic === 'servers' && message.event.type === 'server.changed' && message.event.server.status.state === state
          ? performance.now()
          : undefined,
      );
    if (server.status.state !== 'off' || server.status.needsConsent === undefined) throw new Error('The server asks for no consent.');
    const first = reached('ready');
    await host.run('server.consent', { serverId, configHash: server.status.needsConsent.configHash, allow: true });
    await first;
    const times = { bare: [] as number[], host: [] as number[] };
    const { loopDelayMs } = await watchLoop(async () => {
      for (let round = 0; round < warmUpRounds + rounds; round += 1) {
        const client = bareClient(era);
        const start = performance.now();
        await client.connect(connect());
        await readLists(client);
        const bare = performance.now() - start;
        await client.close();

        await host.run('server.setEnabled', { serverId, enabled: false });
        const [began, again] = [reached('starting'), reached('ready')];
        await host.run('server.setEnabled', { serverId, enabled: true });
        const own = -(await began) + (await again);
        if (round < warmUpRounds) continue;
        times.bare.push(bare);
        times.host.push(own);
      }
    });
    return { bare: median(times.bare), host: median(times.host), loopDelayMs };
  });
}

async function readLists(client: Client): Promise<void> {
  const offers = client.getServerCapabilities();
  await Promise.all([
    offers?.tools && client.listTools(),
    offers?.resources && client.listResources(),
    offers?.resources && client.listResourceTemplates(),
    offers?.prompts && client.listPrompts(),
  ]);
}

export const row: Row = {
  name: name('stdio'),
  unit: '×',
  bound,
  run: () =>
    withCleanUp(async (later) => {
      const [http, sse, modern] = [
        await serveEverything('streamableHttp', later),
        await serveEverything('sse', later),
        await serveModern(later),
      ];
      const modernProgram = ownServer('modernStdio', 'only');
      const kinds: (Connectable & { what: string })[] = [
        { what: 'stdio', config: everything, connect: () => new StdioClientTransport({ ...everything, stderr: 'ignore' }), era: 'legacy' },
        { what: 'HTTP', config: { url: http }, connect: () => new StreamableHTTPClientTransport(new URL(http)), era: 'legacy' },
        { what: 'SSE', config: { type: 'sse', url: sse }, connect: () => new SSEClientTransport(new URL(sse)), era: 'legacy' },
        {
          what: 'stdio of 2026-07-28',
          config: modernProgram,
          connect: () => new StdioClientTransport({ ...modernProgram, stderr: 'ignore' }),
          era: 'modern',
        },
        {
          what: 'HTTP of 2026-07-28',
          config: { url: modern },
          connect: () => new StreamableHTTPClientTransport(new URL(modern)),
          era: 'modern',
        },
      ];
      const measured = [];
      for (const kind of kinds) measured.push({ what: kind.what, ...(await measureConnect(kind)) });
      const [first, ...others] = measured;
      if (!first) throw new Error('Nothing was measured.');
      return {
        value: first.host / first.bare,
        loopDelayMs: Math.max(...measured.map(({ loopDelayMs }) => loopDelayMs)),
        detail: measured.map(({ what, bare, host }) => `${what}: ${bare.toFixed(0)} and ${host.toFixed(0)} ms`).join(', '),
        more: others.map(({ what, bare, host }) => ({ name: name(what), value: host / bare, unit: '×', bound })),
      };
    }),
};
