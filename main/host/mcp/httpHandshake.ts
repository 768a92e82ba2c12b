import {
  type Client,
  ProtocolError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { EraVerdict, Target } from './connection.ts';
import { connectionRefused, handshakeFailure, httpStatusOf, SignInNeeded, StartFailure } from './failures.ts';
import { neverMs } from './programHandshake.ts';
import { keepRawResults } from './rawResults.ts';
import { watchedFetch } from './watchedFetch.ts';

/** A deployed server that does not answer is out of order, not old: there is no falling back, so this is generous. In milliseconds. */
const probeMs = 27_000;
/** Codes that only a server of 2026-07-28 or later answers with: the older transport would be no help. */
const modernCodes = [-32020, -32021, -32022];

type HttpTarget = Extract<Target, { kind: 'http' }>;

interface HttpConnected {
  client: Client;
  transport: StreamableHTTPClientTransport | SSEClientTransport;
  kind: 'http' | 'sse';
  /** Resolves when the connection is gone, though nobody closed it. */
  dropped: Promise<ServerFailure>;
}

/**
 * Connects over HTTP (2026-07-28 "Version negotiation", HTTP): Streamable HTTP with `server/discover`, else `initialize`; where the
 * server refuses both with 400, 404 or 405 and gave no sign of the modern protocol, HTTP with SSE (2024-11-05) and a fresh client.
 * A refusal of a remembered legacy server is followed by a probe, so that an outdated verdict mends itself.
 *
 * Rejects with {@link SignInNeeded}, {@link StartFailure} or the signal's reason.
 */
export async function connectHttp(options: {
  name: string;
  target: HttpTarget;
  makeClient(negotiation: VersionNegotiationOptions): Client;
  remembered: EraVerdict | undefined;
  signal: AbortSignal;
}): Promise<HttpConnected> {
  const { target, name } = options;
  const failureOf = (error: unknown) => {
    options.signal.throwIfAborted();
    const failure = handshakeFailure(name, error, '', target.url);
    return failure === 'signIn' ? new SignInNeeded() : new StartFailure(failure);
  };

  if (target.transport !== 'sse') {
    try {
      if (options.remembered?.era === 'legacy') {
        try {
          return await attempt(options, 'http', { mode: 'legacy' });
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
      return await attempt(options, 'http', { mode: 'auto', probe: { timeoutMs: probeMs } });
    } catch (error) {
      const failure = failureOf(error);
      if (!wantsSse(error)) throw failure;
      try {
        return await attempt(options, 'sse', { mode: 'legacy' });
      } catch (sseError) {
        // That there is no SSE either says nothing new: the first answer is the one to mend.
        const sseFailure = failureOf(sseError);
        throw sseFailure instanceof SignInNeeded ? sseFailure : failure;
      }
    }
  }
  try {
    return await attempt(options, 'sse', { mode: 'legacy' });
  } catch (error) {
    throw failureOf(error);
  }
}

/** The server answered, and did not like what it got. */
function isRefusal(error: unknown): boolean {
  const status = httpStatusOf(error);
  return error instanceof ProtocolError || (status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403);
}

function wantsSse(error: unknown): boolean {
  if (error instanceof ProtocolError) return false;
  const status = httpStatusOf(error);
  if (status !== 400 && status !== 404 && status !== 405) return false;
  const text = error instanceof Error && 'data' in error ? JSON.stringify(error.data) : '';
  return !modernCodes.some((code) => text.includes(String(code)));
}

async function attempt(
  options: Parameters<typeof connectHttp>[0],
  kind: 'http' | 'sse',
  negotiation: VersionNegotiationOptions,
): Promise<HttpConnected> {
  const { target, name, signal } = options;
  signal.throwIfAborted();
  let live = false;
  let drop: (failure: ServerFailure) => void = () => undefined;
  const dropped = new Promise<ServerFailure>((resolve) => (drop = resolve));

  const init = {
    requestInit: { headers: target.headers },
    fetch: watchedFetch((how) => {
      if (!live) return;
      drop(
        how.kind === 'network'
          ? connectionRefused(name, target.url, how.cause)
          : {
              code: 'httpError',
              message: `"${name}" no longer knows this connection, most likely because it was restarted. It is connected again.`,
            },
      );
    }),
  };
  const url = new URL(target.url);
  const transport = kind === 'http' ? new StreamableHTTPClientTransport(url, init) : new SSEClientTransport(url, init);
  // The event source would reconnect by itself to a session of which the client knows nothing.
  transport.onerror = (error) => {
    if (live && error instanceof SseError) drop(connectionRefused(name, target.url, error));
  };
  keepRawResults(transport);

  const client = options.makeClient(negotiation);
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([client.connect(transport, { timeout: neverMs }), stopped]);
    live = true;
    return { client, transport, kind, dropped };
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
