import type { ServerId } from '../../../preload/contract/ids.ts';
import type { EraChoice, ServerConfig, ServerState } from '../../../preload/contract/servers.ts';
import type { ServerAuth } from '../auth/serverAuth.ts';
import type { AnswerServerRequest, DeclaredFeatures } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { LogLine } from '../mcp/serverLog.ts';
import { superviseServer } from '../mcp/supervisor.ts';
import type { Target } from '../mcp/target.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import { getEra, setEra } from '../store/serverRows.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import { eraVerdictMs, StoredEra } from './cachedLists.ts';
import { kindOf } from './entry.ts';
import type { NoConnection } from './serverCalls.ts';
import type { ServerConfiguration } from './serverConfiguration.ts';
import type { ServerSandbox } from './serverSandbox.ts';
import type { StartPlaces } from './startPlaces.ts';

export interface RunningServerDeps {
  db: Db;
  clock: Clock;
  log: Log;
  clientInfo: { name: string; version: string };
  declared(serverName: string, serverId: ServerId): DeclaredFeatures;
  answer: AnswerServerRequest;
  callTimeoutMs(): number;
  /** Where what goes over the wire of a server is told. */
  trace?: ((serverId: ServerId) => WireTrace) | undefined;
  /** The trace id for a request to a server, of this call or other operation; undefined where the server gets none. */
  traceIdOf?: ((serverId: ServerId, operation: string | undefined) => string | undefined) | undefined;
  /** Where local programs wait until they may start. */
  startPlaces: StartPlaces;
  /** Whether servers may run at all: after `startAll`, until `close`. */
  mayRun(): boolean;
  /** A watched resource has changed, or may have. */
  onResourceUpdated(id: ServerId, uri: string): void;
  /** Work that has to end before the database is closed. */
  track(work: Promise<unknown>): void;
}

/** What belongs to this server alone. */
interface OwnParts {
  auth: Pick<ServerAuth, 'authorizationKey' | 'close' | 'wanted'>;
  sandbox: Pick<ServerSandbox, 'confinement' | 'failure'>;
  /** What to start or call. Rejects with a Refusal. */
  target(config: ServerConfig): Promise<Target>;
  /** Before the server is told to be ready. */
  onConnected(connection: Connection): void;
  /** What it lists under the configuration of this hash is known, or is other now. */
  onLists(configHash: string, connection: Connection): void;
  /** What is shown of it may be other now. */
  onChange(): void;
}

/** What runs of one configured server: its supervised process or connection, kept to what is configured, switched on and agreed to. */
export interface RunningServer {
  /** Of a server that may run. */
  status(): ServerState;
  /** Under the configuration as it is now. */
  connection(): Connection | undefined;
  /** Connects first where it is still starting. What ran under the configuration before is never asked. */
  connected(signal: AbortSignal): Promise<Connection | NoConnection>;
  /** The address it was connected to under the configuration as it is now. */
  url(): string | undefined;
  /** In milliseconds. */
  callTimeoutMs(): number;
  log(): LogLine[];
  /** Writes a line into its log. */
  note(sentence: string): void;
  /** Somebody needs what it offers: what is too old is read again in the background. */
  refreshLists(): void;
  /** Its folders (roots) have changed: tells a connected server of before 2026-07-28, and starts one anew that may write to nothing else. */
  announceRoots(): void;
  /** As that of a connection. Refuses with `serverUnavailable`. */
  sendByHand(request: { method: string; params: Record<string, unknown>; tag: string }): Promise<string | undefined>;
  /** Starts, stops or leaves it, so that it runs exactly what is configured, switched on and agreed to. Resolves after a stop, never waits for a start. */
  bringUp(): Promise<void>;
  /** Connects anew, if it is to run at all: under another sign-in nothing of the old connection may live on. */
  reconnect(): Promise<void>;
  /** Refuses with `wrongState` where it may not run. */
  restart(): Promise<void>;
  /** Resolves when it is not starting (any more). */
  settled(): Promise<void>;
}

export function createRunningServer(
  id: ServerId,
  configuration: ServerConfiguration,
  { auth, sandbox, ...own }: OwnParts,
  deps: RunningServerDeps,
): RunningServer {
  const { config, hash, runnable } = configuration;
  const name = (): string => configuration.entry().name;
  /** The hash of the configuration that runs. */
  let running: string | undefined;
  let runningEra: EraChoice | undefined;
  /** Where it was connected to, and under which configuration. */
  let address: { hash: string | undefined; url: string } | undefined;
  let work: Promise<void> = Promise.resolve();

  const era = (): EraChoice => config()?.era ?? 'auto';
  const callTimeoutMs = (): number => config()?.timeout ?? deps.callTimeoutMs();

  const supervised = superviseServer({
    serverId: id,
    serverName: name,
    async target() {
      if (kindOf(configuration.entry().value) !== 'remote') await deps.startPlaces.take(id);
      if (await configuration.lookAtBundle()) deps.track(bringUp());
      const written = config();
      // What runs is what was agreed to: a change on the way is taken up by the next `bringUp`.
      if (!written || hash() !== running || !runnable())
        return refuse('notAllowed', 'It is switched off, or you have not agreed to start it.');
      const target = await own.target(written);
      address = target.kind === 'http' ? { hash: hash(), url: target.url } : undefined;
      return target;
    },
    clock: deps.clock,
    log: deps.log,
    trace: deps.trace?.(id),
    traceIdOf: (operation) => deps.traceIdOf?.(id, operation),
    callTimeoutMs,
    declared: () => deps.declared(name(), id),
    answer: deps.answer,
    era,
    authorizationKey: auth.authorizationKey,
    rememberedEra() {
      const configHash = hash();
      const verdict = configHash === undefined ? undefined : StoredEra.safeParse(getEra(deps.db, id, configHash, deps.clock.now()));
      return verdict?.data;
    },
    rememberEra(verdict) {
      const configHash = hash();
      if (configHash !== undefined) setEra(deps.db, id, verdict, configHash, deps.clock.now() + eraVerdictMs);
    },
    onConnected: own.onConnected,
    onResourceUpdated: (uri) => deps.onResourceUpdated(id, uri),
    onStatus(now) {
      if (now.state !== 'starting') deps.startPlaces.leave(id);
      tellLists();
      own.onChange();
    },
    onLists() {
      tellLists();
      own.onChange();
    },
    clientInfo: deps.clientInfo,
  });

  const connection = (): Connection | undefined => (running === hash() ? supervised.connection() : undefined);

  function tellLists(): void {
    const opened = supervised.connection();
    if (opened && running !== undefined && supervised.status().state === 'ready') own.onLists(running, opened);
  }

  function bringUp(): Promise<void> {
    work = work.then(async () => {
      const wanted = (): string | undefined => (deps.mayRun() && runnable() ? hash() : undefined);
      // Nobody waits in the browser for a server that is not to run.
      if (wanted() === undefined) auth.close();
      configuration.recordDenial();
      if (running !== undefined && (running !== wanted() || runningEra !== era())) {
        deps.startPlaces.hurry(id);
        await supervised.stop();
        running = undefined;
      }
      if (running === undefined) running = wanted();
      else return;
      runningEra = era();
      if (running !== undefined) supervised.start();
    });
    work = work.catch((error: unknown) =>
      deps.log.error('A server could not be brought up or down.', { serverId: id, reason: messageOf(error) }),
    );
    return work.then(own.onChange);
  }

  async function reconnect(): Promise<void> {
    await work;
    if (running !== undefined && running === hash() && runnable()) await supervised.restart();
  }

  return {
    status() {
      // A changed configuration first waits for the end of what ran before.
      if (running !== hash()) return { state: 'off' };
      const now = supervised.status();
      if (now.state === 'failed') return { ...now, failure: sandbox.failure(config(), now.failure) };
      return now.state === 'needsSignIn' ? { ...now, ...auth.wanted() } : now;
    },

    connection,

    async connected(signal) {
      const off = { message: `"${name()}" is switched off, so it was not asked.`, final: true };
      await work;
      if (!runnable() || running !== hash()) return off;
      deps.startPlaces.hurry(id);
      const ready = await supervised.ready(signal);
      if (!runnable() || running !== hash()) return off;
      return 'callTool' in ready ? ready : { ...ready, final: false };
    },

    url: () => (address && address.hash === hash() ? address.url : undefined),
    callTimeoutMs,
    log: supervised.log,
    note: supervised.note,
    refreshLists: () => supervised.connection()?.refreshLists(),

    announceRoots() {
      const written = config();
      // Where it may write is settled at its start.
      if (written && sandbox.confinement(written)) deps.track(reconnect());
      else supervised.connection()?.announceRoots();
    },

    async sendByHand(request) {
      await work;
      const opened = runnable() ? connection() : undefined;
      if (!opened) return refuse('serverUnavailable', `"${name()}" is not connected, so nothing was sent. Start it first.`);
      return opened.sendByHand(request, callTimeoutMs());
    },

    bringUp,
    reconnect,

    async restart() {
      if (!runnable()) refuse('wrongState', `"${name()}" is switched off or waits for your consent, so it cannot be restarted.`);
      await work;
      if (running === undefined || running !== hash()) return bringUp();
      deps.startPlaces.hurry(id);
      await supervised.restart();
    },

    async settled() {
      await work;
      if (running !== undefined) await supervised.settled();
    },
  };
}
