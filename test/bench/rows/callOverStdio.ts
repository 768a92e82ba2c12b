import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { measureCall } from '../callCost.ts';
import type { Row } from '../row.ts';
import { everything } from '../servers.ts';

export const row: Row = {
  name: 'Call over stdio: time the host adds, in costs of its row writes',
  unit: '×',
  bound: 5,
  async run() {
    const connect = () => new StdioClientTransport({ ...everything, stderr: 'ignore' });
    const { bare, host, rows, loopDelayMs } = await measureCall({ config: everything, connect, era: 'legacy', argument: 'message' });
    const detail = `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host, ${rows.toFixed(2)} ms for the rows`;
    return { value: (host - bare) / rows, loopDelayMs, detail };
  },
};
