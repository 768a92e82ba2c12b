import type { Clock } from '../ports.ts';

/** A server that takes no more requests, for longer than one request may wait. `retryAfterMs`: as it says, where it says so. */
export class TooBusy extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  constructor(status: number, retryAfterMs: number | undefined) {
    super(`HTTP status ${status}`);
    this.name = 'TooBusy';
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What all waits of one request may take together, in milliseconds. */
const maxWaitMs = 60_000;
/** The same while a connection is made, which has a bound of its own. */
const maxStartWaitMs = 15_000;
const maxTries = 6;
const firstWaitMs = 500;

/**
 * `fetch` that waits and asks again where the answer is 429 or 503: with these a server, or what stands before it, says that it
 * has not begun (RFC 6585 §4, RFC 9110 §15.6.4), so that even a call with effects may be repeated. `Retry-After` is honoured; without
 * one the waits double and vary. Rejects with {@link TooBusy} when that would take too long. Nothing else is ever repeated.
 */
export function waitingFetch(inner: typeof fetch, clock: Clock, isStarting: () => boolean = () => false): typeof fetch {
  return async (input, init) => {
    let waited = 0;
    for (let tries = 1; ; tries += 1) {
      const response = await inner(input, init);
      if (response.status !== 429 && response.status !== 503) return response;
      const asked = retryAfterMs(response.headers.get('retry-after'), clock.now());
      const wait = asked ?? firstWaitMs * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
      await response.body?.cancel();
      waited += wait;
      if (waited > (isStarting() ? maxStartWaitMs : maxWaitMs) || tries === maxTries) throw new TooBusy(response.status, asked);
      await pause(clock, wait, init?.signal ?? undefined);
    }
  };
}

/** Milliseconds that a `Retry-After` header asks for, as seconds or as a date (RFC 9110 §10.2.3); undefined where it says neither. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1000;
  // Without the name of a month it is no date of HTTP, whatever the parser makes of it.
  const at = /[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
