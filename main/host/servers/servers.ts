import { ServerId } from '../../../preload/contract/ids.ts';
import type { LogLevel, Server, ServerConfig, ServerDetails, ServersFileProblem } from '../../../preload/contract/servers.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { SignInClient, SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ServerTool, StartedTask, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import type { Asker, Completion, CompletionRef, ExpandedPrompt, FeatureAnswer, ResourceContents } from '../mcp/features.ts';
import { trustChanged } from '../policy/auditEntries.ts';
import { setContentWord } from '../store/serverContent.ts';
import { isKnownServer } from '../store/serverRows.ts';
import { openStore } from '../policy/keptContent.ts';
import { isMemoryEmpty, settleMemory } from './bundledServers.ts';
import type { ConfiguredServer } from './configuredServer.ts';
import type { FollowedCall } from './serverCalls.ts';
import type { IconTheme } from './icons.ts';
import { createServerChanges, type ServerChanges } from './serverChanges.ts';
import { type ServerListDeps, openServerList } from './serverList.ts';
import { contentOf, type ServerContent } from './serverContent.ts';
import type { AbsentTool } from './serverOffer.ts';
import { bundledMemoryStore } from './profiles/knownServers.ts';
import { unreviewed } from './toolEffects.ts';
import type { ToolProfile } from './toolProfile.ts';

/** All configured servers of this host: their configurations, their connections, what they offer. */
export interface Servers extends ServerChanges {
  list(): Server[];
  fileProblem(): ServersFileProblem | undefined;
  /** Refuses with `notFound`. */
  details(id: ServerId): ServerDetails;
  restart(id: ServerId): Promise<void>;
  classifyTool(id: ServerId, tool: string, effects: Effects['set']): void;
  /** Opens the browser and returns what is asked for there. Refuses with `wrongState`, `notAllowed`, `serverFailed`. */
  signIn(id: ServerId, issuer: string | undefined): Promise<SignInRequest>;
  cancelSignIn(id: ServerId): void;
  signOut(id: ServerId): Promise<void>;
  setClient(id: ServerId, issuer: string | undefined, client: SignInClient | null): Promise<void>;
  reload(): Promise<void>;
  /** The configuration as it is written; undefined while it cannot be read. Refuses with `notFound`. */
  configOf(id: ServerId): ServerConfig | undefined;
  /** The same; undefined for a server that is gone, too. */
  writtenConfig(id: ServerId): ServerConfig | undefined;
  /** Names what its configuration would start or call; undefined where that cannot be read, or for a server that is gone. */
  configHash(id: ServerId): string | undefined;
  /** Tells a connected server that the folders it is told of (roots) have changed. */
  rootsChanged(id: ServerId): void;
  /** To be called after a secret of this server was set or removed: what runs with the old value is started again. */
  secretsChanged(id: ServerId): Promise<void>;
  /** What a server offers now, else what it offered the last time; undefined where nothing is known. */
  listsOf(id: ServerId): ServerLists | undefined;
  /** Tells of the server again, if what is shown of it has changed. */
  announce(id: ServerId): void;
  /** Without the cost of {@link list}. Undefined for a server that was removed. */
  nameOf(id: ServerId): string | undefined;
  /** What a tool does: the user's word, else a profile of a well-known server, else nobody's (changes + sends out). */
  effectsOf(id: ServerId, tool: string): Effects;
  /** What is known of a tool by its package or address; undefined where nobody responsible has read it. */
  profileOf(id: ServerId, tool: string): ToolProfile | undefined;
  /** What a tool would do if the program were the package that its own folder says it is: to be proposed, never to decide by. */
  claimedEffectsOf(id: ServerId, tool: string): Effects['set'] | undefined;
  /** Folders that the user picked for the server or told it of. Real paths. */
  foldersOf(id: ServerId): string[];
  /** Who may have written what it returns, and whose business that is. `tool` undefined: a resource, a prompt, its instructions. */
  contentOf(id: ServerId, tool: string | undefined): ServerContent;
  /** The user's word on its content; null takes it back. What was read before keeps its labels. Refuses with `notFound`. */
  setContent(id: ServerId, patch: { untrusted?: boolean | null | undefined; private?: boolean | null | undefined }): void;
  /**
   * The tools of every server that is ready, and those known from the last time of servers that are still starting.
   * Never waits. Order is stable: by server, then as listed. The same array, and in it the same objects, for as long as nothing changes.
   */
  tools(): ServerTool[];
  /** The tools that servers had which are off, have failed or want a sign-in: for telling that of a call, never to be offered. */
  absentTools(): AbsentTool[];
  /**
   * Resolves with undefined when it is connected, and what it defines known as it is now; else with what a call would come to. Connects
   * first where the server is still starting; gives up after the start's own time-out. Never throws.
   */
  reach(id: ServerId, signal: AbortSignal): Promise<ToolCallOutcome | undefined>;
  /** Connects first, like `reach`. Never throws. */
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Sends a request of a person to a connected server; what comes of it stands in the trace under `tag`. Refuses with `serverUnavailable`. */
  sendByHand(id: ServerId, request: { method: string; params: Record<string, unknown>; tag: string }): Promise<string | undefined>;
  /** Takes up a call that a server runs as a task since an earlier run of the host. Never throws. */
  followTask(id: ServerId, task: StartedTask, call: FollowedCall): Promise<ToolCallOutcome>;
  /** A picture that one of its views names by this key, as a data URL; undefined where there is none. Refuses with `notFound`. */
  readIcon(id: ServerId, key: string, theme: IconTheme): Promise<string | undefined>;
  /** Reads through the server, whatever the scheme of the address. Never throws, nor do the next two. */
  readResource(id: ServerId, uri: string, asker: Asker): Promise<FeatureAnswer<ResourceContents>>;
  getPrompt(id: ServerId, name: string, values: Record<string, string>, asker: Asker): Promise<FeatureAnswer<ExpandedPrompt>>;
  complete(
    id: ServerId,
    ref: CompletionRef,
    argument: { name: string; value: string },
    others: Record<string, string>,
    asker: Asker,
  ): Promise<FeatureAnswer<Completion>>;
  /** Wants to hear of changes of a resource. Says whether the server has promised to tell of them. Refuses with `notFound`. */
  watchResource(id: ServerId, uri: string): Promise<boolean>;
  unwatchResource(id: ServerId, uri: string): Promise<void>;
  /** Writes a line into the server's log. */
  note(id: ServerId, sentence: string): void;
  /** Undefined: it is not asked to log. */
  setLogLevel(id: ServerId, level: LogLevel | undefined): void;
  /** Somebody needs the lists of every server: what is older than its server allows is read again in the background. */
  refreshLists(): void;
  /** The PATH for programs, when it is known. */
  path(): Promise<string>;
  /** Removes files of bundles that no server runs. */
  sweepBundles(): void;
  /** Starts every enabled server the user has agreed to, all at once, and returns without waiting. */
  startAll(): void;
  /** Resolves when no server is starting any more. */
  settled(): Promise<void>;
  /** Stops every server; resolves when no child process is left. */
  close(): Promise<void>;
}

export type ServersDeps = ServerListDeps;

/** Reads the configured servers; starts none of them. Rejects with `configurationUnreadable` where `serversFile` cannot be used. */
export async function createServers(deps: ServersDeps): Promise<Servers> {
  // It outlives the entry of the server: it may hold what was stored under another one, or before a lost database.
  settleMemory(deps.dataDir);
  openStore(deps.db, bundledMemoryStore, isMemoryEmpty(deps.dataDir));
  const list = await openServerList(deps);

  let offered: { parts: ServerTool[][]; tools: ServerTool[] } = { parts: [], tools: [] };

  const gone = 'The server does not exist any more.';
  const find = (id: ServerId): ConfiguredServer | undefined => list.all().find((candidate) => candidate.id === id);

  return {
    ...createServerChanges(list, deps),
    list: () => list.all().map((server) => server.view()),
    fileProblem: list.problem,
    details(id) {
      const server = list.find(id);
      server.refreshLists();
      return server.details();
    },
    reload: list.reload,
    path: list.path,

    sweepBundles() {
      deps.bundlePlaces.sweep((written) => {
        const { data: id } = ServerId.safeParse(written);
        if (id === undefined || !isKnownServer(deps.db, id)) return 'unknown';
        const config = find(id)?.config();
        return config && 'command' in config ? config.bundle : undefined;
      });
    },
    startAll: list.startAll,
    close: list.close,

    restart: async (id) => list.find(id).restart(),
    classifyTool: (id, tool, effects) => list.find(id).classify(tool, effects),

    signIn: async (id, issuer) => list.find(id).signIn(issuer),
    cancelSignIn: (id) => list.find(id).cancelSignIn(),
    signOut: async (id) => list.find(id).signOut(),
    setClient: async (id, issuer, client) => list.find(id).setClient(issuer, client),

    configOf: (id) => list.find(id).config(),
    writtenConfig: (id) => find(id)?.config(),
    configHash: (id) => find(id)?.hash(),
    rootsChanged: (id) => list.find(id).announceRoots(),

    async secretsChanged(id) {
      const server = list.find(id);
      if (server.view().status.state !== 'off') await server.restart();
    },

    note: (id, sentence) => find(id)?.note(sentence),

    listsOf: (id) => find(id)?.lists(),
    announce(id) {
      const server = find(id);
      if (server) list.tell(server);
    },

    nameOf: (id) => find(id)?.entry().name,
    effectsOf: (id, tool) => find(id)?.effectsOf(tool) ?? unreviewed(),
    profileOf: (id, tool) => find(id)?.profileOf(tool),
    claimedEffectsOf: (id, tool) => find(id)?.claimedEffectsOf(tool),
    foldersOf: (id) => find(id)?.folders() ?? [],
    contentOf: (id, tool) => find(id)?.contentOf(tool) ?? contentOf(deps.db, id, undefined, tool),
    setContent(id, patch) {
      const server = list.find(id);
      deps.db.transaction(() => {
        setContentWord(deps.db, id, patch);
        deps.record(trustChanged({ id, name: server.entry().name }, 'content', contentInWords(patch)));
      })();
      deps.onChange(server.view());
    },
    tools() {
      const parts = list.all().map((server) => server.tools());
      const stands = parts.length === offered.parts.length && parts.every((part, index) => part === offered.parts[index]);
      if (!stands) offered = { parts, tools: parts.flat() };
      return offered.tools;
    },

    absentTools: () => list.all().flatMap((server) => server.absentTools()),

    reach: async (id, signal) => find(id)?.reach(signal),

    async callTool(request) {
      return (
        find(request.serverId)?.callTool(request) ?? {
          kind: 'unavailable',
          message: 'The server of this tool does not exist any more, so it was not called.',
        }
      );
    },

    sendByHand: (id, request) => list.find(id).sendByHand(request),

    followTask: async (id, task, call) => find(id)?.followTask(task, call) ?? { kind: 'unavailable', message: gone },
    readIcon: (id, key, theme) => list.find(id).icons.read(key, theme),
    readResource: async (id, uri, asker) => find(id)?.features.readResource(uri, asker) ?? { kind: 'notFound', message: gone },
    getPrompt: async (id, name, values, asker) => find(id)?.features.getPrompt(name, values, asker) ?? { kind: 'notFound', message: gone },
    complete: async (id, ref, argument, others, asker) =>
      find(id)?.features.complete(ref, argument, others, asker) ?? { kind: 'notFound', message: gone },
    watchResource: async (id, uri) => list.find(id).features.watch(uri),
    unwatchResource: async (id, uri) => list.find(id).features.unwatch(uri),
    setLogLevel: (id, level) => list.find(id).setLogLevel(level),
    refreshLists: () => list.all().forEach((server) => server.refreshLists()),

    settled: async () => void (await Promise.all(list.all().map((server) => server.settled()))),
  };
}

/** What the user said of a server's content, for the activity log. */
function contentInWords(patch: { untrusted?: boolean | null | undefined; private?: boolean | null | undefined }): string {
  const said = (value: boolean | null | undefined, yes: string, no: string, subject: string): string[] =>
    value === undefined ? [] : [value === null ? `${subject}: taken back` : value ? yes : no];
  return [
    ...said(patch.untrusted, 'others may write it', 'only the user writes it', 'who writes it'),
    ...said(patch.private, 'private', 'not private', 'whether it is private'),
  ].join(', ');
}
