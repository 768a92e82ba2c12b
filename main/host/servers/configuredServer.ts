import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { LogLevel, Server, ServerConfig, ServerDetails } from '../../../preload/contract/servers.ts';
import type { SignInClient } from '../../../preload/contract/signIn.ts';
import type { Identities } from '../auth/identities.ts';
import { createServerAuth, type ServerAuth } from '../auth/serverAuth.ts';
import type { ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import type { Target } from '../mcp/target.ts';
import { trustChanged } from '../policy/auditEntries.ts';
import type { Definitions } from '../policy/definitions.ts';
import type { ChildProgram, RunNodeScript } from '../ports.ts';
import { getClientFeatures } from '../store/clientFeatures.ts';
import { inTransaction } from '../store/database.ts';
import { forgetProcess, recordProcess } from '../store/processes.ts';
import type { Secrets } from '../store/secrets.ts';
import { getLogLevel, setLogLevel } from '../store/serverRows.ts';
import { mayShowViews } from '../views/mayShowViews.ts';
import type { BundlePlaces } from './bundles/bundlePlaces.ts';
import { type AdoptedEntry, secretOwner } from './entry.ts';
import { findProgram } from './findProgram.ts';
import type { Folders } from './folders.ts';
import { createServerIcons, type ServerIcons } from './icons.ts';
import { createRunningServer, type RunningServer, type RunningServerDeps } from './runningServer.ts';
import type { Sandbox } from './sandbox.ts';
import { createServerCalls, type ServerCalls } from './serverCalls.ts';
import { createServerConfiguration, type ServerConfiguration, type ServerConfigurationDeps } from './serverConfiguration.ts';
import { contentOf, type ServerContent } from './serverContent.ts';
import { createServerFeatures, type ServerFeatures } from './serverFeatures.ts';
import { createServerOffer, type ServerOffer } from './serverOffer.ts';
import { createServerSandbox, type ServerSandbox } from './serverSandbox.ts';
import { createServerSignIn, type ServerSignIn } from './serverSignIn.ts';
import { detailsOf, viewOf } from './serverView.ts';
import { targetOf } from './target.ts';
import { createToolEffects } from './toolEffects.ts';
import type { ToolProfile } from './toolProfile.ts';

export interface ConfiguredServerDeps extends ServerConfigurationDeps, RunningServerDeps {
  secrets: Secrets;
  /** Where the person is signed in with an organization. */
  identities: Identities;
  folders: Folders;
  runNodeScript: RunNodeScript;
  sandbox: Sandbox;
  openUrl(url: string): Promise<void>;
  /** Overrides the address of our own document for authorization servers. */
  clientMetadataUrl?: string | undefined;
  /** What of a server's definitions was agreed to. Absent: nobody asks. */
  definitions?: Pick<Definitions, 'waiting' | 'agreeAtFirst' | 'reload'> | undefined;
  /** The PATH for programs: what is known now, and what will be known. */
  path: { now(): string; found(): Promise<string> };
  /** Where the files of bundles are. */
  bundlePlaces: BundlePlaces;
  onChange(server: ConfiguredServer): void;
  /** What its page shows is other now, though its view is the same. */
  onDetails(server: ConfiguredServer): void;
}

/** One configured server: its entry, what hangs on its id, and its supervised process or connection. */
export interface ConfiguredServer
  extends
    Pick<ServerConfiguration, 'entry' | 'config' | 'bundled' | 'hash' | 'changedBundle' | 'adopt'>,
    Pick<ServerSandbox, 'confinement'>,
    Pick<ServerOffer, 'tools' | 'absentTools'>,
    Pick<RunningServer, 'note' | 'refreshLists' | 'announceRoots' | 'sendByHand' | 'bringUp' | 'reconnect' | 'restart' | 'settled'>,
    Pick<ServerCalls, 'reach' | 'followTask'>,
    Pick<ServerSignIn, 'signIn'>,
    Pick<ServerAuth, 'cancelSignIn' | 'signOut'> {
  readonly id: ServerId;
  view(): Server;
  details(): ServerDetails;
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
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  readonly features: ServerFeatures;
  readonly icons: ServerIcons;
  logLevel(): LogLevel | undefined;
  setLogLevel(level: LogLevel | undefined): void;
  setClient(issuer: string | undefined, client: SignInClient | null): Promise<void>;
  /** Stops it for good; resolves when nothing of it is left. */
  retire(): Promise<void>;
}

export function createConfiguredServer(id: ServerId, first: AdoptedEntry, deps: ConfiguredServerDeps): ConfiguredServer {
  const sandbox = createServerSandbox(id, {
    ...deps,
    hasNode: () => findProgram('node', { path: deps.path.now(), cwd: deps.home, platform: deps.platform }) !== undefined,
  });
  const configuration = createServerConfiguration(id, first, sandbox.confinement, deps);
  const { entry, config, hash, runnable } = configuration;
  const name = (): string => entry().name;
  const effects = createToolEffects(id, { ...deps, config });
  let logLevel = getLogLevel(deps.db, id);

  const auth = createServerAuth({
    owner: secretOwner(id),
    serverName: name,
    secrets: deps.secrets,
    identities: deps.identities,
    clock: deps.clock,
    log: deps.log,
    openUrl: deps.openUrl,
    clientMetadataUrl: deps.clientMetadataUrl,
    onChange: () => deps.onChange(server),
    onSignedIn: () => void running.reconnect(),
    onAccount: (change, issuer) =>
      deps.record({ kind: `account.${change}`, serverId: id, serverName: name(), summary: new URL(issuer).host }),
  });

  const target = (written: ServerConfig): Promise<Target> =>
    targetOf(written, {
      ...deps,
      bundle:
        'command' in written && written.bundle
          ? { folder: deps.bundlePlaces.versionFolder(id, written.bundle.folder), dataFolder: deps.bundlePlaces.dataFolder(id) }
          : undefined,
      walls: sandbox.walls(written),
      path: deps.path.found,
      secret: async (secret) => entry().plain.get(secret) ?? (await deps.secrets.get(secretOwner(id), secret)),
      onChild,
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

  const { authorized, signIn } = createServerSignIn({ name, auth, config, runnable, target });

  const running = createRunningServer(
    id,
    configuration,
    {
      auth,
      sandbox,
      target: async (written) => authorized(await target(written)),
      onConnected(connection) {
        icons.onConnected();
        features.onConnected(connection);
      },
      onLists(configHash, connection) {
        offer.keep(configHash, connection);
        if (!deps.consentGiven) return;
        // In a file that is named anew at each start another command may stand under the same name.
        if (configuration.agreedHash() !== configHash) server.agree(configHash);
        deps.definitions?.agreeAtFirst(id, connection.lists());
      },
      onChange: () => deps.onChange(server),
    },
    deps,
  );
  const { connection, connected } = running;
  const status = (): Server['status'] => configuration.obstacle() ?? running.status();
  const { authorizationKey } = auth;

  const features = createServerFeatures({ connected, connection, logLevel: () => logLevel });
  const calls = createServerCalls({
    name,
    clock: deps.clock,
    connected,
    configHash: hash,
    authorizationKey,
    timeoutMs: running.callTimeoutMs,
  });
  const offer = createServerOffer(id, { name, configHash: hash, authorizationKey, runnable, status, connection }, deps);

  const icons = createServerIcons({
    ...deps,
    id,
    lists: () => offer.known()?.lists,
    url() {
      const written = config();
      return written && 'url' in written ? (running.url() ?? null) : undefined;
    },
    isConnected: () => connection() !== undefined,
    note: running.note,
    onWarnings: () => deps.onDetails(server),
  });

  const view = (): Server =>
    viewOf(id, {
      entry: entry(),
      config: config(),
      bundled: configuration.bundled(),
      status: status(),
      offered: offer.known(),
      auth,
      icons,
      folders: deps.folders,
      sandbox: sandbox.view(config()),
      toReview: offer.toReview(),
      showsViews: mayShowViews(deps.db, id, config()),
    });

  const server: ConfiguredServer = {
    id,
    entry,
    config,
    bundled: configuration.bundled,
    hash,
    changedBundle: configuration.changedBundle,
    confinement: sandbox.confinement,
    adopt: configuration.adopt,
    view,

    details: () =>
      detailsOf({
        server: view(),
        entry: entry(),
        config: config(),
        offered: offer.known(),
        effects,
        icons,
        content: contentOf(deps.db, id, effects.known(), undefined),
        secrets: deps.secrets,
        consentGiven: deps.consentGiven,
        sandbox: sandbox.lists(config()),
        warnings: sandbox.warnings(config()),
        log: running.log(),
        logLevel,
      }),

    tools: offer.tools,
    absentTools: offer.absentTools,
    lists: () => offer.known()?.lists,
    effectsOf: effects.of,
    profileOf: effects.profileOf,
    claimedEffectsOf: effects.claimedOf,
    contentOf: (tool) => contentOf(deps.db, id, effects.known(), tool),
    folders() {
      const written = config();
      const picked = written && 'folders' in written ? (written.folders ?? []) : [];
      return [...new Set([...picked, ...getClientFeatures(deps.db, id).folders])];
    },
    classify: (tool, set) =>
      inTransaction(deps.db, () => {
        deps.record(trustChanged({ id, name: name() }, 'effects', set.join(', ') || 'taken back', tool));
        effects.classify(tool, set);
      }),

    agree(configHash, isSameProgram = false) {
      configuration.agree(configHash, isSameProgram);
      effects.reload();
      deps.definitions?.reload(id);
    },

    reach: calls.reach,
    callTool: ({ serverId: _own, ...request }) => calls.callTool(request),
    followTask: calls.followTask,
    features,
    icons,
    note: running.note,
    refreshLists: running.refreshLists,
    announceRoots: running.announceRoots,
    sendByHand: running.sendByHand,
    logLevel: () => logLevel,

    setLogLevel(level) {
      setLogLevel(deps.db, id, level);
      logLevel = level;
      features.setLogLevel(level);
    },

    signIn,
    cancelSignIn: auth.cancelSignIn,
    async signOut() {
      await auth.signOut();
      await running.reconnect();
    },
    setClient: auth.setClient,

    bringUp: running.bringUp,
    reconnect: running.reconnect,
    restart: running.restart,
    settled: running.settled,

    retire() {
      configuration.retire();
      return running.bringUp();
    },
  };
  return server;
}
