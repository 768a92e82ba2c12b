import {
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import { messageOf } from '../refusal.ts';
import type { Target } from './target.ts';
import { busyBehind, connectionRefused, failedHandshake, httpStatusOf, networkErrorOf, SignInNeeded, StartFailure } from './failures.ts';
import { neverMs } from './callClock.ts';
import { tracedFetch } from '../trace/tracedFetch.ts';
import { httpExchanges } from './httpExchanges.ts';
import { prepareTransport } from './prepareTransport.ts';
import { waitingFetch } from './retryAfter.ts';
import { type EraSource, notModern, requireModern, undiscovered } from './era.ts';
import { modernVersion } from './modernVersion.ts';
import { isModern, modernExchanges } from './modernExchanges.ts';
import { splitBatches } from './splitBatches.ts';
import type { Introduction } from './takeIntroduction.ts';
import type { OpenContext, Opened } from './transportPort.ts';
import { watchedFetch } from './watchedFetch.ts';
import type { CallOfRequest } from '../auth/serverAuth.ts';
import { requestIdOf } from '../auth/waitingCall.ts';

/** A deployed server that does not answer is out of order, not old: there is no falling back, so this is generous. In milliseconds. */
const probeMs = 27_000;
/** Codes that only a server of 2026-07-28 or later answers with: the older transport would be no help. */
const modernCodes = [-32020, -32021, -32022];

/**
 * How a legacy stream that broke off is taken up again, with `Last-Event-ID`: ever more slowly, and as its server asks where it does. A server
 * that cannot be reached at all ends the connection instead, which is then made anew.
 */
const reconnectionOptions = { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 8 };
/** As long as a server may have it waited for, in milliseconds. */
const maxRetryMs = 300_000;

type HttpTarget = Extract<Target, { kind: 'http' }>;

interface HttpConnected {
  client: Client;
  transport: StreamableHTTPClientTransport | SSEClientTransport;
  kind: 'http' | 'sse';
  how: EraSource;
  introduction(): Introduction;
  /** Resolves when the connection is gone, though nobody closed it. */
  dropped: Promise<ServerFailure>;
}

/** A polite farewell may take this long, in milliseconds. */
const farewellMs = 1000;

/**
 * Connects over HTTP (2026-07-28 "Version negotiation", HTTP): Streamable HTTP with `server/discover`, else `initialize`; where the
 * server refuses both with 400, 404 or 405 and gave no sign of the modern protocol, HTTP with SSE (2024-11-05) and a fresh client.
 * A refusal of a remembered legacy server, or nonsense from it, is followed by a probe, so that an outdated verdict mends itself.
 * Where the person has chosen the era, only that is tried: a modern server also without `server/discover`.
 *
 * Rejects with {@link SignInNeeded}, {@link StartFailure} or the signal's reason.
 */
export async function openHttp(target: HttpTarget, context: OpenContext): Promise<Opened> {
  const { log, clock } = context;
  const { client, transport, kind, how, introduction, dropped } = await connectHttp({ ...context, target });
  let end: { failure: ServerFailure | undefined } | undefined;
  let closed: () => void = () => undefined;
  const closing = new Promise<undefined>((resolve) => (closed = () => resolve(undefined)));
  const ended = Promise.race([dropped, closing]).then(async (failure) => {
    end ??= { failure };
    await client.close().catch((error: unknown) => log.add('host', `The connection was closed with an error: ${messageOf(error)}`));
    return end.failure;
  });
  return {
    client,
    transportKind: kind,
    certain: true,
    how,
    introduction,
    ended,
    endNow: () => end,
    async close() {
      const wasOpen = end === undefined;
      // Set first: a farewell that nobody answers must not look like a connection that broke.
      end ??= { failure: undefined };
      if (wasOpen && 'terminateSession' in transport) {
        const farewell = transport
          .terminateSession()
          .catch((error: unknown) => log.add('host', `The session could not be ended: ${messageOf(error)}`));
        await Promise.race([farewell, new Promise<void>((resolve) => void clock.after(farewellMs, resolve))]);
      }
      closed();
      await ended;
    },
  };
}

type HttpContext = OpenContext & { target: HttpTarget };

async function connectHttp(options: HttpContext): Promise<HttpConnected> {
  const { target, name } = options;
  const failureOf = (error: unknown) => {
    options.signal.throwIfAborted();
    return failedHandshake(name, error, target.url);
  };

  if (options.era === 'modern') return connectModern(options, failureOf);
  const chosen: EraSource | undefined = options.era === 'auto' ? undefined : 'set';
  if (target.transport !== 'sse') {
    try {
      if (options.era === 'legacy') return await attempt(options, 'http', { mode: 'legacy' }, 'set');
      if (options.remembered?.era === 'legacy') {
        try {
          return await attempt(options, 'http', { mode: 'legacy' }, 'remembered');
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
      return await attempt(options, 'http', { mode: 'auto', probe: { timeoutMs: probeMs } }, 'probed');
    } catch (error) {
      const failure = failureOf(error);
      if (!wantsSse(error)) throw failure;
      try {
        return await attempt(options, 'sse', { mode: 'legacy' }, chosen ?? 'probed');
      } catch (sseError) {
        // That there is no SSE either says nothing new: the first answer is the one to mend. Where there is, what it did wrong counts.
        const sseFailure = failureOf(sseError);
        const hasSse = !(sseError instanceof SseError) && !networkErrorOf(sseError);
        throw sseFailure instanceof SignInNeeded || hasSse ? sseFailure : failure;
      }
    }
  }
  try {
    return await attempt(options, 'sse', { mode: 'legacy' }, chosen ?? 'probed');
  } catch (error) {
    throw failureOf(error);
  }
}

async function connectModern(options: HttpContext, failureOf: (error: unknown) => SignInNeeded | StartFailure): Promise<HttpConnected> {
  try {
    return await attempt(options, 'http', { mode: { pin: modernVersion }, probe: { timeoutMs: probeMs } }, 'set');
  } catch (error) {
    const failure = failureOf(error);
    if (failure instanceof SignInNeeded || busyBehind(error) || networkErrorOf(error) || isFault(error)) throw failure;
    try {
      return await attempt(options, 'http', 'undiscovered', 'set');
    } catch (second) {
      // Whatever it says to a request in the modern form, it refused the first one too.
      if (second instanceof StartFailure) throw second;
      const secondFailure = failureOf(second);
      throw isRefusal(second) && secondFailure instanceof StartFailure
        ? new StartFailure(notModern(options.name, secondFailure.failure.detail ?? secondFailure.message))
        : secondFailure;
    }
  }
}

const isFault = (error: unknown): boolean => (httpStatusOf(error) ?? 0) >= 500;

/** The server answered, and did not like what it got, or said what nobody understands. */
function isRefusal(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)) return true;
  return status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function wantsSse(error: unknown): boolean {
  if (error instanceof ProtocolError) return false;
  const status = httpStatusOf(error);
  if (status !== 400 && status !== 404 && status !== 405) return false;
  const text = error instanceof Error && 'data' in error ? JSON.stringify(error.data) : '';
  return !modernCodes.some((code) => text.includes(String(code)));
}

async function attempt(
  options: HttpContext,
  kind: 'http' | 'sse',
  negotiation: VersionNegotiationOptions | 'undiscovered',
  how: EraSource,
): Promise<HttpConnected> {
  const { target, name, signal, clock } = options;
  signal.throwIfAborted();
  let live = false;
  let drop: (failure: ServerFailure) => void = () => undefined;
  const dropped = new Promise<ServerFailure>((resolve) => (drop = resolve));

  const watched = watchedFetch((how) => {
    if (!live) return;
    drop(
      how.kind === 'network'
        ? connectionRefused(name, target.url, how.cause)
        : {
            code: 'httpError',
            message: `"${name}" no longer knows this connection, most likely because it was restarted. It is connected again.`,
          },
    );
  });
  let callOf: (id: string | number) => string | undefined = () => undefined;
  const callOfRequest: CallOfRequest = (body) => {
    const id = requestIdOf(body);
    const callId = id === undefined ? undefined : callOf(id);
    return callId === undefined ? undefined : options.waitingCall(callId);
  };
  const plain = waitingFetch(options.trace ? tracedFetch(watched, options.trace) : watched, clock, options.isStarting);
  const exchanges = httpExchanges(options.log);
  const init = {
    requestInit: { headers: target.headers },
    fetch: exchanges.fetch(modernExchanges(splitBatches(target.authorize?.(plain, callOfRequest) ?? plain))),
    reconnectionOptions,
    reconnectionScheduler(reconnect: () => void, delay: number) {
      // The attempt is refused without being sent, which is how the library learns at once that the request is lost.
      if ('protocolVersion' in transport && isModern(transport.protocolVersion)) return void reconnect();
      return clock.after(Math.min(delay, maxRetryMs), reconnect);
    },
  };
  const url = new URL(target.url);
  const transport: StreamableHTTPClientTransport | SSEClientTransport =
    kind === 'http' ? new StreamableHTTPClientTransport(url, init) : new SSEClientTransport(url, init);
  // The event source would reconnect by itself to a session of which the client knows nothing.
  transport.onerror = (error) => {
    if (live && error instanceof SseError) drop(connectionRefused(name, target.url, error));
  };
  const prepared = prepareTransport(transport, options.trace);
  callOf = prepared.callOf;
  // HTTP with SSE answers by its one stream.
  if (kind === 'http') exchanges.watch(transport);

  const client = options.makeClient(negotiation === 'undiscovered' ? { mode: 'auto' } : negotiation);
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const prior = negotiation === 'undiscovered' && { prior: undiscovered };
    await Promise.race([client.connect(transport, { timeout: neverMs, ...prior }), stopped]);
    if (prior) await Promise.race([requireModern(client, name, { timeout: neverMs, signal }), stopped]);
    live = true;
    return { client, transport, kind, how, introduction: prepared.introduction, dropped };
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
