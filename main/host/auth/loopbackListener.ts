import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Where the browser comes back to after a sign-in (RFC 8252 §7.3): this computer only, one answer, then gone. */
export interface LoopbackListener {
  redirectUri: string;
  /**
   * Resolves with the query of the first call that carries `state`; any other call gets the same page and changes nothing.
   * Rejects with the signal's reason.
   */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

export const callbackPath = '/callback';

/** Always the same, whatever came: nothing of a query is shown. */
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Maitre</title>
<body style="font:16px system-ui;margin:4em auto;max-width:32em"><h1 style="font-size:1.2em">You can close this page</h1>
<p>Maitre goes on by itself. If it does not, look there for the reason.</p></body></html>`;

/**
 * Listens on 127.0.0.1, on `port` where that is free and wanted, else on any free one. A fixed port matters to authorization servers
 * that compare the whole redirect address.
 */
export async function listenOnLoopback(port: number | undefined): Promise<LoopbackListener> {
  let take: ((query: URLSearchParams) => boolean) | undefined;
  let authority = '';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    // A page elsewhere whose name was turned to this computer calls under its own name.
    const ours = request.method === 'GET' && url?.pathname === callbackPath && request.headers.host === authority;
    if (!ours) return void response.writeHead(404, { connection: 'close' }).end();
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(page, () => {
      if (take?.(url.searchParams)) server.close();
    });
  });
  const listen = (wanted: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await listen(port ?? 0);
  } catch (error) {
    if (port === undefined) throw error;
    await listen(0);
  }
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('A listening socket has no address.');
  authority = `127.0.0.1:${address.port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };

  return {
    redirectUri: `http://${authority}${callbackPath}`,
    answer: (state, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason);
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        take = (query) => {
          if (query.get('state') !== state) return false;
          take = undefined;
          signal.removeEventListener('abort', stop);
          resolve(query);
          return true;
        };
      }),
    close,
  };
}
