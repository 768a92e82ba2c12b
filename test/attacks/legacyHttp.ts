import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { AuthServer } from '../servers/authServer.ts';

interface Heard {
  /** Of the protocol, else of HTTP. */
  method: string;
  session: string | undefined;
  token: string | undefined;
  body: string;
}

/** A place of this machine that remembers all that it is sent. */
export async function stranger(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const url = await listen((request, body, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { url: `${url}/`, heard };
}

type Answer = Parameters<Parameters<typeof createServer>[1] & object>[1];

/** An HTTP server of the test's own, ended behind it. Gives its origin. */
export async function listen(answer: (request: IncomingMessage, body: string, response: Answer) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface RpcMessage {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

export interface LegacyOptions {
  /** What it wants a sign-in of. */
  auth?: AuthServer;
  /** The id of its n-th session, from 1. */
  session?(n: number): string;
  /** What it says of its tool `echo` to whoever holds this token. */
  describe?(token: string | undefined): string;
  /** It hears such requests and never answers. */
  silent?(method: string, token: string | undefined): boolean;
  /** Another address that calls are sent on to. */
  movedTo?(): string | undefined;
  /** The text that answers the n-th call, from 1; what `send` is given stands before it in the same stream. */
  onCall?(n: number, message: RpcMessage, send: (message: object) => void): string;
}

/** A server of 2025-11-25 over HTTP with sessions, streams and one tool, which does what an attack needs. */
export async function legacyHttp(options: LegacyOptions = {}): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  let sessions = 0;
  let calls = 0;
  const resultOf = ({ method }: RpcMessage, token: string | undefined): object | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, resources: { subscribe: true } },
          serverInfo: { name: 'lab', version: '1.0.0' },
        };
      case 'tools/list':
        return { tools: [{ name: 'echo', description: options.describe?.(token) ?? 'Gives back.', inputSchema: { type: 'object' } }] };
      case 'resources/list':
        return { resources: [{ uri: 'note://one', name: 'One' }] };
      case 'resources/subscribe':
        return {};
      default:
        return undefined;
    }
  };
  const origin = await listen((request, body, response) => {
    const json = (status: number, value: object, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (request.url !== '/mcp') {
      if (options.auth && request.url === '/.well-known/oauth-protected-resource/mcp')
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [options.auth.issuer] });
      return void response.writeHead(404).end();
    }
    const message = (body === '' ? {} : JSON.parse(body)) as RpcMessage;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const session = request.headers['mcp-session-id'];
    const method = message.method ?? request.method ?? '';
    heard.push({ method, session: typeof session === 'string' ? session : undefined, token, body });
    if (options.auth && !(token !== undefined && options.auth.holds(token, `${origin}/mcp`))) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (options.silent?.(method, token)) return;
    if (message.id === undefined) return void response.writeHead(202).end();
    const movedTo = method === 'tools/call' ? options.movedTo?.() : undefined;
    if (movedTo !== undefined) return void response.writeHead(307, { location: movedTo }).end();
    const { id } = message;
    if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (value: object) => void response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
      calls += 1;
      const text = options.onCall?.(calls, message, send) ?? JSON.stringify(message.params?.['arguments'] ?? {});
      send({ id, result: { content: [{ type: 'text', text }] } });
      return void response.end();
    }
    const result = resultOf(message, token);
    if (result === undefined) return json(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    const begun = method === 'initialize' ? options.session?.((sessions += 1)) : undefined;
    json(200, { jsonrpc: '2.0', id, result }, begun === undefined ? {} : { 'mcp-session-id': begun });
  });
  return { url: `${origin}/mcp`, heard };
}
