import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { measureCall } from '../callCost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { serveModern } from '../servers.ts';

export const row: Row = {
  name: 'Call over HTTP of 2026-07-28: through the host, in bare calls',
  unit: '×',
  // A server of this revision answers in about half the time of one with sessions: what the host adds, the same in both, is a larger share of it.
  bound: 1.8,
  run: () =>
    withCleanUp(async (later) => {
      const url = await serveModern(later);
      const connect = () => new StreamableHTTPClientTransport(new URL(url));
      const { bare, host, loopDelayMs } = await measureCall({ config: { url }, connect, era: 'modern', argument: 'text' });
      return { value: host / bare, loopDelayMs, detail: `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host` };
    }),
};
