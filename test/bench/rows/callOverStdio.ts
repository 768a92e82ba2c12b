import { createRequire } from 'node:module';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { measureCall } from '../callCost.ts';
import type { Row } from '../row.ts';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const config = { command: process.execPath, args: [program, 'stdio'] };

export const row: Row = {
  name: 'Call over stdio: time the host adds, in costs of its row writes',
  unit: '×',
  bound: 5,
  async run() {
    const { bare, host, rows, loopDelayMs } = await measureCall(config, () => new StdioClientTransport({ ...config, stderr: 'ignore' }));
    const detail = `${bare.toFixed(2)} ms bare, ${host.toFixed(2)} ms through the host, ${rows.toFixed(2)} ms for the rows`;
    return { value: (host - bare) / rows, loopDelayMs, detail };
  },
};
