/**
 * An MCP server over HTTP that wants a sign-in. By hand: `node protectedServer.ts` serves it together with an authorization server
 * and prints its address.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type AuthServer, startAuthServer } from './authServer.ts';

export interface ProtectedServerOptions {
  path?: string;
  /** The server's own words about itself; its address where absent. */
  resource?(origin: string): string;
  /** The issuers it names; that of its authorization server where absent. */
  issuers?(): string[];
  scopes?: string[];
  /** What follows `Bearer` in the challenge; the address of its metadata where absent. */
  challenge?(origin: string): string;
  /** Where its metadata really is; below the well-known place of its path where absent. */
  metadataPath?: string;
  /** A permission that the tool `write` wants on top. */
  writeScope?: string;
  /** Answers before anything else; true when it did. */
  before?(request: IncomingMessage, body: string): { status: number; headers?: Record<string, string> } | undefined;
}

export interface ProtectedServer {
  origin: string;
  url: string;
  resource: string;
  /** What came, without bodies of the protocol. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
  close(): void;
}

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

function tools(): McpServer {
  const server = new McpServer({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('echo', { description: 'Gives back.', inputSchema: z.object({ text: z.string() }) }, ({ text }) => said(text));
  server.registerTool('write', { description: 'Writes.', inputSchema: z.object({ text: z.string() }) }, ({ text }) =>
    said(`wrote ${text}`),
  );
  return server;
}

export async function startProtectedServer(auth: AuthServer, options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const { path = '/mcp' } = options;
  const requests: ProtectedServer['requests'] = [];
  const answer = toNodeHandler(createMcpHandler(tools, { legacy: 'stateless' }));
  let origin = '';
  const resource = () => options.resource?.(origin) ?? origin + path;
  const metadataPath = options.metadataPath ?? `/.well-known/oauth-protected-resource${path}`;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { pathname } = new URL(request.url ?? '', origin);
      requests.push({ method: request.method ?? '', path: pathname, headers: request.headers, body });
      const early = options.before?.(request, body);
      if (early) return void response.writeHead(early.status, early.headers).end();
      if (pathname === metadataPath) {
        const about = {
          resource: resource(),
          authorization_servers: options.issuers?.() ?? [auth.issuer],
          ...(options.scopes ? { scopes_supported: options.scopes } : {}),
        };
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(about));
      }
      if (pathname !== path) return void response.writeHead(404).end();
      const refuse = (status: number, more = '') => {
        const told = options.challenge?.(origin) ?? `resource_metadata="${origin}${metadataPath}"`;
        response.writeHead(status, { 'www-authenticate': `Bearer ${told}${more}` }).end();
      };
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      const held = token === undefined ? undefined : auth.holds(token, resource());
      if (!held) return refuse(401);
      const message: { method?: string; params?: { name?: string } } = body === '' ? {} : JSON.parse(body);
      const { writeScope } = options;
      const writes = message.method === 'tools/call' && message.params?.name === 'write';
      if (writes && writeScope !== undefined && !held.scope.split(' ').includes(writeScope))
        return refuse(403, `, error="insufficient_scope", scope="${writeScope}"`);
      void answer(
        Object.assign(request, { method: request.method ?? 'GET', url: request.url ?? '/' }),
        response,
        body === '' ? undefined : message,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    url: origin + path,
    resource: resource(),
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${(await startProtectedServer(await startAuthServer())).url}\n`);
