import type { InstalledBundle } from '../../../preload/contract/bundles.ts';
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
import type { AnswerServerRequest, DeclaredFeatures, ServerTool, StartedTask, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { ListedTool, ServerLists } from '../mcp/serverLists.ts';
import type { Target } from '../mcp/target.ts';
import { superviseServer } from '../mcp/supervisor.ts';
import type { Identities } from '../auth/identities.ts';
import { createServerAuth } from '../auth/serverAuth.ts';
import type { SignInClient, SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ChildProgram, Clock, Log, RunNodeScript } from '../ports.ts';
import type { AuditEntry } from '../policy/audit.ts';
import { startAnswered, trustChanged } from '../policy/auditEntries.ts';
import { deniesServer, type Managed } from '../policy/managedPolicy.ts';
import type { Definitions } from '../policy/definitions.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import { type Db, inTransaction } from '../store/database.ts';
import { forgetProcess, recordProcess } from '../store/processes.ts';
import { getClientFeatures } from '../store/clientFeatures.ts';
import type { Secrets } from '../store/secrets.ts';
import { showsViews } from '../store/views.ts';
import { getConsent, getEra, getLogLevel, removeGrants, setConsent, setEra, setLogLevel } from '../store/serverRows.ts';
import { createCachedLists, StoredEra, eraVerdictMs } from './cachedLists.ts';
import { type AdoptedEntry, isEnabled, kindOf, readEntry, secretOwner } from './entry.ts';
import type { BundlePlaces } from './bundles/bundlePlaces.ts';
import type { Confinement, Sandbox } from './sandbox.ts';
import { createServerSandbox } from './serverSandbox.ts';
import type { Folders } from './folders.ts';
import { contentOf, type ServerContent } from './serverContent.ts';
import { createServerIcons, type ServerIcons } from './icons.ts';
import { createServerCalls, type FollowedCall, type NoConnection } from './serverCalls.ts';
import { createServerFeatures, type ServerFeatures } from './serverFeatures.ts';
import { createServerSignIn } from './serverSignIn.ts';
import { detailsOf, type KnownOffer, viewOf } from './serverView.ts';
import { findProgram } from './findProgram.ts';
import { describeStart, hashConfig } from './startConsent.ts';
import type { StartPlaces } from './startPlaces.ts';
import { isHeldToHosts } from '../views/heldToHosts.ts';
import { targetOf } from './target.ts';
import { createToolEffects } from './toolEffects.ts';
import type { ToolProfile } from './toolProfile.ts';

export interface ConfiguredServerDeps {
  db: Db;
  secrets: Secrets;
  /** Where the person is signed in with an organization. */
  identities: Identities;
  folders: Folders;
  clock: Clock;
  log: Log;
  runNodeScript: RunNodeScript;
  /** What runs a Node script as a program of its own; undefined in the desktop application. */
  nodeProgram: string | undefined;
  sandbox: Sandbox;
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
  /** The trace id for a request to a server, of this call or other operation; undefined where the server gets none. */
  traceIdOf?: ((serverId: ServerId, operation: string | undefined) => string | undefined) | undefined;
  /** What of a server's definitions was agreed to. Absent: nobody asks. */
  definitions?: Pick<Definitions, 'waiting' | 'agreeAtFirst' | 'reload'> | undefined;
  /** Where local programs wait until they may start. */
  startPlaces: StartPlaces;
  /** The PATH for programs: what is known now, and what will be known. */
  path: { now(): string; found(): Promise<string> };
  /** Where the files of bundles are. */
  bundlePlaces: BundlePlaces;
  /** The policy of the user's organisation. */
  managed: Managed;
  /** Adds a row to the activity log. Throws where the store cannot be written. */
  record(entry: AuditEntry): void;
  /** Whether servers may run at all: after `startAll`, until `close`. */
  mayRun(): boolean;
  /** True where naming the file was the consent to everything in it. */
  consentGiven: boolean;
  onChange(server: ConfiguredServer): void;
  /** What its page shows is other now, though its view is the same. */
  onDetails(server: ConfiguredServer): void;
  /** A watched resource has changed, or may have. */
  onResourceUpdated(id: ServerId, uri: string): void;
  /** Work that has to end before the database is closed. */
  track(work: Promise<unknown>): void;
}

/** One configured server: its entry, what hangs on its id, and its supervised process or connection. */
export interface ConfiguredServer {
  readonly id: ServerId;
  entry(): AdoptedEntry;
  config(): ServerConfig | undefined;
  bundled(): BundledServerConfig['bundled'] | undefined;
  /** Undefined while the entry cannot be read. */
  hash(): string | undefined;
  /** Of the files of its bundle, where they are not those that the entry names. */
  otherDigest(): string | undefined;
  /** What a configuration of it would be held to. */
  confinement(config: ServerConfig): Omit<Confinement, 'own'> | undefined;
  adopt(entry: AdoptedEntry): void;
  view(): Server;
  details(): ServerDetails;
  /** The same array, and in it the same objects, for as long as they stand: what is worked out of a tool is kept by its object. */
  tools(): ServerTool[];
  /** What it offers now, else what it offered the last time; undefined where nothing is known. */
  lists(): ServerLists | undefined;
  effectsOf(tool: string): Effects;
  /** What is known of a tool by the package or the address that stands in the configuration. */
  profileOf(tool: string): ToolProfile | undefined;
  /** What the package that its folder says it is would do; decides nothing. */
  claimedEffectsOf(tool: string): Effects['set'] | undefined;
  /** Who may have written what it returns. `tool` undefined: a resource or a prompt. */
  contentOf(tool: string | undefined): ServerContent;
  /** Folders that the user picked for it or told it of. */
  folders(): string[];
  /** The user's word; an empty list takes it back. */
  classify(tool: string, effects: Effects['set']): void;
  /**
   * The user's consent to run the configuration of this hash, and no other. What was said of the tools of another program, and what
   * they were allowed, does not hold for this one; `isSameProgram` where only its folders were picked anew.
   */
  agree(configHash: string, isSameProgram?: boolean): void;
  reach(signal: AbortSignal): Promise<ToolCallOutcome | undefined>;
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Its folders (roots) have changed: tells a connected server of before 2026-07-28, and starts one anew that may write to nothing else. */
  announceRoots(): void;
  /** Takes up a call that the server runs as a task, from an earlier run of the host. Never throws. */
  followTask(task: StartedTask, request: FollowedCall): Promise<ToolCallOutcome>;
  readonly features: ServerFeatures;
  readonly icons: ServerIcons;
  /** Writes a line into its log. */
  note(sentence: string): void;
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

/** Files that are others than those that came are signed by nobody, whatever was signed. */
export function changedBundle(
  { signature: _was, publisher: _name, signer: _certificate, ...bundle }: InstalledBundle,
  digest: string,
): InstalledBundle {
  return { ...bundle, digest, signature: 'unsigned' };
}

const noTools: ListedTool[] = [];
const noServerTools: ServerTool[] = [];

export function createConfiguredServer(id: ServerId, first: AdoptedEntry, deps: ConfiguredServerDeps): ConfiguredServer {
  let entry = first;
  let read = readEntry(first.value);
  /** What the files of its bundle are by now, where they are not those that the entry names. */
  let otherDigest: string | undefined;
  const bundle = () => (read.config && 'command' in read.config ? read.config.bundle : undefined);
  /** With the files of its bundle as they are. */
  const withFiles = (config: ServerConfig): ServerConfig =>
    'command' in config && config.bundle && otherDigest !== undefined
      ? { ...config, bundle: changedBundle(config.bundle, otherDigest) }
      : config;
  const hashNow = (): string | undefined => read.config && hashConfig(withFiles(read.config));
  let hash = hashNow();
  // Asked for at every step of a turn: kept here beside the row.
  let agreedHash = getConsent(deps.db, id)?.configHash;
  const cached = createCachedLists(id, deps);
  /** The hash of the configuration that runs. */
  let running: string | undefined;
  let runningEra: EraChoice | undefined;
  let retired = false;
  let logLevel = getLogLevel(deps.db, id);
  /** Where it was connected to, and under which configuration. */
  let address: { hash: string | undefined; url: string } | undefined;
  let work: Promise<void> = Promise.resolve();
  let offeredTools: { listed: ListedTool[]; serverName: string; tools: ServerTool[] } | undefined;

  const bundled = (): BundledServerConfig['bundled'] | undefined =>
    read.config && 'bundled' in read.config ? read.config.bundled : undefined;
  const effects = createToolEffects(id, { ...deps, config: () => read.config });
  const enabled = (): boolean => isEnabled(entry.value);
  const agreed = (): boolean => deps.consentGiven || (hash !== undefined && agreedHash === hash);
  /** Why the organisation's policy keeps it from running. */
  const denied = (): string | undefined => read.config && deniesServer(deps.managed, withFiles(read.config));
  /** Once in a run: it was to start, and the policy kept it from that. */
  let denialTold = false;
  const tellDenied = (): void => {
    if (denialTold || retired || hash === undefined || !deps.mayRun() || !enabled() || denied() === undefined) return;
    denialTold = true;
    deps.record(startAnswered({ id, name: entry.name }, hash, read.config, false, 'managedDenies'));
  };
  const runnable = (): boolean => !retired && hash !== undefined && enabled() && agreed() && denied() === undefined;
  const callTimeoutMs = (): number => read.config?.timeout ?? deps.callTimeoutMs();
  const era = (): EraChoice => read.config?.era ?? 'auto';
  /** Who is signed in now: what the server has said to somebody else is not theirs. */
  const authorizationKey = (): string => auth.authorizationKey();

  const auth = createServerAuth({
    owner: secretOwner(id),
    serverName: () => entry.name,
    secrets: deps.secrets,
    identities: deps.identities,
    clock: deps.clock,
    log: deps.log,
    openUrl: deps.openUrl,
    clientMetadataUrl: deps.clientMetadataUrl,
    onChange: () => deps.onChange(server),
    onSignedIn: () => void server.reconnect(),
    onAccount: (change, issuer) =>
      deps.record({ kind: `account.${change}`, serverId: id, serverName: entry.name, summary: new URL(issuer).host }),
  });

  const sandbox = createServerSandbox(id, {
    ...deps,
    hasNode: () => findProgram('node', { path: deps.path.now(), cwd: deps.home, platform: deps.platform }) !== undefined,
  });

  /** Files that were put in the place of those agreed to are asked about like another command. */
  async function lookAtBundle(): Promise<void> {
    const installed = bundle();
    // Who names a file of servers has agreed to what it names, wherever that lies.
    if (!installed || deps.consentGiven) return;
    const digest = await deps.bundlePlaces.digestOf(id, installed);
    if (bundle()?.folder !== installed.folder || digest === (otherDigest ?? installed.digest)) return;
    otherDigest = digest === installed.digest ? undefined : digest;
    hash = hashNow();
    deps.track(server.bringUp());
  }

  const targetNow = (config: ServerConfig): Promise<Target> =>
    targetOf(config, {
      ...deps,
      bundle:
        'command' in config && config.bundle
          ? { folder: deps.bundlePlaces.versionFolder(id, config.bundle.folder), dataFolder: deps.bundlePlaces.dataFolder(id) }
          : undefined,
      walls: sandbox.walls(config),
      path: deps.path.found,
      secret: async (name) => entry.plain.get(name) ?? (await deps.secrets.get(secretOwner(id), name)),
      onChild,
    });

  const { authorized, signIn } = createServerSignIn({
    name: () => entry.name,
    auth,
    config: () => read.config,
    runnable,
    target: targetNow,
  });

  const supervised = superviseServer({
    serverId: id,
    serverName: () => entry.name,
    async target() {
      if (kindOf(entry.value) !== 'remote') await deps.startPlaces.take(id);
      await lookAtBundle();
      // What runs is what was agreed to: a change on the way is taken up by the next `bringUp`.
      if (!read.config || hash !== running || !runnable())
        return refuse('notAllowed', 'It is switched off, or you have not agreed to start it.');
      const target = await targetNow(read.config);
      address = target.kind === 'http' ? { hash, url: target.url } : undefined;
      return authorized(target);
    },
    clock: deps.clock,
    log: deps.log,
    trace: deps.trace?.(id),
    traceIdOf: (operation) => deps.traceIdOf?.(id, operation),
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
    onConnected(connection) {
      icons.onConnected();
      features.onConnected(connection);
    },
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

  const icons = createServerIcons({
    ...deps,
    id,
    lists: () => known()?.lists,
    url() {
      if (!read.config || !('url' in read.config)) return undefined;
      return address && address.hash === hash ? address.url : null;
    },
    isConnected: () => running === hash && supervised.connection() !== undefined,
    note: supervised.note,
    onWarnings: () => deps.onDetails(server),
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
    if (!deps.consentGiven) return;
    // In a file that is named anew at each start another command may stand under the same name.
    if (agreedHash !== running) server.agree(running);
    deps.definitions?.agreeAtFirst(id, connection.lists());
  }

  const remembered = (): KnownOffer | undefined => (hash === undefined ? undefined : cached.of(hash, authorizationKey()));

  const known = (): KnownOffer | undefined => {
    const connection = running === hash ? supervised.connection() : undefined;
    if (connection) return { lists: connection.lists(), protocol: { ...connection.protocol } };
    return remembered();
  };

  const status = (): ServerState => {
    if (read.problem !== undefined) {
      return { state: 'failed', failure: { code: 'configurationInvalid', message: `"${entry.name}" cannot be started. ${read.problem}` } };
    }
    if (!enabled()) return { state: 'off' };
    const deniedBecause = denied();
    if (deniedBecause !== undefined) return { state: 'failed', failure: { code: 'managedDenies', message: deniedBecause } };
    if (!agreed())
      return {
        state: 'off',
        needsConsent: describeStart(withFiles(read.config), {
          ...deps,
          path: deps.path.now(),
          held: sandbox.confinement(read.config),
          bundle: bundle() && { dataFolder: deps.bundlePlaces.dataFolder(id), isChanged: otherDigest !== undefined },
        }),
      };
    // A changed configuration first waits for the end of what ran before.
    if (running !== hash) return { state: 'off' };
    const now = supervised.status();
    if (now.state === 'failed') return { ...now, failure: sandbox.failure(read.config, now.failure) };
    return now.state === 'needsSignIn' ? { ...now, ...auth.wanted() } : now;
  };

  /** Nothing of a server that is not to run waits for anybody; while it starts, what is known is from the last time. */
  const toReview = (): Server['toReview'] => {
    if (!runnable()) return undefined;
    const offered = status().state === 'starting' ? remembered() : known();
    return offered && deps.definitions?.waiting(id, offered.lists);
  };

  const view = (): Server =>
    viewOf(id, {
      entry,
      config: read.config,
      bundled: bundled(),
      status: status(),
      offered: known(),
      auth,
      icons,
      folders: deps.folders,
      sandbox: sandbox.view(read.config),
      toReview: toReview(),
      showsViews: showsViews(deps.db, id) && !isHeldToHosts(read.config),
    });

  const server: ConfiguredServer = {
    id,
    entry: () => entry,
    config: () => read.config,
    bundled,
    hash: () => hash,
    otherDigest: () => otherDigest,
    confinement: sandbox.confinement,

    adopt(next) {
      const before = bundle();
      entry = next;
      read = readEntry(next.value);
      // What was found of the files holds for as long as the entry says of them what it said.
      if (before?.folder !== bundle()?.folder || before?.digest !== bundle()?.digest) otherDigest = undefined;
      hash = hashNow();
    },

    view,

    details: () =>
      detailsOf({
        server: view(),
        entry,
        config: read.config,
        offered: known(),
        effects,
        icons,
        content: contentOf(deps.db, id, effects.known(), undefined),
        secrets: deps.secrets,
        consentGiven: deps.consentGiven,
        sandbox: sandbox.lists(read.config),
        warnings: sandbox.warnings(read.config),
        log: supervised.log(),
        logLevel,
      }),

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

    lists: () => known()?.lists,
    effectsOf: effects.of,
    profileOf: effects.profileOf,
    claimedEffectsOf: effects.claimedOf,
    contentOf: (tool) => contentOf(deps.db, id, effects.known(), tool),
    folders() {
      const picked = read.config && 'folders' in read.config ? (read.config.folders ?? []) : [];
      return [...new Set([...picked, ...getClientFeatures(deps.db, id).folders])];
    },
    classify: (tool, set) =>
      inTransaction(deps.db, () => {
        deps.record(trustChanged({ id, name: entry.name }, 'effects', set.join(', ') || 'taken back', tool));
        effects.classify(tool, set);
      }),

    agree(configHash, isSameProgram = false) {
      deps.db.transaction(() => {
        if (agreedHash !== undefined && agreedHash !== configHash && !isSameProgram) removeGrants(deps.db, id);
        setConsent(deps.db, id, configHash, deps.clock.now());
        deps.record(startAnswered({ id, name: entry.name }, configHash, read.config, true));
      })();
      agreedHash = configHash;
      effects.reload();
      deps.definitions?.reload(id);
    },

    reach: serverCalls.reach,
    callTool: ({ serverId: _own, ...request }) => serverCalls.callTool(request),
    followTask: serverCalls.followTask,
    note: supervised.note,
    features,
    icons,
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

    announceRoots() {
      // Where it may write is settled at its start.
      if (read.config && sandbox.confinement(read.config)) deps.track(server.reconnect());
      else supervised.connection()?.announceRoots();
    },

    bringUp() {
      work = work.then(async () => {
        const wanted = (): string | undefined => (deps.mayRun() && runnable() ? hash : undefined);
        // Nobody waits in the browser for a server that is not to run.
        if (wanted() === undefined) auth.close();
        tellDenied();
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

    signIn,
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
