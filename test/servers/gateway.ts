/**
 * Two instances of a modern server behind a gateway that knows nothing but headers: it sends each request of a method to the next instance, lets pass only
 * what it may by `Mcp-Method` and `Mcp-Name`, and turns requests away with 429 and 503 when it is told to. Prints its address when run by hand.
 */
import { createServer, request as httpRequest, type Server } from 'node:http';
import { newStore, startInstance, type Store } from './statelessInstance.ts';

export interface Gateway {
  url: string;
  store: Store;
  /** What the next requests get instead of an answer, in this order. Only requests of these methods count. */
  turnAway: { method: string; status: 429 | 503; retryAfter?: string }[];
  /** Breaks the connection after the request of this method was carried out. */
  breakAfter: string | undefined;
  /** Named tools and resources that it does not let pass. */
  forbidden: Set<string>;
  /** Which instance answered, in order. */
  routed: { method: string; instance: number }[];
  close(): Promise<void>;
}

export async function startGateway(store: Store = newStore(), port = Number(process.env['PORT'] ?? 0)): Promise<Gateway> {
  const instances = await Promise.all([startInstance('one', store), startInstance('two', store)]);
  /** By method: what is read beside the calls must not change which of them goes where. */
  const passed = new Map<string, number>();
  const server = createServer((request, response) => {
    const method = String(request.headers['mcp-method']);
    const name = String(request.headers['mcp-name']);
    const away = gateway.turnAway.findIndex((each) => each.method === method);
    const [turned] = away === -1 ? [] : gateway.turnAway.splice(away, 1);
    if (turned) {
      request.resume();
      response.writeHead(turned.status, turned.retryAfter === undefined ? {} : { 'retry-after': turned.retryAfter }).end('busy');
      return;
    }
    if (gateway.forbidden.has(name)) return void response.writeHead(403).end('not for you');
    const count = passed.get(method) ?? 0;
    passed.set(method, count + 1);
    const instance = count % instances.length;
    gateway.routed.push({ method, instance });
    const onward = httpRequest(
      { host: '127.0.0.1', port: instances[instance]?.port, path: request.url, method: request.method, headers: request.headers },
      (answer) => {
        if (gateway.breakAfter === method) {
          answer.resume();
          answer.on('end', () => response.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
        answer.on('aborted', () => response.destroy());
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const gateway: Gateway = {
    url: `http://127.0.0.1:${address.port}/mcp`,
    store,
    turnAway: [],
    breakAfter: undefined,
    forbidden: new Set(),
    routed: [],
    async close() {
      for (const each of [server, ...instances.map((instance) => instance.server)]) await end(each);
    },
  };
  return gateway;
}

function end(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

if (import.meta.main) process.stdout.write(`${(await startGateway()).url}\n`);
