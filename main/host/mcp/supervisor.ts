import type { ServerId } from '../../../preload/contract/ids.ts';
import type { EraChoice, ServerFailure, ServerState } from '../../../preload/contract/servers.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf, Refusal } from '../refusal.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import type { AnswerServerRequest, DeclaredFeatures } from './callTool.ts';
import { type Connection, openConnection } from './connection.ts';
import type { EraVerdict } from './era.ts';
import type { ServerLists } from './serverLists.ts';
import type { Target } from './target.ts';
import { crashLoop, detailOf, SignInNeeded, StartFailure } from './failures.ts';
import type { TooBusy } from './retryAfter.ts';
import { type LogLine, serverLog } from './serverLog.ts';
import type { TraceIdOf } from './traceContext.ts';

export interface SupervisorDeps {
  serverId: ServerId;
  serverName(): string;
  /** Rejects with a Refusal: the server is `failed` with `configurationInvalid`. */
  target(): Promise<Target>;
  clock: Clock;
  log: Log;
  trace?: WireTrace | undefined;
  traceIdOf?: TraceIdOf | undefined;
  callTimeoutMs(): number;
  declared(): DeclaredFeatures;
  answer: AnswerServerRequest;
  /** The person's choice. */
  era(): EraChoice;
  rememberedEra(): EraVerdict | undefined;
  rememberEra(verdict: EraVerdict): void;
  /** Who is signed in to the server now. */
  authorizationKey(): string;
  onStatus(status: ServerState): void;
  /** Before the server is told to be ready. */
  onConnected(connection: Connection): void;
  onResourceUpdated(uri: string): void;
  onLists(lists: ServerLists): void;
  clientInfo: { name: string; version: string };
}

export interface SupervisedServer {
  status(): ServerState;
  connection(): Connection | undefined;
  start(): void;
  /** Resolves when nothing of the server is left. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /**
   * Waits for a start under way, bounded by the start's own time-out. A restart that is planned for later happens at once, unless the server
   * has asked for the pause.
   * Resolves with the failure when there is none, or when `signal` ended the wait.
   */
  ready(signal: AbortSignal): Promise<Connection | ServerFailure>;
  /** Resolves when the server is not starting (any more). */
  settled(): Promise<void>;
  log(): LogLine[];
  /** Adds to the log what the host itself has done for it. */
  note(sentence: string): void;
}

/** Milliseconds that one start may take. */
const startTimeoutMs = 30_000;
/** A program that was started so often within that time, and ended each time, is not started again by itself. */
const crashLoopStarts = 3;
const crashLoopMs = 20_000;
const firstRetryMs = 500;
const maxRetryMs = 60_000;
/** As long as a busy server may have its next start put off. */
const maxAskedRetryMs = 3_600_000;
/** After so long a time of service the next restart is quick again. */
const steadyMs = 60_000;

/**
 * Keeps one server running: bounded starts, restarts after an unexpected end with back-off and jitter, an end to crash loops.
 * A program whose first start fails is not tried again, because only a change by the person can help; a remote server that could
 * not be reached, or is busy, is, because it may come back: after the time that it asks for, an hour at most. Never throws.
 */
export function superviseServer(deps: SupervisorDeps): SupervisedServer {
  const { clock } = deps;
  const log = serverLog(clock, (sentence) => deps.trace?.connection(sentence));
  let status: ServerState = { state: 'off' };
  let wanted = false;
  let connection: Connection | undefined;
  let starting: AbortController | undefined;
  let cancelRetry: (() => void) | undefined;
  /** Until when a busy server has asked to be left alone, by the time that only passes. */
  let leaveAloneUntil = Number.NEGATIVE_INFINITY;
  /** The start or the stop that runs: the next one waits for it, so that no two processes of a server ever live. */
  let running: Promise<void> = Promise.resolve();
  let starts: number[] = [];
  let retries = 0;
  let servedBefore = false;
  let waiters: (() => void)[] = [];

  const setStatus = (next: ServerState) => {
    status = next;
    deps.onStatus(next);
    if (next.state === 'starting') return;
    const told = waiters;
    waiters = [];
    for (const tell of told) tell();
  };

  const launch = () => {
    cancelRetry?.();
    cancelRetry = undefined;
    const stop = new AbortController();
    starting = stop;
    starts = [...starts.filter((at) => clock.elapsed() - at < crashLoopMs), clock.elapsed()];
    setStatus({ state: 'starting', since: clock.now(), attempt: retries + 1 });
    running = running.then(() => connect(stop.signal));
  };

  const connect = async (signal: AbortSignal) => {
    try {
      signal.throwIfAborted();
      const target = await deps.target();
      const opened = await openConnection({
        serverId: deps.serverId,
        serverName: deps.serverName,
        target,
        clock,
        log: deps.log,
        serverLog: log,
        trace: deps.trace,
        traceIdOf: deps.traceIdOf,
        declared: deps.declared(),
        answer: deps.answer,
        era: deps.era(),
        remembered: deps.rememberedEra(),
        rememberEra: deps.rememberEra,
        authorizationKey: deps.authorizationKey,
        requestTimeoutMs: deps.callTimeoutMs,
        onResourceUpdated: deps.onResourceUpdated,
        onLists: deps.onLists,
        clientInfo: deps.clientInfo,
        signal,
        startTimeoutMs,
      });
      if (signal.aborted) return await opened.close();
      connection = opened;
      servedBefore = true;
      deps.onConnected(opened);
      const readyAt = clock.elapsed();
      deps.onLists(opened.lists());
      setStatus({ state: 'ready', since: clock.now() });
      void opened.ended.then((failure) => {
        if (connection !== opened) return;
        connection = undefined;
        if (clock.elapsed() - readyAt > steadyMs) retries = 0;
        if (wanted && failure) failed(failure, target.kind === 'stdio');
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof SignInNeeded) setStatus({ state: 'needsSignIn' });
      else if (error instanceof StartFailure) failed(error.failure, isProgramEnd(error.failure), error.busy);
      else if (error instanceof Refusal) {
        setStatus({
          state: 'failed',
          failure: { code: 'configurationInvalid', message: error.failure.message, ...detailOf(error.failure.detail) },
        });
      } else {
        deps.log.error('A server could not be started.', { serverId: deps.serverId, error: messageOf(error) });
        const message = `"${deps.serverName()}" could not be started because of a fault in this application. Try to restart it.`;
        setStatus({ state: 'failed', failure: { code: 'internal', message, ...detailOf(messageOf(error)) } });
      }
    }
  };

  const failed = (reason: ServerFailure, isProgram: boolean, busy?: TooBusy) => {
    const failure = withMessage(reason, deps.trace, log.strangeTail() !== '');
    log.add('host', failure.message);
    const recent = starts.filter((at) => clock.elapsed() - at < crashLoopMs).length;
    if (isProgram && recent >= crashLoopStarts) {
      return setStatus({ state: 'failed', failure: crashLoop(deps.serverName(), recent, crashLoopMs, failure) });
    }
    if (!busy && !mayHelp(failure, servedBefore)) return setStatus({ state: 'failed', failure });
    const own = Math.min(firstRetryMs * 2 ** retries, maxRetryMs) * (0.75 + Math.random() / 2);
    const asked = Math.min(busy?.retryAfterMs ?? 0, maxAskedRetryMs);
    const delay = Math.max(own, asked);
    leaveAloneUntil = clock.elapsed() + asked;
    retries += 1;
    cancelRetry = clock.after(delay, launch);
    setStatus({ state: 'failed', failure, retryAt: clock.now() + delay });
  };

  const start = () => {
    if (wanted) return;
    wanted = true;
    starts = [];
    retries = 0;
    servedBefore = false;
    launch();
  };

  const stop = (): Promise<void> => {
    wanted = false;
    cancelRetry?.();
    cancelRetry = undefined;
    starting?.abort(new Error('The server was stopped.'));
    running = running.then(async () => {
      const open = connection;
      connection = undefined;
      await open?.close();
      if (!wanted) setStatus({ state: 'off' });
    });
    return running;
  };

  const unavailable = (): ServerFailure => {
    const name = deps.serverName();
    if (status.state === 'failed') return status.failure;
    if (status.state === 'needsSignIn') return { code: 'httpError', message: `"${name}" wants a sign-in before it can be used.` };
    if (status.state === 'off') return { code: 'internal', message: `"${name}" is turned off. Turn it on in the settings to use it.` };
    return { code: 'noAnswer', message: `"${name}" is still starting.` };
  };

  return {
    status: () => status,
    connection: () => connection,
    start,
    stop,
    async restart() {
      await stop();
      start();
    },
    async ready(signal) {
      if (cancelRetry && !signal.aborted && clock.elapsed() >= leaveAloneUntil) launch();
      if (status.state !== 'starting') return connection ?? unavailable();
      let giveUp: () => void = () => undefined;
      const givenUp = new Promise<void>((resolve) => (giveUp = resolve));
      signal.addEventListener('abort', giveUp, { once: true });
      while (status.state === 'starting' && !signal.aborted) {
        await Promise.race([givenUp, new Promise<void>((resolve) => waiters.push(resolve))]);
      }
      signal.removeEventListener('abort', giveUp);
      return connection ?? unavailable();
    },
    async settled() {
      while (status.state === 'starting') await new Promise<void>((resolve) => waiters.push(resolve));
    },
    log: () => log.lines(),
    note: (sentence) => log.add('host', sentence),
  };
}

/** Where the server itself said something that led to the failure, the failure names it: also what was no message, in place of an answer. */
function withMessage(failure: ServerFailure, trace: WireTrace | undefined, isStrange: boolean): ServerFailure {
  const { code } = failure;
  const isSaid = code === 'protocolError' || code === 'httpError' || (code === 'noAnswer' && isStrange);
  const traceId = isSaid ? trace?.newestFromServer() : undefined;
  return traceId === undefined ? failure : { ...failure, traceId };
}

/** Failures of a program that count towards a crash loop. */
function isProgramEnd(failure: ServerFailure): boolean {
  return failure.code === 'exitedAtStart' || failure.code === 'exited';
}

/** Whether a start some time later may do better without anybody changing anything. */
function mayHelp(failure: ServerFailure, servedBefore: boolean): boolean {
  if (failure.code === 'connectionRefused') return true;
  if (failure.code === 'commandNotFound' || failure.code === 'configurationInvalid') return false;
  return servedBefore;
}
