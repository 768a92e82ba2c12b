/**
 * A security tool's server over Streamable HTTP of 2025-11-25 (or, with `2025-03-26` on the command line, of that revision, which sends
 * batches): sessions, streams with event ids that are closed early and taken up again, findings with structured content and links.
 * Prints its address when run by hand.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Json = Record<string, unknown>;

export interface Scanner {
  url: string;
  /** Scans that were begun. */
  scans: string[];
  /** Sessions in the order of their making. */
  sessions: string[];
  /** `Last-Event-ID` of each stream that was taken up again. */
  resumed: string[];
  /** How long it wants a stream to be left before it is taken up again, in milliseconds. */
  retryMs: number;
  /** From now on it knows no session. */
  forget(): void;
  /** What `initialize` is answered with instead of a result. */
  initializeWith: Json | undefined;
  close(): Promise<void>;
}

export async function startScanner(version: '2025-11-25' | '2025-03-26' = '2025-11-25'): Promise<Scanner> {
  const sessions = new Set<string>();
  /** What a stream still owes, by the id of its last event. */
  const owed = new Map<string, Json[]>();

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handle(request, response, body));
  });

  function handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const session = request.headers['mcp-session-id'];
    const message = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string; params?: Json };
    const known = typeof session === 'string' && sessions.has(session);
    if (message.method !== 'initialize' && !known) return void response.writeHead(404).end('Session not found');
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method === 'GET') return resume(request, response);
    const send = (value: Json, headers: Record<string, string> = {}) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...value }));
    switch (message.method) {
      case 'initialize': {
        // What came before `initialize` of this revision is unknown to it.
        if (scanner.initializeWith) return send({ result: scanner.initializeWith });
        const made = randomUUID();
        sessions.add(made);
        scanner.sessions.push(made);
        return send(
          {
            result: {
              protocolVersion: version,
              capabilities: { tools: {}, resources: {}, logging: {} },
              serverInfo: { name: 'scanner', version: '8.1.0' },
              instructions: 'Scan only hosts that the user owns.',
            },
          },
          { 'mcp-session-id': made },
        );
      }
      case 'tools/list':
        return send({ result: { tools: [scanTool] } });
      case 'resources/list':
        return send({ result: { resources: [{ uri: 'scan://report/1', name: 'Report' }] } });
      case 'resources/read':
        return message.params?.['uri'] === 'scan://report/1'
          ? send({ result: { contents: [{ uri: 'scan://report/1', text: '# Report' }] } })
          : send({ error: { code: -32002, message: 'Resource not found' } });
      case 'tools/call':
        return scan(response, message.id ?? 0, message.params ?? {});
      default:
        if (message.id === undefined) return void response.writeHead(202).end();
        return send({ error: { code: -32601, message: 'Method not found' } });
    }
  }

  function scan(response: ServerResponse, id: number, params: Json): void {
    const { host, _meta } = { ...(params['arguments'] as Json), _meta: params['_meta'] } as {
      host: string;
      _meta?: { progressToken?: number };
    };
    scanner.scans.push(host);
    const progress = (step: number): Json => ({
      method: 'notifications/progress',
      params: { progressToken: _meta?.progressToken, progress: step, total: 2, message: `port ${step}` },
    });
    const result: Json = {
      id,
      result: {
        content: [
          { type: 'text', text: `1 finding on ${host}` },
          { type: 'resource_link', uri: 'scan://report/1', name: 'report-1', title: 'Report', mimeType: 'text/markdown' },
        ],
        structuredContent: { findings: [{ rule: 'CWE-79', severity: 'high', file: 'a.ts', line: 3 }] },
      },
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const stream = randomUUID();
    const event = (value: Json | Json[], eventId?: string) =>
      void response.write(
        `${eventId === undefined ? '' : `id: ${eventId}\n`}data: ${JSON.stringify(Array.isArray(value) ? value.map(withVersion) : withVersion(value))}\n\n`,
      );
    if (version === '2025-03-26') {
      event([progress(1), progress(2), result]);
      return void response.end();
    }
    // The priming event lets the client take the stream up again; then this one is closed early.
    response.write(`id: ${stream}\nretry: ${scanner.retryMs}\ndata:\n\n`);
    event(progress(1), `${stream}.1`);
    owed.set(`${stream}.1`, [progress(2), result]);
    if (host === 'broken') return void setImmediate(() => response.destroy());
    response.end();
  }

  function resume(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers['last-event-id'];
    const rest = typeof last === 'string' ? owed.get(last) : undefined;
    if (typeof last === 'string') scanner.resumed.push(last);
    if (!rest) return void response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const value of rest) response.write(`data: ${JSON.stringify(withVersion(value))}\n\n`);
    response.end();
  }

  await new Promise<void>((resolve) => server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const scanner: Scanner = {
    url: `http://127.0.0.1:${address.port}/mcp`,
    scans: [],
    sessions: [],
    resumed: [],
    retryMs: 20,
    forget: () => sessions.clear(),
    initializeWith: undefined,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return scanner;
}

const withVersion = (value: Json): Json => ({ jsonrpc: '2.0', ...value });

const scanTool = {
  name: 'scan',
  description: 'Scans a host.',
  inputSchema: { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] },
  outputSchema: {
    type: 'object',
    properties: {
      findings: {
        type: 'array',
        items: {
          type: 'object',
          properties: { rule: { type: 'string' }, severity: { enum: ['low', 'medium', 'high'] } },
          required: ['rule', 'severity'],
        },
      },
    },
    required: ['findings'],
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
};

if (import.meta.main) process.stdout.write(`${(await startScanner(process.argv[2] === '2025-03-26' ? '2025-03-26' : undefined)).url}\n`);
