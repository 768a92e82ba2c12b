import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type {
  BundledServerConfig,
  EraChoice,
  LogLevel,
  Server,
  ServerConfig,
  ServerDetails,
  ServerState,
} from '../../../preload/contract/servers.ts';
import {
  readResourceMethod,
  type AnswerServerRequest,
  type DeclaredFeatures,
  type ServerTool,
  type StartedTask,
  type ToolCallOutcome,
  type ToolCallRequest,
} from '../mcp/callTool.ts';
import type { Connection, ListedTool, ServerLists } from '../mcp/connection.ts';
import { superviseServer } from '../mcp/supervisor.ts';
import type { Target } from '../mcp/connection.ts';
import { AuthFailure } from '../auth/authFailure.ts';
import { createServerAuth } from '../auth/serverAuth.ts';
import { isUnencrypted } from '../net/addressPolicy.ts';
import type { SignInClient, SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ChildProgram, Clock, Log, RunNodeScript } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import type { Db } from '../store/database.ts';
import { forgetProcess, recordProcess } from '../store/processes.ts';
import type { Secrets } from '../store/secrets.ts';
import {
  getConsent,
  getEra,
  getLogLevel,
  getToolEffects,
  removeGrants,
  setConsent,
  setEra,
  setLogLevel,
  setToolEffects,
} from '../store/serverRows.ts';
import { createCachedLists, StoredEra, eraVerdictMs } from './cachedLists.ts';
import { isEntryObject, kindOf, readEntry } from './entry.ts';
import { offeredDetails } from './offeredDetails.ts';
import { secretNamesIn } from './plainSecrets.ts';
import { profileEffects } from './profiles.ts';
import type { Folders } from './servers.ts';
import { configWarnings } from './configWarnings.ts';
import { createServerCalls, type FollowedCall, type NoConnection } from './serverCalls.ts';
import { createServerFeatures, type ServerFeatures } from './serverFeatures.ts';
import { describeStart, hashConfig, summaryOf } from './startConsent.ts';
import type { StartPlaces } from './startPlaces.ts';
import { targetOf } from './target.ts';

export interface ConfiguredServerDeps {
  db: Db;
  secrets: Secrets;
  folders: Folders;
  clock: Clock;
  log: Log;
  runNodeScript: RunNodeScript;
  openUrl(url: string): Promise<void>;
  /** Overrides the address of our own document for authorization servers. */
  clientMetadataUrl?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  dataDir: string;
  clientInfo: { name: string; version: string };
  declared(serverName: string, serverId: ServerId): DeclaredFeatures;
  answer: AnswerServerRequest;
  callTimeoutMs(): number;
  /** Where what goes over the wire of a server is told. */
  trace?: ((serverId: ServerId) => WireTrace) | undefined;
  /** Where local programs wait until they may start. */
  startPlaces: StartPlaces;
  /** The PATH for programs: what is known now, and what will be known. */
  path: { now(): string; found(): Promise<string> };
  /** Whether servers may run at all: after `startAll`, until `close`. */
  mayRun(): boolean;
  /** True where naming the file was the consent to everything in it. */
  consentGiven: boolean;
  onChange(server: ConfiguredServer): void;
  /** A watched resource has changed, or may have. */
  onResourceUpdated(id: ServerId, uri: string): void;
  /** Work that has to end before the database is closed. */
  track(work: Promise<unknown>): void;
}

/** An entry of the file as it was adopted: references stand where plain secrets stood, and `plain` holds those by name. */
export interface AdoptedEntry {
  name: string;
  value: unknown;
  text: string;
  plain: ReadonlyMap<string, string>;
}

/** One configured server: its entry, what hangs on its id, and its supervised process or connection. */
export interface ConfiguredServer {
  readonly id: ServerId;
  entry(): AdoptedEntry;
  config(): ServerConfig | undefined;
  bundled(): BundledServerConfig['bundled'] | undefined;
  /** Undefined while the entry cannot be read. */
  hash(): string | undefined;
  adopt(entry: AdoptedEntry): void;
  view(): Server;
  details(): ServerDetails;
  /** The same array, and in it the same objects, for as long as they stand: what is worked out of a tool is kept by its object. */
  tools(): ServerTool[];
  effectsOf(tool: string): Effects;
  /** The user's word; an empty list takes it back. */
  classify(tool: string, effects: Effects['set']): void;
  /**
   * The user's consent to run the configuration of this hash, and no other. What was said of the tools of another program, and what
   * they were allowed, does not hold for this one; `isSameProgram` where only its folders were picked anew.
   */
  agree(configHash: string, isSameProgram?: boolean): void;
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Tells a connected server of before 2026-07-28 that its folders (roots) have changed. */
  announceRoots(): void;
  /** Takes up a call that the server runs as a task, from an earlier run of the host. Never throws. */
  followTask(task: StartedTask, request: FollowedCall): Promise<ToolCallOutcome>;
  readonly features: ServerFeatures;
  /** Somebody needs what it offers: what is too old is read again in the background. */
  refreshLists(): void;
  logLevel(): LogLevel | undefined;
  setLogLevel(level: LogLevel | undefined): void;
  /** As that of a connection. Refuses with `serverUnavailable`. */
  sendByHand(request: { method: string; params: Record<string, unknown>; tag: string }): Promise<string | undefined>;
  /** Opens the browser for a sign-in and returns what is asked for there. Refuses with `wrongState`, `notAllowed`, `serverFailed`. */
  signIn(issuer: string | undefined): Promise<SignInRequest>;
  cancelSignIn(): void;
  signOut(): Promise<void>;
  setClient(issuer: string | undefined, client: SignInClient | null): Promise<void>;
  /** Connects anew, if it is to run at all: under another sign-in nothing of the old connection may live on. */
  reconnect(): Promise<void>;
  /** Starts, stops or leaves it, so that it runs exactly what is configured, switched on and agreed to. Resolves after a stop, never waits for a start. */
  bringUp(): Promise<void>;
  /** Refuses with `wrongState` where it may not run. */
  restart(): Promise<void>;
  /** Stops it for good; resolves when nothing of it is left. */
  retire(): Promise<void>;
  settled(): Promise<void>;
}

const noTools: ListedTool[] = [];
const noServerTools: ServerTool[] = [];

/** What a tool counts as that nobody classified: the worst that is usual. */
export const unreviewed = (): Effects => ({ set: ['changes', 'sendsOut'], source: 'nobody' });

const hasOwnAuthorization = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

export const secretOwner = (id: ServerId): string => `server:${id}`;

export function createConfiguredServer(id: ServerId, first: AdoptedEntry, deps: ConfiguredServerDeps): ConfiguredServer {
  let entry = first;
  let read = readEntry(first.value);
  let hash = read.config && hashConfig(read.config);
  // Asked for at every step of a turn, for every tool: kept here beside the rows.
  let agreedHash = getConsent(deps.db, id)?.configHash;
  let userEffects = getToolEffects(deps.db, id);
  const cached = createCachedLists(id, deps);
  /** The hash of the configuration that runs. */
  let running: string | undefined;
  let runningEra: EraChoice | undefined;
  let retired = false;
  let logLevel = getLogLevel(deps.db, id);
  let work: Promise<void> = Promise.resolve();
  let offeredTools: { listed: ListedTool[]; serverName: string; tools: ServerTool[] } | undefined;

  const bundled = (): BundledServerConfig['bundled'] | undefined =>
    read.config && 'bundled' in read.config ? read.config.bundled : undefined;
  const enabled = (): boolean => (isEntryObject(entry.value) && 'disabled' in entry.value ? entry.value.disabled !== true : true);
  const agreed = (): boolean => deps.consentGiven || (hash !== undefined && agreedHash === hash);
  const runnable = (): boolean => !retired && hash !== undefined && enabled() && agreed();
  const callTimeoutMs = (): number => read.config?.timeout ?? deps.callTimeoutMs();
  const era = (): EraChoice => read.config?.era ?? 'auto';
  /** Who is signed in now: what the server has said to somebody else is not theirs. */
  const authorizationKey = (): string => auth.authorizationKey();

  const auth = createServerAuth({
    owner: secretOwner(id),
    serverName: () => entry.name,
    secrets: deps.secrets,
    clock: deps.clock,
    log: deps.log,
    openUrl: deps.openUrl,
    clientMetadataUrl: deps.clientMetadataUrl,
    onChange: () => deps.onChange(server),
    onSignedIn: () => void server.reconnect(),
  });

  const targetNow = async (config: ServerConfig): Promise<Target> => {
    const target = await targetOf(config, {
      ...deps,
      path: deps.path.found,
      secret: async (name) => entry.plain.get(name) ?? (await deps.secrets.get(secretOwner(id), name)),
      onChild,
    });
    // A key that the person wrote into the headers is his sign-in, and an open line carries none.
    if (target.kind !== 'http' || isUnencrypted(target.url) || hasOwnAuthorization(target.headers)) return target;
    return { ...target, authorize: (base, callOf) => auth.authorize(base, target.url, callOf) };
  };

  /** Where signing in would be for. Refuses where it is not possible. */
  const signInUrl = async (): Promise<string> => {
    const { config } = read;
    if (!config || !('url' in config)) return refuse('wrongState', `"${entry.name}" has no sign-in.`);
    if (!runnable()) return refuse('wrongState', `"${entry.name}" is switched off or waits for your consent.`);
    const target = await targetNow(config);
    if (target.kind !== 'http') return refuse('wrongState', `"${entry.name}" has no sign-in.`);
    if (isUnencrypted(target.url))
      return refuse(
        'notAllowed',
        `"${entry.name}" is not encrypted: its address begins with http://. Signing in would give your access away. Use https://.`,
      );
    if (hasOwnAuthorization(target.headers))
      return refuse('wrongState', `"${entry.name}" gets the Authorization header of its settings. Remove that to sign in instead.`);
    return target.url;
  };

  const supervised = superviseServer({
    serverId: id,
    serverName: () => entry.name,
    async target() {
      if (kindOf(entry.value) !== 'remote') await deps.startPlaces.take(id);
      // What runs is what was agreed to: a change on the way is taken up by the next `bringUp`.
      if (!read.config || hash !== running || !runnable())
        return refuse('notAllowed', 'It is switched off, or you have not agreed to start it.');
      return targetNow(read.config);
    },
    clock: deps.clock,
    log: deps.log,
    trace: deps.trace?.(id),
    callTimeoutMs,
    declared: () => deps.declared(entry.name, id),
    answer: deps.answer,
    era,
    authorizationKey,
    rememberedEra: () => {
      const verdict = hash === undefined ? undefined : StoredEra.safeParse(getEra(deps.db, id, hash, deps.clock.now()));
      return verdict?.data;
    },
    rememberEra: (verdict) => {
      if (hash !== undefined) setEra(deps.db, id, verdict, hash, deps.clock.now() + eraVerdictMs);
    },
    onConnected: (connection) => features.onConnected(connection),
    onResourceUpdated: (uri) => deps.onResourceUpdated(id, uri),
    onStatus: (now) => {
      if (now.state !== 'starting') deps.startPlaces.leave(id);
      remember();
      deps.onChange(server);
    },
    onLists: () => {
      remember();
      deps.onChange(server);
    },
    clientInfo: deps.clientInfo,
  });

  /** Connects first where it is still starting. What ran under the configuration before must not be asked. */
  const connected = async (signal: AbortSignal): Promise<Connection | NoConnection> => {
    const off = { message: `"${entry.name}" is switched off, so it was not asked.`, final: true };
    await work;
    if (!runnable() || running !== hash) return off;
    deps.startPlaces.hurry(id);
    const ready = await supervised.ready(signal);
    if (!runnable() || running !== hash) return off;
    return 'callTool' in ready ? ready : { ...ready, final: false };
  };

  const features = createServerFeatures({
    connected,
    connection: () => (running === hash ? supervised.connection() : undefined),
    logLevel: () => logLevel,
  });

  const serverCalls = createServerCalls({
    name: () => entry.name,
    clock: deps.clock,
    connected,
    configHash: () => hash,
    authorizationKey,
    timeoutMs: callTimeoutMs,
  });

  function onChild(child: ChildProgram): void {
    const { pid } = child;
    if (pid === undefined) return;
    const recorded = recordProcess(deps.db, pid, id);
    const ended = child.exited.then(
      () => undefined,
      // That it never ran is told by the supervisor.
      () => undefined,
    );
    deps.track(Promise.all([recorded, ended]).then(() => forgetProcess(deps.db, pid)));
  }

  function remember(): void {
    const connection = supervised.connection();
    if (!connection || running === undefined || supervised.status().state !== 'ready') return;
    cached.keep({
      configHash: running,
      authorizationKey: authorizationKey(),
      protocol: connection.protocol,
      lists: connection.lists(),
    });
  }

  /** What the server offers now, else what it offered the last time under this very configuration. */
  const known = (): { lists: ServerLists; protocol: Server['protocol'] } | undefined => {
    const connection = running === hash ? supervised.connection() : undefined;
    if (connection) return { lists: connection.lists(), protocol: { ...connection.protocol } };
    return hash === undefined ? undefined : cached.of(hash, authorizationKey());
  };

  const status = (): ServerState => {
    if (read.problem !== undefined) {
      return { state: 'failed', failure: { code: 'configurationInvalid', message: `"${entry.name}" cannot be started. ${read.problem}` } };
    }
    if (!enabled()) return { state: 'off' };
    if (!agreed()) return { state: 'off', needsConsent: describeStart(read.config, { ...deps, path: deps.path.now() }) };
    // A changed configuration first waits for the end of what ran before.
    if (running !== hash) return { state: 'off' };
    const now = supervised.status();
    return now.state === 'needsSignIn' ? { ...now, ...auth.wanted() } : now;
  };

  const view = (): Server => {
    const { config } = read;
    const kind = bundled();
    const offered = known();
    const folders = config && 'bundled' in config && config.bundled === 'files' ? (config.folders ?? []) : undefined;
    return {
      id,
      name: entry.name,
      kind: kindOf(entry.value),
      ...(kind && { bundled: kind }),
      summary: config ? summaryOf(config) : '',
      enabled: enabled(),
      status: status(),
      ...(offered && {
        counts: {
          tools: offered.lists.tools.filter((tool) => tool.problem === undefined).length,
          resources: offered.lists.resources.length,
          prompts: offered.lists.prompts.length,
        },
      }),
      ...(offered?.protocol && { protocol: offered.protocol }),
      ...(offered?.lists.reported && { reported: offered.lists.reported }),
      ...(auth.account() && { account: auth.account() }),
      ...(auth.signingIn() && { signingIn: auth.signingIn() }),
      ...(folders && { folders: folders.map((path) => ({ id: deps.folders.idOf(path), path })) }),
    };
  };

  const effectsOf = (tool: string): Effects => {
    const byUser = userEffects.get(tool);
    if (byUser) return { set: byUser, source: 'user' };
    // By the protocol it is a read; what it reads is the server's own.
    if (tool === readResourceMethod) return { set: ['reads'], source: 'profile' };
    const kind = bundled();
    const profile = kind && profileEffects(kind, tool);
    return profile ? { set: profile, source: 'profile' } : unreviewed();
  };

  const server: ConfiguredServer = {
    id,
    entry: () => entry,
    config: () => read.config,
    bundled,
    hash: () => hash,

    adopt(next) {
      entry = next;
      read = readEntry(next.value);
      hash = read.config && hashConfig(read.config);
    },

    view,

    details() {
      const offered = known();
      const lists = offered?.lists;
      return {
        server: view(),
        configJson: entry.text,
        ...(read.config === undefined ? {} : { era: era() }),
        secrets: secretNamesIn(entry.value).map((name) => ({
          name,
          isSet: entry.plain.has(name) || deps.secrets.has(secretOwner(id), name) !== 'missing',
        })),
        ...offeredDetails(lists, effectsOf),
        log: supervised.log(),
        ...(logLevel === undefined ? {} : { logLevel }),
        warnings: [...configWarnings(read.config, deps.consentGiven ? [] : [...entry.plain.keys()]), ...(lists?.warnings ?? [])],
      };
    },

    tools() {
      if (!runnable()) return noServerTools;
      const now = status();
      const usable = now.state === 'ready' || now.state === 'starting' || (now.state === 'failed' && now.retryAt !== undefined);
      const listed = usable ? (known()?.lists.tools ?? noTools) : noTools;
      if (offeredTools?.listed !== listed || offeredTools.serverName !== entry.name) {
        const tools = listed.flatMap(({ problem, ...tool }) =>
          problem === undefined ? [{ serverId: id, serverName: entry.name, ...tool }] : [],
        );
        offeredTools = { listed, serverName: entry.name, tools };
      }
      return offeredTools.tools;
    },

    effectsOf,

    classify(tool, effects) {
      setToolEffects(deps.db, id, tool, effects, deps.clock.now());
      userEffects = getToolEffects(deps.db, id);
    },

    agree(configHash, isSameProgram = false) {
      deps.db.transaction(() => {
        if (agreedHash !== undefined && agreedHash !== configHash && !isSameProgram) removeGrants(deps.db, id);
        setConsent(deps.db, id, configHash, deps.clock.now());
      })();
      agreedHash = configHash;
      userEffects = getToolEffects(deps.db, id);
    },

    callTool: ({ serverId: _own, ...request }) => serverCalls.callTool(request),
    followTask: serverCalls.followTask,
    features,
    refreshLists: () => supervised.connection()?.refreshLists(),
    logLevel: () => logLevel,

    setLogLevel(level) {
      setLogLevel(deps.db, id, level);
      logLevel = level;
      features.setLogLevel(level);
    },

    async sendByHand(request) {
      await work;
      const connection = runnable() && running === hash ? supervised.connection() : undefined;
      if (!connection) return refuse('serverUnavailable', `"${entry.name}" is not connected, so nothing was sent. Start it first.`);
      return connection.sendByHand(request, callTimeoutMs());
    },

    announceRoots: () => supervised.connection()?.announceRoots(),

    bringUp() {
      work = work.then(async () => {
        const wanted = (): string | undefined => (deps.mayRun() && runnable() ? hash : undefined);
        // Nobody waits in the browser for a server that is not to run.
        if (wanted() === undefined) auth.close();
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
      return work.then(() => deps.onChange(server));
    },

    async restart() {
      if (!runnable()) refuse('wrongState', `"${entry.name}" is switched off or waits for your consent, so it cannot be restarted.`);
      await work;
      if (running === undefined || running !== hash) return server.bringUp();
      deps.startPlaces.hurry(id);
      await supervised.restart();
    },

    async signIn(issuer) {
      const url = await signInUrl();
      try {
        return await auth.signIn(url, issuer);
      } catch (error) {
        if (!(error instanceof AuthFailure)) throw error;
        return refuse('serverFailed', error.message, error.detail === undefined ? {} : { detail: error.detail });
      }
    },
    cancelSignIn: auth.cancelSignIn,
    async signOut() {
      await auth.signOut();
      await server.reconnect();
    },
    setClient: auth.setClient,
    async reconnect() {
      await work;
      if (running !== undefined && running === hash && runnable()) await supervised.restart();
    },

    retire() {
      retired = true;
      return server.bringUp();
    },

    async settled() {
      await work;
      if (running !== undefined) await supervised.settled();
    },
  };
  return server;
}
