import type { Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { buildCatalogue } from '../../../main/host/tools/catalogue.ts';
import type { ServerTool } from '../../../main/host/mcp/callTool.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import { benchFolder } from '../benchHost.ts';
import { bareClient } from '../callCost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';
import { everything, filesystem, memory } from '../servers.ts';

const servers = 25;
const toolsOfServer = 20;
const limits = { maxTools: 128, contextTokens: 200_000, images: true, dialect: 'anthropic' } as const;
const queries = [
  'read a file',
  'create entities in the knowledge graph',
  'search for nodes',
  '列出文件',
  'long running operation with progress',
  'x',
];

/** Tools as real servers describe them, dealt out to 25 servers. */
async function realTools(folder: string): Promise<ServerTool[]> {
  const described: Tool[] = [];
  for (const program of [everything, memory, filesystem(folder)]) {
    const client = bareClient('legacy');
    await client.connect(new StdioClientTransport({ ...program, stderr: 'ignore' }));
    described.push(...(await client.listTools()).tools);
    await client.close();
  }
  return Array.from({ length: servers * toolsOfServer }, (_, n) => {
    const tool = described[n % described.length];
    if (!tool) throw new Error('No server has a tool.');
    const server = Math.floor(n / toolsOfServer);
    return {
      serverId: ServerId.parse(`server-${server}`),
      serverName: `server ${server}`,
      name: `${tool.name}_${n % toolsOfServer}`,
      title: tool.title,
      description: tool.description,
      inputSchema: { ...tool.inputSchema },
    };
  });
}

export const row: Row = {
  name: `${servers} servers of ${toolsOfServer} tools: the slowest search, the first one included`,
  unit: 'ms',
  bound: 30,
  run: () =>
    withCleanUp(async (later) => {
      const tools = await realTools(benchFolder(later));
      const { value, loopDelayMs } = await watchLoop(async () => {
        const start = performance.now();
        const catalogue = buildCatalogue(tools, limits, new Set());
        const buildMs = performance.now() - start;
        const times = queries.map((query) => {
          const before = performance.now();
          const { wireNames } = catalogue.findTools({ query });
          if (query === queries[0] && wireNames.length === 0) throw new Error('The search finds nothing.');
          return performance.now() - before;
        });
        return { catalogue, buildMs, searchMs: Math.max(...times) };
      });
      const { catalogue, buildMs, searchMs } = value;
      return {
        value: searchMs,
        loopDelayMs,
        detail: `${tools.length} tools, ${catalogue.modelTools.length} offered at first, made in ${buildMs.toFixed(0)} ms`,
        more: [
          {
            name: `${servers} servers of ${toolsOfServer} tools: share of a context of ${limits.contextTokens} tokens`,
            value: (100 * catalogue.tokens) / limits.contextTokens,
            unit: '%',
            bound: 2,
          },
          {
            name: 'Tools offered, in the most that the provider takes',
            value: catalogue.modelTools.length / limits.maxTools,
            unit: '×',
            bound: 1,
          },
        ],
      };
    }),
};
