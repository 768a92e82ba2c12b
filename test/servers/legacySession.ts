/**
 * A server over Streamable HTTP of one of the revisions with sessions, which writes down every request that it hears: `node legacySession.ts
 * REVISION` prints its address. A session begins with `initialize`; what it has to say beside answers goes over the stream that a GET opens. Its
 * tools: `echo`; `stall`, which answers when it is cancelled, too late.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Message, text, tool } from './rawStdio.ts';

export interface HeardExchange {
  http: string;
  headers: IncomingHttpHeaders;
  message: Message & { result?: unknown };
}

export interface LegacySession {
  url: string;
  heard: HeardExchange[];
  /** Names that its list of tools has beside its own. */
  added: string[];
  /** Says something over the stream of the GET, once there is one. */
  say(message: Record<string, unknown>): Promise<void>;
  /** Ends the stream of the GET, once there is one. */
  endStream(): Promise<void>;
  close(): Promise<void>;
}

interface LegacySessionOptions {
  initialize?: 'never';
  /** The status that every GET is refused with. */
  stream?: number;
  /** How many GETs get a stream; those behind are refused with 404. */
  streams?: number;
}

export async function startLegacySession(version: string, options: LegacySessionOptions = {}): Promise<LegacySession> {
  let given = 0;
  const heard: HeardExchange[] = [];
  const added: string[] = [];
  const streamed = Promise.withResolvers<ServerResponse>();
  const session = 'session-1!~';
  let stalled: ((reason: string) => void) | undefined;

  const resultOf = ({ method }: Message): Record<string, unknown> | undefined => {
    if (method === 'initialize')
      return {
        protocolVersion: version,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'legacy', version: '1.0.0' },
      };
    if (method === 'tools/list') return { tools: ['echo', 'stall', ...added].map(tool) };
    return method === 'tools/call' ? text('done') : undefined;
  };

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const message = JSON.parse(body || '{}') as HeardExchange['message'];
      heard.push({ http: request.method ?? '', headers: request.headers, message });
      const { id, method } = message;
      if (request.method === 'GET') {
        if (options.stream !== undefined) return void response.writeHead(options.stream).end('Cannot GET /mcp');
        if (given++ === options.streams) return void response.writeHead(404).end('No such session');
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
        return streamed.resolve(response);
      }
      // Many servers do not let a client end its session.
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (method === 'server/discover') return void response.writeHead(400).end('Bad Request: not initialized');
      if (method === 'initialize' && options.initialize === 'never') return;
      if (method === 'notifications/cancelled') stalled?.('too late');
      if (id === undefined || method === undefined) return void response.writeHead(202).end();
      const headers = { 'content-type': 'application/json', ...(method === 'initialize' && { 'mcp-session-id': session }) };
      const answer = (value: Record<string, unknown>) =>
        void response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
      if (message.params?.['name'] === 'stall') return void (stalled = (words) => answer({ result: text(words) }));
      const result = resultOf(message);
      answer(result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result });
    });
  });
  await new Promise<void>((resolve) => server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    heard,
    added,
    async say(message) {
      (await streamed.promise).write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    },
    async endStream() {
      (await streamed.promise).end();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

if (import.meta.main) process.stdout.write(`${(await startLegacySession(process.argv[2] ?? '2025-11-25')).url}\n`);
