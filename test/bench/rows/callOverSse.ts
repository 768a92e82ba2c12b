import { SSEClientTransport } from '@modelcontextprotocol/client';
import { measureCall } from '../callCost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { serveEverything } from '../servers.ts';

export const row: Row = {
  name: 'Call over SSE: through the host, in calls of the bare client',
  unit: '×',
  // The reference server answers over SSE in less than half the time it takes over Streamable HTTP: what the host adds is a larger share of it.
  bound: 1.8,
  run: () =>
    withCleanUp(async (later) => {
      const url = await serveEverything('sse', later);
      const connect = () => new SSEClientTransport(new URL(url));
      const { bare, host, loopDelayMs } = await measureCall({ config: { type: 'sse', url }, connect, era: 'legacy', argument: 'message' });
      return { value: host / bare, loopDelayMs, detail: `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host` };
    }),
};
