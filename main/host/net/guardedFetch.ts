import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { Agent } from 'undici';
import { checkAddress, checkUrl, type TypedHost } from './addressPolicy.ts';

/** An address of a server that was not asked for, or an answer that was not taken. The message is a sentence for the person. */
export class GuardRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GuardRefusal';
  }
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  typed: TypedHost;
  maxBytes?: number;
  /** Milliseconds for one whole exchange, redirects and body included. */
  timeoutMs?: number;
  /** Name resolution, in the form of `dns.lookup`. */
  lookup?: typeof systemLookup;
}

const defaultMaxBytes = 1_048_576;
const defaultTimeoutMs = 15_000;
const maxRedirects = 3;
/** What belongs to one origin only. */
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization', 'dpop'];

/**
 * `fetch` for every address that a server supplied (S10 to S15). Each hop is checked before it is asked for, and the address that a
 * name stands for when it is connected to. Redirects are followed for GET and HEAD only, without credentials to another origin.
 * Rejects with {@link GuardRefusal}, with what `fetch` rejects with, or with the reason of `init.signal`. A body that is too long
 * rejects while it is read.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { typed, maxBytes = defaultMaxBytes, timeoutMs = defaultTimeoutMs, lookup = systemLookup } = options;
  // No kept connections: an agent lives as long as its server's configuration, its sockets only for one exchange.
  const agent = new Agent({ connect: { lookup: guardedLookup(lookup, typed) }, pipelining: 0, keepAliveTimeout: 1 });

  return async (input, init = {}) => {
    const method = (init.method ?? 'GET').toUpperCase();
    const tooLate = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, tooLate]) : tooLate;
    const headers = new Headers(init.headers);
    let url = new URL(input);

    for (let hop = 0; ; hop += 1) {
      const verdict = checkUrl(url, typed);
      if (!verdict.ok) throw new GuardRefusal(`${placeOf(url)} was not asked for: ${verdict.reason}.`);
      const checked = { ...init, headers, signal, redirect: 'manual' as const };
      // Not written out, because the agent's types and those of Node's own fetch are of two packages that do not agree.
      Reflect.set(checked, 'dispatcher', agent);
      const response = await fetch(url, checked).catch((error: unknown) => {
        init.signal?.throwIfAborted();
        if (tooLate.aborted) throw new GuardRefusal(`${placeOf(url)} did not answer within ${timeoutMs / 1000} seconds.`);
        throw refusalIn(error) ?? error;
      });

      const next = redirectTarget(url, response);
      if (!next || init.redirect === 'manual') return bounded(response, maxBytes, placeOf(url));
      await response.body?.cancel();
      if (method !== 'GET' && method !== 'HEAD')
        throw new GuardRefusal(`${placeOf(url)} answered with a redirect to ${placeOf(next)}, which is not followed with data in hand.`);
      if (hop === maxRedirects) throw new GuardRefusal(`${placeOf(url)} redirected more than ${maxRedirects} times.`);
      if (next.origin !== url.origin) for (const name of credentialHeaders) headers.delete(name);
      url = next;
    }
  };
}

function placeOf(url: URL): string {
  return url.host === '' ? url.protocol : url.origin + url.pathname;
}

function redirectTarget(url: URL, response: Response): URL | undefined {
  const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
  if (location === null) return undefined;
  return URL.parse(location, url.href) ?? undefined;
}

function refusalIn(error: unknown): GuardRefusal | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) if (each instanceof GuardRefusal) return each;
  return undefined;
}

/** Resolves as the system does and refuses before anything is connected; only what was checked is handed on. */
function guardedLookup(lookup: typeof systemLookup, typed: TypedHost) {
  return (
    hostname: string,
    options: LookupOptions,
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      for (const { address } of addresses) {
        const verdict = checkAddress(address, hostname, typed);
        if (!verdict.ok) return done(new GuardRefusal(`${hostname} was not asked: ${verdict.reason}.`), []);
      }
      const [first] = addresses;
      if (options.all === true || !first) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function bounded(response: Response, maxBytes: number, place: string): Response {
  if (!response.body) return response;
  let seen = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > maxBytes)
        controller.error(new GuardRefusal(`${place} sent more than ${maxBytes} bytes, which is more than is read of it.`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  const copy = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}
