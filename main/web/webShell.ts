import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { maxBridgeMessageBytes } from '../../preload/contract/bridge.ts';
import type { Host } from '../host/createHost.ts';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { answerPage, contentSecurityPolicy } from '../host/pageFiles.ts';
import { createLinks } from './links.ts';
import { parseJson } from './parseJson.ts';
import { requestProblem } from './requestCheck.ts';
import { serveSocket } from './socket.ts';
import { openViewPort } from './viewPort.ts';

export interface WebShell {
  /** The address without a token: what the page's own address is. */
  url: string;
  port: number;
  /** Ends every socket, then the server. The host stays open. */
  close(): Promise<void>;
  /** An address with a token in its fragment that lets one more tab in. */
  createLink(): string;
}

const SessionRequest = z.strictObject({ token: z.string().min(1).max(200) });
/** No exchange of a token is longer. */
const maxSessionRequestBytes = 4096;

/**
 * Serves the renderer and the contract to browsers of this computer: 127.0.0.1 only. `port` 0 takes any free one.
 * Rejects when the port cannot be had.
 *
 * - `GET /…`: the built renderer of `rendererDir`; nothing secret stands in it.
 * - `POST /session` with `{"token"}`: `{"session"}`, once per token; 403 after that.
 * - `/socket`: the frames of `contract/bridge.ts`, the first of them `hello` with the session.
 *
 * Views of servers come from a second port ({@link openViewPort}).
 *
 * There are no cookies, so that a foreign page cannot make the browser speak in the user's name.
 */
export async function startWebShell({
  host,
  port,
  rendererDir,
  log,
}: {
  host: Host;
  port: number;
  rendererDir: string;
  log: Log;
}): Promise<WebShell> {
  const links = createLinks();
  const views = await openViewPort(host, log);
  const server = createServer({ maxHeaderSize: 16_384 });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxBridgeMessageBytes, perMessageDeflate: false });
  let url = '';
  let ownPort = 0;
  const connect = (): string[] => [`${url}session`, `ws://127.0.0.1:${ownPort}/socket`];

  const refuse = (response: ServerResponse, status: number, sentence: string): void => {
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(randomBytes(16).toString('base64'), []),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(status === 405 ? { allow: 'GET' } : {}),
    });
    response.end(`${sentence}\n`);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isExchange = request.url === '/session';
    const problem = requestProblem(request.headers, ownPort, isExchange);
    if (problem !== null) {
      log.warn('A request to the web shell was refused.', { problem, host: request.headers.host, origin: request.headers.origin });
      return refuse(response, 403, 'Refused: this address answers only to its own page.');
    }
    if (isExchange) return exchange(request, response);
    if (request.method !== 'GET') return refuse(response, 405, 'Only GET is answered here.');
    // The URL parser would fold `/../` away, and what it folds is not what was asked for; the raw path is checked instead.
    const pathname = (request.url ?? '/').replace(/[?#].*$/s, '');
    const page = await answerPage(rendererDir, pathname, {
      nonce: randomBytes(16).toString('base64'),
      connect: connect(),
      frames: [views.origin],
    });
    response.writeHead(page.status, page.headers);
    response.end(page.body);
  };

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return refuse(response, 405, 'A token is exchanged by POST.');
    if (request.headers['content-type'] !== 'application/json') return refuse(response, 415, 'A token is sent as JSON.');
    const body = await readBody(request, maxSessionRequestBytes);
    if (body === null) return refuse(response, 413, 'The request is too long.');
    const parsed = SessionRequest.safeParse(parseJson(body));
    const session = parsed.success ? links.exchange(parsed.data.token) : null;
    if (session === null) {
      return refuse(
        response,
        403,
        'This link has been used or is not known. Ask for a new one in a tab that is open, or start Maitre again.',
      );
    }
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response.end(JSON.stringify({ session }));
  };

  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error('A request to the web shell failed.', { error: messageOf(error) });
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'The page could not be read.');
    });
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const problem = requestProblem(request.headers, ownPort, true);
    if (problem !== null || request.url !== '/socket') {
      log.warn('A socket to the web shell was refused.', { problem, host: request.headers.host, origin: request.headers.origin });
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => serveSocket(socket, host, links.isSession, log));
  });

  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    await views.close();
    throw error;
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  ownPort = address.port;
  url = `http://127.0.0.1:${ownPort}/`;
  host.views.showIn({ page: `http://127.0.0.1:${ownPort}`, originOf: () => views.origin });

  return {
    url,
    port: ownPort,
    createLink: () => `${url}#token=${links.createToken()}`,
    async close() {
      for (const socket of sockets.clients) socket.close(1001, 'Maitre is closing.');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
      await closed;
      await views.close();
    },
  };
}

/** The body as text; null when it is longer than `limit` bytes. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
