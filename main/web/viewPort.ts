import { createServer } from 'node:http';
import type { Host } from '../host/createHost.ts';
import type { Log } from '../host/ports.ts';
import { messageOf } from '../host/refusal.ts';
import { requestProblem } from './requestCheck.ts';

export interface ViewPort {
  /** Of everything that is served there; the window's is another one. */
  origin: string;
  close(): Promise<void>;
}

/**
 * The second port of the web shell, any free one of 127.0.0.1: it serves views of servers and the pages around them by unguessable addresses,
 * and nothing else. To the browser it is another origin than the window, with nothing in it.
 */
export async function openViewPort(host: Pick<Host, 'views'>, log: Log): Promise<ViewPort> {
  const server = createServer({ maxHeaderSize: 16_384 });
  let port = 0;
  let origin = '';
  server.on('request', (request, response) => {
    // Its own name only (DNS rebinding). Pages are navigated to, so that no other page may read them: there is no Origin header to hold.
    const problem = request.method === 'GET' ? requestProblem({ host: request.headers.host }, port, false) : 'method';
    if (problem !== null) {
      log.warn('A request for a view was refused.', { problem, host: request.headers.host });
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end('Refused: views of servers are shown in the window of Maitre alone.\n');
      return;
    }
    try {
      const answer = host.views.answer(origin, (request.url ?? '/').replace(/[?#].*$/s, ''));
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    } catch (error) {
      log.error('A view could not be served.', { error: messageOf(error) });
      response.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server of views has no port.');
  port = address.port;
  origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
