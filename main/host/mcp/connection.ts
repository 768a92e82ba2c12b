import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerFailure } from '../../../preload/contract/servers.ts';
import type { ChildProgram, Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { AnswerServerRequest, DeclaredFeatures, ToolCallOutcome, ToolCallRequest } from './callTool.ts';
import { noAnswer, programEnded, StartFailure } from './failures.ts';
import { connectHttp } from './httpHandshake.ts';
import { keptLists } from './keptLists.ts';
import type { ListKind } from './lists.ts';
import { paramHeadersOf, paramHeaderValues } from './paramHeaders.ts';
import { connectProgram } from './programHandshake.ts';
import { runToolCall } from './runToolCall.ts';
import type { ServerLog } from './serverLog.ts';
import { answerServerRequests, capabilitiesOf, type RunningCall } from './serverRequests.ts';
import { subscribeToChanges } from './subscription.ts';

/** Where a server is. `transport` of HTTP: `auto` and `http` try Streamable HTTP first, then SSE where the server demands it. */
export type Target =
  | { kind: 'stdio'; start(): ChildProgram }
  | { kind: 'http'; url: string; headers: Record<string, string>; transport: 'auto' | 'http' | 'sse' };

/** A tool as listed. `problem` is set when it cannot be used: it is shown with this reason, the others work on. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
  problem?: string | undefined;
}

/** What a server offers, as it says. All of it is data. */
export interface ServerLists {
  tools: ListedTool[];
  resources: { uri: string; name: string; description?: string | undefined; mimeType?: string | undefined }[];
  prompts: { name: string; description?: string | undefined }[];
  instructions?: string | undefined;
  /** Self-reported: for display, never identity. */
  reported?: { name: string; version: string } | undefined;
  /** What went wrong without stopping the server, in words. */
  warnings: string[];
}

export interface EraVerdict {
  era: 'legacy' | 'modern';
  version: string;
}

/** A living connection to one server. */
export interface Connection {
  readonly protocol: EraVerdict & { transport: 'stdio' | 'http' | 'sse' };
  lists(): ServerLists;
  /** `timeoutMs` counts from the last sign of progress; ten times it is the hard limit. Never throws. */
  callTool(request: Omit<ToolCallRequest, 'serverId'>, timeoutMs: number): Promise<ToolCallOutcome>;
  /** Resolves once: with the reason, or with undefined when we closed it. */
  readonly ended: Promise<ServerFailure | undefined>;
  /** Asks politely, then ends the whole tree; resolves when nothing is left. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  serverId: ServerId;
  serverName(): string;
  target: Target;
  clock: Clock;
  log: Log;
  serverLog: ServerLog;
  declared: DeclaredFeatures;
  answer: AnswerServerRequest;
  remembered: EraVerdict | undefined;
  rememberEra(verdict: EraVerdict): void;
  /** The lists have changed since the connection was opened. */
  onLists(lists: ServerLists): void;
  clientInfo: { name: string; version: string };
  /** Gives the start up; it has no effect on an open connection. */
  signal: AbortSignal;
  /** Milliseconds for the whole start, lists included. */
  startTimeoutMs: number;
}

/** A polite farewell over HTTP may take this long, in milliseconds. */
const farewellMs = 1000;
/** The client's errors about what arrives after a call's end; nothing is wrong then. */
const lateMessage = /unknown (token|message ID)/;

/**
 * Connects to a server, reads what it offers, and keeps that up to date.
 * Rejects with {@link StartFailure} or SignInNeeded (failures.ts), or with the signal's reason; nothing is left running then.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { target, clock, serverLog } = options;
  const name = options.serverName();
  const running = new Map<string, RunningCall>();

  const start = new AbortController();
  const giveUp = () => start.abort(options.signal.reason);
  options.signal.addEventListener('abort', giveUp, { once: true });
  if (options.signal.aborted) giveUp();
  const cancelBound = clock.after(options.startTimeoutMs, () =>
    start.abort(
      new StartFailure(noAnswer(name, options.startTimeoutMs, serverLog.stderrTail(), target.kind === 'http' ? target.url : undefined)),
    ),
  );

  // Notices that come while the lists are read for the first time may tell of a change that the read missed.
  const early = new Set<ListKind>();
  let noticed = (kind: ListKind): void => void early.add(kind);
  const makeClient = (versionNegotiation: VersionNegotiationOptions): Client => {
    const client = new Client(options.clientInfo, { capabilities: capabilitiesOf(options.declared), versionNegotiation });
    client.onerror = (error) => {
      if (!lateMessage.test(error.message)) serverLog.add('host', error.message.slice(0, 500));
    };
    answerServerRequests(client, { ...options, running });
    client.setNotificationHandler('notifications/tools/list_changed', () => noticed('tools'));
    client.setNotificationHandler('notifications/resources/list_changed', () => noticed('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => noticed('prompts'));
    return client;
  };

  let opened: Opened | undefined;
  try {
    opened = await open(options, name, makeClient, start.signal);
    const { client } = opened;
    const { certain, transportKind } = opened;
    const era = client.getProtocolEra() ?? 'legacy';
    const protocol = { era, version: client.getNegotiatedProtocolVersion() ?? '', transport: transportKind };
    if (certain) options.rememberEra({ era, version: protocol.version });

    const lists = keptLists({
      client,
      overHttp: era === 'modern' && transportKind === 'http',
      clock,
      log: serverLog,
      startSignal: start.signal,
      startTimeoutMs: options.startTimeoutMs,
      hasEnded: () => opened?.endNow() !== undefined,
      onChange: options.onLists,
    });
    await Promise.race([lists.readAll(), opened.ended.then((failure) => Promise.reject(endedAtStart(name, failure)))]);
    start.signal.throwIfAborted();
    noticed = lists.notice;
    for (const kind of early) lists.notice(kind);
    const subscription = subscribeToChanges({ client, clock, notice: lists.notice, log: serverLog });

    const { ended, endNow, close } = opened;
    const stopKeeping = () => {
      lists.stop();
      subscription.stop();
    };
    void ended.then(stopKeeping);
    return {
      protocol,
      lists: lists.current,
      ended,
      async callTool(request, timeoutMs) {
        const tool =
          protocol.era === 'modern' && transportKind === 'http'
            ? lists.current().tools.find((each) => each.name === request.tool)
            : undefined;
        const asked = tool && paramHeadersOf(tool.inputSchema);
        const headers = asked && 'headers' in asked ? paramHeaderValues(asked.headers, request.arguments) : {};
        const context = {
          client,
          name: options.serverName(),
          clock,
          running,
          headers,
          endNow,
          ended,
          isProgram: transportKind === 'stdio',
        };
        return runToolCall(context, request, timeoutMs);
      },
      async close() {
        stopKeeping();
        await close();
      },
    };
  } catch (error) {
    await opened?.close();
    if (start.signal.aborted) throw start.signal.reason;
    throw error;
  } finally {
    cancelBound();
    options.signal.removeEventListener('abort', giveUp);
  }
}

function endedAtStart(name: string, failure: ServerFailure | undefined): Error {
  return failure
    ? new StartFailure({ ...failure, code: failure.code === 'exited' ? 'exitedAtStart' : failure.code })
    : new Error(`"${name}" was stopped.`);
}

/** A client that is connected, whatever lies below it. */
interface Opened {
  client: Client;
  transportKind: 'stdio' | 'http' | 'sse';
  certain: boolean;
  ended: Promise<ServerFailure | undefined>;
  endNow(): { failure: ServerFailure | undefined } | undefined;
  close(): Promise<void>;
}

async function open(
  options: ConnectionOptions,
  name: string,
  makeClient: (negotiation: VersionNegotiationOptions) => Client,
  signal: AbortSignal,
): Promise<Opened> {
  const { target, clock, serverLog, remembered } = options;
  if (target.kind === 'stdio') {
    const { client, transport, certain } = await connectProgram({
      name,
      start: target.start,
      makeClient,
      remembered,
      log: serverLog,
      clock,
      signal,
    });
    const failureOf = (end: Parameters<typeof programEnded>[1]) => programEnded(options.serverName(), end, false, serverLog.stderrTail());
    return {
      client,
      transportKind: 'stdio',
      certain,
      ended: transport.gone.then(failureOf),
      endNow() {
        const end = transport.end();
        return end && { failure: failureOf(end) };
      },
      close: () => transport.close(),
    };
  }

  const { client, transport, kind, dropped } = await connectHttp({ name, target, makeClient, remembered, signal });
  let end: { failure: ServerFailure | undefined } | undefined;
  let closed: () => void = () => undefined;
  const closing = new Promise<undefined>((resolve) => (closed = () => resolve(undefined)));
  const ended = Promise.race([dropped, closing]).then(async (failure) => {
    end ??= { failure };
    await client.close().catch((error: unknown) => serverLog.add('host', `The connection was closed with an error: ${messageOf(error)}`));
    return end.failure;
  });
  return {
    client,
    transportKind: kind,
    certain: true,
    ended,
    endNow: () => end,
    async close() {
      const wasOpen = end === undefined;
      // Set first: a farewell that nobody answers must not look like a connection that broke.
      end ??= { failure: undefined };
      if (wasOpen && 'terminateSession' in transport) {
        const farewell = transport
          .terminateSession()
          .catch((error: unknown) => serverLog.add('host', `The session could not be ended: ${messageOf(error)}`));
        await Promise.race([farewell, new Promise<void>((resolve) => void clock.after(farewellMs, resolve))]);
      }
      closed();
      await ended;
    },
  };
}
