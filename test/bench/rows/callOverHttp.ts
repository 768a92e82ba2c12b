import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { measureCall } from '../callCost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { serveEverything } from '../servers.ts';

export const row: Row = {
  name: 'Call over HTTP: through the host, in calls of the bare client',
  unit: '×',
  bound: 1.3,
  run: () =>
    withCleanUp(async (later) => {
      const url = await serveEverything('streamableHttp', later);
      const connect = () => new StreamableHTTPClientTransport(new URL(url));
      const { bare, host, loopDelayMs } = await measureCall({ config: { url }, connect, era: 'legacy', argument: 'message' });
      return { value: host / bare, loopDelayMs, detail: `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host` };
    }),
};
