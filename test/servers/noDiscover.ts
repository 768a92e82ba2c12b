/** A modern server that lacks `server/discover`, though it must have it: over stdio, or with `http` on the command line over HTTP. */
import { createServer } from 'node:http';
import { onMessage, write } from './rawStdio.ts';

type Message = { id?: string | number; method?: string; params?: { _meta?: Record<string, unknown>; name?: string } };

function answer(message: Message): object | undefined {
  const { id, method, params } = message;
  if (id === undefined) return undefined;
  const reply = (value: object) => ({ jsonrpc: '2.0', id, ...value });
  if (params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28')
    return reply({ error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'], requested: 'none' } } });
  if (method === 'tools/list') {
    const tools = [{ name: 'hello', inputSchema: { type: 'object' } }];
    return reply({ result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' } });
  }
  if (method === 'tools/call') return reply({ result: { resultType: 'complete', content: [{ type: 'text', text: 'hello' }] } });
  return reply({ error: { code: -32601, message: 'Method not found' } });
}

if (process.argv[2] === 'http') {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const said = request.method === 'POST' ? answer(JSON.parse(body) as Message) : undefined;
      if (!said) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const status = 'error' in said ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
} else {
  onMessage((message) => {
    const said = answer(message);
    if (said) write(said);
  });
}
