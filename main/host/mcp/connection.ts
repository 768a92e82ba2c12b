import { Client, ProtocolError, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { EraChoice, LogLevel, ServerFailure } from '../../../preload/contract/servers.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { waitingCalls } from '../auth/waitingCall.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import type { AnswerServerRequest, DeclaredFeatures, ToolCallRequest } from './callTool.ts';
import { capabilitiesOf, declareByEra } from './declaredFeatures.ts';
import { httpStartFailure, noAnswer, StartFailure } from './failures.ts';
import { createFeatures, type Features } from './features.ts';
import { openHttp } from './httpHandshake.ts';
import { keptLists } from './keptLists.ts';
import type { ListKind } from './lists.ts';
import { noMessage, noMessageInStream, problemOfAnswer } from './messageProblem.ts';
import { openProgram } from './programHandshake.ts';
import { callOfRequest, rawResultSchema } from './rawResults.ts';
import { createReadCache } from './readCache.ts';
import { type CallAnswer, runToolCall } from './runToolCall.ts';
import type { ServerLog } from './serverLog.ts';
import { createServerMessages, keepServerMessages } from './serverMessages.ts';
import { answerServerRequests, type RunningCall } from './serverRequests.ts';
import { createSubscriptions, isAtOrBelow, type Subscriptions } from './subscriptions.ts';
import { viewExtension, viewMimeType } from '../views/viewTemplate.ts';
import { createTaskNotices, tasksExtension } from './taskNotices.ts';
import { createTasks, type Tasks } from './tasks.ts';
import { carryTraceContext, type TraceIdOf } from './traceContext.ts';
import type { ServerLists } from './serverLists.ts';
import type { EraSource, EraVerdict } from './era.ts';
import type { Target } from './target.ts';
import type { Opened, OpenTransport, TransportKind } from './transportPort.ts';

/** A living connection to one server. */
export interface Connection extends Features {
  readonly protocol: EraVerdict & { transport: TransportKind; how: EraSource };
  lists(): ServerLists;
  /** Somebody needs the lists: those that are too old are read again in the background, and `onLists` tells of changes. */
  refreshLists(): void;
  /** `timeoutMs` counts from the last sign of progress; ten times it is the hard limit. Never throws. */
  callTool(request: Omit<ToolCallRequest, 'serverId'>, timeoutMs: number): Promise<CallAnswer>;
  readonly tasks: Tasks;
  readonly subscriptions: Pick<Subscriptions, 'watch' | 'watched'>;
  /** How much it is asked to log; undefined: not at all. Never throws. */
  setLogLevel(level: LogLevel | undefined): Promise<void>;
  /**
   * Sends one request as a person wrote it; the answer, whatever it is, stands in the trace under `tag`. Resolves with why there may be
   * none, in words. Never throws.
   */
  sendByHand(request: { method: string; params: Record<string, unknown>; tag: string }, timeoutMs: number): Promise<string | undefined>;
  /** Says that the roots have changed, to a server of before 2026-07-28. */
  announceRoots(): void;
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
  /** Hears of everything that goes over the wire. */
  trace?: WireTrace | undefined;
  /** Asked for each request; absent: none carries trace context. */
  traceIdOf?: TraceIdOf | undefined;
  declared: DeclaredFeatures;
  answer: AnswerServerRequest;
  /** The person's choice; `auto` finds out. */
  era: EraChoice;
  remembered: EraVerdict | undefined;
  rememberEra(verdict: EraVerdict): void;
  /** Who is signed in to it now: what it calls private is kept apart by this. */
  authorizationKey(): string;
  /** Milliseconds for one request beside calls. */
  requestTimeoutMs(): number;
  /** A watched resource has changed, or may have. */
  onResourceUpdated(uri: string): void;
  /** The lists have changed since the connection was opened. */
  onLists(lists: ServerLists): void;
  clientInfo: { name: string; version: string };
  /** Gives the start up; it has no effect on an open connection. */
  signal: AbortSignal;
  /** Milliseconds for the whole start, lists included. */
  startTimeoutMs: number;
}

/** The client's errors about what arrives after a call's end; nothing is wrong then. */
const lateMessage = /unknown (token|message ID)/;
/** The client's error about an answer to no request that waits: late, or under the id of another one. */
const strayAnswer = /unknown message ID/;

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
      new StartFailure(
        noAnswer(
          name,
          options.startTimeoutMs,
          { stderr: serverLog.stderrTail(), strange: serverLog.strangeTail() },
          target.kind === 'http' ? target.url : undefined,
        ),
      ),
    ),
  );

  // Notices that come while the lists are read for the first time may tell of a change that the read missed.
  const early = new Set<ListKind>();
  let noticed = (kind: ListKind): void => void early.add(kind);
  let updated: (uri: string) => void = () => undefined;
  let strayAnswers = 0;
  const makeClient = (versionNegotiation: VersionNegotiationOptions): Client => {
    const capabilities = {
      ...capabilitiesOf(options.declared),
      extensions: {
        [tasksExtension]: {},
        ...(options.declared.views === true ? { [viewExtension]: { mimeTypes: [viewMimeType] } } : {}),
      },
    };
    const client = new Client(options.clientInfo, { capabilities, versionNegotiation });
    client.onerror = (error) => {
      if (strayAnswer.test(error.message)) strayAnswers += 1;
      if (lateMessage.test(error.message)) return;
      const problem = problemOfAnswer(error);
      serverLog.add('host', problem === undefined ? error.message.slice(0, 500) : `A message of it was not taken: ${problem}.`);
    };
    declareByEra(client, options.declared);
    if (options.traceIdOf) carryTraceContext(client, options.traceIdOf);
    answerServerRequests(client, { ...options, running });
    client.setNotificationHandler('notifications/tools/list_changed', () => noticed('tools'));
    client.setNotificationHandler('notifications/resources/list_changed', () => noticed('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => noticed('prompts'));
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));
    keepServerMessages(client, serverLog);
    return client;
  };

  let opened: Opened | undefined;
  let isStarting = true;
  try {
    opened = await openerOf(target)({
      name,
      serverName: options.serverName,
      makeClient,
      era: options.era,
      remembered: options.remembered,
      log: serverLog,
      trace: options.trace,
      clock,
      waitingCall: waitingCalls({ ...options, running }),
      signal: start.signal,
      isStarting: () => isStarting,
    });
    const { client } = opened;
    const { certain, transportKind, how } = opened;
    const era = client.getProtocolEra() ?? 'legacy';
    const protocol = { era, version: client.getNegotiatedProtocolVersion() ?? '', transport: transportKind, how };
    if (certain && how !== 'set') options.rememberEra({ era, version: protocol.version });
    const overHttp = era === 'modern' && transportKind === 'http';
    const cache = createReadCache(clock, options.authorizationKey);

    let isTold: (kind: ListKind) => boolean = () => false;
    const lists = keptLists({
      client,
      introduction: opened.introduction(),
      era,
      overHttp,
      clock,
      log: serverLog,
      cache,
      startSignal: start.signal,
      startTimeoutMs: options.startTimeoutMs,
      hasEnded: () => opened?.endNow() !== undefined,
      isTold: (kind) => isTold(kind),
      onChange: options.onLists,
    });
    await Promise.race([lists.readAll(), opened.ended.then((failure) => Promise.reject(endedAtStart(name, failure)))]);
    start.signal.throwIfAborted();
    noticed = lists.notice;
    for (const kind of early) lists.notice(kind);
    const subscriptions = createSubscriptions({
      client,
      clock,
      notice: lists.notice,
      onUpdated: options.onResourceUpdated,
      log: serverLog,
    });
    isTold = subscriptions.isTold;
    updated = (uri) => {
      cache.forget('resources/read', uri);
      for (const watched of subscriptions.watched()) if (isAtOrBelow(uri, watched)) cache.forget('resources/read', watched);
      subscriptions.updated(uri);
    };
    const taskNotices = createTaskNotices({ client, clock, log: serverLog });
    const messages = createServerMessages(client, serverLog);

    const { ended, endNow, close } = opened;
    const stopKeeping = () => {
      lists.stop();
      subscriptions.stop();
      taskNotices.stop();
    };
    void ended.then(stopKeeping);
    const context = () => ({
      client,
      name: options.serverName(),
      clock,
      running,
      endNow,
      ended,
      isProgram: transportKind === 'stdio',
      strange: () => strayAnswers + serverLog.strangeLines(),
      era,
      version: protocol.version,
    });
    return {
      protocol,
      lists: lists.current,
      refreshLists: lists.refresh,
      ended,
      ...createFeatures(context, options.requestTimeoutMs, cache),
      tasks: createTasks(context, taskNotices),
      subscriptions,
      setLogLevel: messages.setLevel,
      callTool: (request, timeoutMs) =>
        runToolCall(
          {
            ...context(),
            overHttp,
            tool: () => lists.current().tools.find((each) => each.name === request.tool),
            readToolsAgain: () => lists.readNow('tools'),
          },
          request,
          timeoutMs,
        ),
      async sendByHand({ method, params, tag }, timeoutMs) {
        try {
          await client.request({ method, params: { ...params, [callOfRequest]: tag } }, rawResultSchema, { timeout: timeoutMs });
          return undefined;
        } catch (error) {
          const stands = error instanceof ProtocolError && (error.data === noMessage || error.data === noMessageInStream);
          const problem = stands ? error.message : problemOfAnswer(error);
          return problem === undefined ? messageOf(error).slice(0, 500) : `What came does not follow the protocol: ${problem}.`;
        }
      },
      announceRoots() {
        if (era !== 'legacy' || !options.declared.roots) return;
        client
          .sendRootsListChanged()
          .catch((error: unknown) => serverLog.add('host', `It could not be told of its folders: ${messageOf(error)}`));
      },
      async close() {
        stopKeeping();
        await close();
      },
    };
  } catch (error) {
    // Before it is closed: its requests fail at once when it ends, and why it did is known a moment before its processes are gone.
    const end = opened?.endNow();
    await opened?.close();
    if (start.signal.aborted) throw start.signal.reason;
    if (target.kind === 'http') throw httpStartFailure(name, error, target.url);
    throw end ? endedAtStart(name, end.failure) : error;
  } finally {
    isStarting = false;
    cancelBound();
    options.signal.removeEventListener('abort', giveUp);
  }
}

function endedAtStart(name: string, failure: ServerFailure | undefined): Error {
  return failure
    ? new StartFailure({ ...failure, code: failure.code === 'exited' ? 'exitedAtStart' : failure.code })
    : new Error(`"${name}" was stopped.`);
}

function openerOf(target: Target): OpenTransport {
  switch (target.kind) {
    case 'stdio':
      return (context) => openProgram(target.start, context);
    case 'http':
      return (context) => openHttp(target, context);
    case 'inProcess':
      return target.open;
  }
}
