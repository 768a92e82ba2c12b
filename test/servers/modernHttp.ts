/** A server that speaks both generations over HTTP on a free port, which it prints; with `only` on the command line, the modern one alone. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { modernServer } from './modernTools.ts';

const handler = createMcpHandler(() => modernServer(), { legacy: process.argv[2] === 'only' ? 'reject' : 'stateless' });
const answer = toNodeHandler(handler);
const server = createServer((request, response) => {
  const { method = 'GET', url = '/' } = request;
  void answer(Object.assign(request, { method, url }), response);
});
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
});
