import { isDeepStrictEqual } from 'node:util';
import type { InstalledBundle } from '../../../preload/contract/bundles.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import type {
  BundledServerConfig,
  EraChoice,
  LocalServerConfig,
  LogLevel,
  SandboxWord,
  Server,
  ServerConfig,
  ServerDetails,
  ServersFileProblem,
} from '../../../preload/contract/servers.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { SignInClient, SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ServerTool, StartedTask, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import type { Asker, Completion, CompletionRef, ExpandedPrompt, FeatureAnswer, ResourceContents } from '../mcp/features.ts';
import { startAnswered, trustChanged } from '../policy/auditEntries.ts';
import { demandsSandbox } from '../policy/managedPolicy.ts';
import { refuse } from '../refusal.ts';
import { setContentWord } from '../store/serverContent.ts';
import { deleteServerRows, insertServer, isKnownServer, setConsent } from '../store/serverRows.ts';
import { openStore } from '../policy/keptContent.ts';
import { bundledNames, isMemoryEmpty, settleMemory } from './bundledServers.ts';
import { nodeScriptOf } from './bundles/bundleStart.ts';
import { secretsOfBundle } from './bundles/userConfig.ts';
import type { ConfiguredServer } from './configuredServer.ts';
import type { FollowedCall } from './serverCalls.ts';
import { isEntryObject, readEntry, secretOwner } from './entry.ts';
import type { IconTheme } from './icons.ts';
import { parseJsonc, placeInWords, valueOf, withoutBom } from './jsonc.ts';
import { plainSecretsIn } from './plainSecrets.ts';
import { type ServerListDeps, openServerList } from './serverList.ts';
import {
  freeServerName,
  readServersText,
  withEntry,
  withEntryName,
  withEntryText,
  withMember,
  withoutEntry,
  withoutPlainSecrets,
} from './serversFile.ts';
import { contentOf, type ServerContent } from './serverContent.ts';
import { bundledMemoryStore } from './profiles/knownServers.ts';
import { loosens } from './sandboxChoice.ts';
import { whyNot } from './serverSandbox.ts';
import { hashConfig } from './startConsent.ts';
import { unreviewed } from './toolEffects.ts';
import type { ToolProfile } from './toolProfile.ts';

/** All configured servers of this host: their configurations, their connections, what they offer. */
export interface Servers {
  list(): Server[];
  fileProblem(): ServersFileProblem | undefined;
  /** Refuses with `notFound`. */
  details(id: ServerId): ServerDetails;
  /** Adds one entry; nothing starts before `consent`. Plain secrets in `config` go to the secret store. A name in use gets a suffix. */
  add(name: string, config: ServerConfig): Promise<Server>;
  /** The click, with the folders picked for it, is the consent to exactly this configuration. `folders` are paths of {@link Folders}. */
  addBundled(bundled: BundledServerConfig['bundled'], folders: string[]): Promise<Server>;
  /** Adds the server of a bundle, whose files are in their place under this id; nothing starts before `consent`. */
  addBundle(id: ServerId, name: string, config: BundleProgram, secrets: ReadonlyMap<string, string>): Promise<Server>;
  /** Another version of the bundle, or other values. What else stands in the entry stays, as do the secrets that are still named. */
  changeBundle(id: ServerId, config: BundleProgram, secrets: ReadonlyMap<string, string>): Promise<Server>;
  update(
    id: ServerId,
    change: { name?: string | undefined; configJson?: string | undefined; era?: EraChoice | undefined },
  ): Promise<Server>;
  setFolders(id: ServerId, paths: string[]): Promise<Server>;
  /**
   * What a local server is held to, in the words of its entry. What only narrows that was agreed to with the configuration before.
   * Refuses with `unsupported`, `invalidInput`, `wrongState`.
   */
  setSandbox(
    id: ServerId,
    change: { word?: SandboxWord | undefined; network?: string[] | undefined; writable?: string[] | undefined },
  ): Promise<Server>;
  remove(id: ServerId): Promise<void>;
  setEnabled(id: ServerId, enabled: boolean): Promise<void>;
  restart(id: ServerId): Promise<void>;
  /** Refuses with `wrongHash` when the configuration has changed since the page was shown. */
  consent(id: ServerId, configHash: string, allow: boolean): Promise<void>;
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

/** The members of an entry that are made of a bundle and its values. */
export type BundleProgram = Required<Pick<LocalServerConfig, 'command' | 'args' | 'env'>> & { bundle: InstalledBundle };

export type ServersDeps = ServerListDeps;

/** Reads the configured servers; starts none of them. Rejects with `configurationUnreadable` where `serversFile` cannot be used. */
export async function createServers(deps: ServersDeps): Promise<Servers> {
  // It outlives the entry of the server: it may hold what was stored under another one, or before a lost database.
  settleMemory(deps.dataDir);
  openStore(deps.db, bundledMemoryStore, isMemoryEmpty(deps.dataDir));
  const list = await openServerList(deps);

  const changeEntry = async (
    server: ConfiguredServer,
    edit: (text: string, name: string) => string,
    prepare?: () => Promise<void>,
  ): Promise<Server> => {
    await list.change((text) => edit(text, list.nameIn(text, server)), prepare);
    await server.bringUp();
    return server.view();
  };

  const keepSecrets = async (id: ServerId, value: object): Promise<void> => {
    for (const secret of plainSecretsIn(value)) await deps.secrets.set(secretOwner(id), secret.name, secret.value);
  };

  const addEntry = async (
    name: string,
    config: ServerConfig,
    consented: boolean,
    { id = ServerId.parse(deps.ids()), secrets = new Map() }: { id?: ServerId; secrets?: ReadonlyMap<string, string> } = {},
  ): Promise<Server> => {
    list.mayChange();
    insertServer(deps.db, id);
    try {
      for (const [secret, value] of secrets) await deps.secrets.set(secretOwner(id), secret, value);
      await keepSecrets(id, config);
      if (consented) {
        setConsent(deps.db, id, hashConfig(config), deps.clock.now());
        deps.record(startAnswered({ id, name: name.trim() }, hashConfig(config), config, true));
      }
      await list.change((text) => {
        const free = freeServerName(name.trim(), namesIn(text));
        const value = { ...config, id };
        return withoutPlainSecrets(withEntry(text, free, value), { name: free, id, value, text: '' });
      });
    } catch (error) {
      if (!list.all().some((server) => server.id === id)) forget(id);
      throw error;
    }
    return list.find(id).view();
  };

  const forget = (id: ServerId): void => {
    deleteServerRows(deps.db, id);
    deps.secrets.removeAll(secretOwner(id));
  };

  let offered: { parts: ServerTool[][]; tools: ServerTool[] } = { parts: [], tools: [] };

  const gone = 'The server does not exist any more.';
  const find = (id: ServerId): ConfiguredServer | undefined => list.all().find((candidate) => candidate.id === id);

  const setEnabled = async (id: ServerId, enabled: boolean): Promise<void> => {
    const server = list.find(id);
    const { name, value } = server.entry();
    if (!isEntryObject(value)) refuse('wrongState', `"${name}" cannot be switched. ${readEntry(value).problem ?? ''}`);
    await changeEntry(server, (text, current) => withMember(text, current, ['disabled'], enabled ? undefined : true));
  };

  return {
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

    add(name, config) {
      // Off is for who asks for it.
      const isNew = 'command' in config && config.sandbox === undefined && deps.sandbox.obstacles().protected === undefined;
      return addEntry(name, withoutBundle(isNew ? { ...config, sandbox: 'protected' } : config), false);
    },

    async addBundle(id, name, config, secrets) {
      // One that only the desktop application itself could run is held by nothing, and its page says so.
      const canBeHeld =
        deps.sandbox.obstacles().protected === undefined &&
        (deps.nodeProgram !== undefined || nodeScriptOf(config) === undefined || list.hasNode());
      return addEntry(name, canBeHeld ? { ...config, sandbox: 'protected' } : config, false, { id, secrets });
    },

    async changeBundle(id, config, secrets) {
      const server = list.find(id);
      const before = server.config();
      const old = before && 'command' in before ? secretsOfBundle(before.bundle) : [];
      const edit = (text: string, current: string): string => {
        const changed = Object.entries(config).reduce((each, [member, value]) => withMember(each, current, [member], value), text);
        return withoutPlainSecrets(changed, { name: current, id, value: config, text: '' });
      };
      await changeEntry(server, edit, async () => {
        for (const [name, value] of secrets) await deps.secrets.set(secretOwner(id), name, value);
        await keepSecrets(id, config);
      });
      const kept = secretsOfBundle(config.bundle);
      for (const name of old) if (!kept.includes(name)) deps.secrets.remove(secretOwner(id), name);
      // What runs was given the old ones.
      if (secrets.size > 0) await server.reconnect();
      return server.view();
    },

    async addBundled(bundled, folders) {
      const name = bundledNames[bundled];
      if (bundled === 'files' && folders.length === 0) refuse('invalidInput', `${name} needs at least one folder. Pick one.`);
      const present = list.all().find((server) => server.bundled() === bundled);
      // Two of them would write the same file.
      if (bundled === 'memory' && present) refuse('wrongState', `"${present.entry().name}" is among your servers already.`);
      return addEntry(name, bundled === 'files' ? { bundled, folders: [...new Set(folders)] } : { bundled }, true);
    },

    update(id, { name, configJson, era }) {
      const written = configJson === undefined ? undefined : readEntryText(configJson);
      const before = list.find(id).entry().value;
      const installed: unknown = isEntryObject(before) ? Reflect.get(before, 'bundle') : undefined;
      const edit = (text: string, current: string): string => {
        let changed = text;
        if (written) {
          // The id is not the person's to write: permissions hang on it.
          changed = withMember(withEntryText(changed, current, written.text), current, ['id'], id);
          // Nor is what came in a bundle and who signed it: its values have a page of their own.
          if ('bundle' in written.value && !isDeepStrictEqual(written.value.bundle, installed))
            changed = withMember(changed, current, ['bundle'], installed);
          changed = withoutPlainSecrets(changed, { name: current, id, ...written });
        }
        // What is automatic need not stand in the file.
        if (era) changed = withMember(changed, current, ['era'], era === 'auto' ? undefined : era);
        const wanted = name?.trim() ?? current;
        const others = namesIn(changed).filter((other) => other !== current);
        return wanted === current ? changed : withEntryName(changed, current, freeServerName(wanted, others));
      };
      return changeEntry(list.find(id), edit, async () => {
        if (written) await keepSecrets(id, written.value);
      });
    },

    async setFolders(id, paths) {
      const server = list.find(id);
      const config = server.config();
      const { name } = server.entry();
      if (!config || !('bundled' in config) || config.bundled !== 'files')
        return refuse('wrongState', `"${name}" has no folders that could be picked.`);
      if (paths.length === 0) refuse('invalidInput', `"${name}" needs at least one folder. Pick one, or remove the server.`);
      const folders = [...new Set(paths)];
      return changeEntry(
        server,
        (text, current) => withMember(text, current, ['folders'], folders),
        // Picking the folders is the consent to them.
        async () => server.agree(hashConfig({ ...config, folders }), true),
      );
    },

    async setSandbox(id, { word, network, writable }) {
      const server = list.find(id);
      const before = server.config();
      const { name } = server.entry();
      if (!before || 'url' in before) return refuse('wrongState', `"${name}" is no program on this computer, so nothing holds it here.`);
      if (word === 'off' && demandsSandbox(deps.managed))
        return refuse('notAllowed', `Your organisation demands that "${name}" is protected, so it cannot be switched off.`);
      const obstacle = word === undefined || word === 'off' ? undefined : whyNot(word, server.view().sandbox);
      if (obstacle !== undefined) return refuse('unsupported', obstacle);
      if ('bundled' in before && (word === 'strict' || network || writable))
        return refuse('invalidInput', `"${name}" can be Protected or Off.`);
      const patch = { ...(word && { sandbox: word }), ...(network && { network: await tidy(network) }), ...(writable && { writable }) };
      const after = readEntry({ ...before, ...patch }).config;
      if (!after) return refuse('invalidInput', 'These lists are too long.');
      return changeEntry(
        server,
        (text, current) => Object.entries(patch).reduce((changed, [member, value]) => withMember(changed, current, [member], value), text),
        async () => {
          const agreed = server.view().status;
          const waits = agreed.state === 'off' && agreed.needsConsent !== undefined;
          if (!waits && !loosens(server.confinement(before), server.confinement(after))) server.agree(hashConfig(after), true);
          deps.record(trustChanged({ id, name }, 'sandbox', sandboxInWords(server.confinement(after))));
        },
      );
    },

    async remove(id) {
      const server = list.find(id);
      await list.change((text) => withoutEntry(text, list.nameIn(text, server)));
      // It may still write what it learnt until it has ended.
      await server.retire();
      forget(id);
      await deps.sandbox.forget(id);
      await deps.bundlePlaces.forget(id);
      await deps.identities.leave(secretOwner(id));
    },

    setEnabled,

    restart: async (id) => list.find(id).restart(),

    async consent(id, configHash, allow) {
      const server = list.find(id);
      if (server.hash() !== configHash) {
        refuse('wrongHash', `The configuration of "${server.entry().name}" has changed since this page was shown. Look at it again.`);
      }
      if (!allow) {
        deps.record(startAnswered({ id, name: server.entry().name }, configHash, server.config(), false));
        return setEnabled(id, false);
      }
      const changed = server.changedBundle();
      // From here on these are its files: without that, each start of Maitre would ask anew.
      if (changed) await list.change((text) => withMember(text, list.nameIn(text, server), ['bundle'], changed));
      server.agree(configHash);
      await server.bringUp();
    },

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

    reach: async (id, signal) => find(id)?.reach(signal),

    async callTool(request) {
      const server = list.all().find((candidate) => candidate.id === request.serverId);
      return (
        server?.callTool(request) ?? {
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

/** Only what was installed has the files of a bundle. */
function withoutBundle(config: ServerConfig): ServerConfig {
  if (!('command' in config)) return config;
  const { bundle: _files, ...program } = config;
  return program;
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

/** What a server is held to, for the activity log: how much, not where. */
function sandboxInWords(held: ReturnType<ConfiguredServer['confinement']>): string {
  if (!held) return 'off';
  return `${held.word}, folders: ${held.folders.length}${held.word === 'strict' ? `, hosts: ${held.network.length}` : ''}`;
}

/** As they were typed, each once. Refuses what is no host, with the word that is none. */
async function tidy(hosts: readonly string[]): Promise<string[]> {
  // Brings a part of a library along that no start of the host should wait for.
  const { isHostPattern, noHost } = await import('./sandboxHosts.ts');
  const trimmed = [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))];
  const wrong = trimmed.find((host) => !isHostPattern(host));
  if (wrong !== undefined) refuse('invalidInput', noHost(wrong));
  return trimmed;
}

function namesIn(text: string): string[] {
  const read = readServersText('servers.json', text);
  return read.ok ? read.entries.map((entry) => entry.name) : [];
}

/** Refuses with `invalidInput` what could not be an entry, with the place where there is one. */
function readEntryText(json: string): { text: string; value: object } {
  const text = withoutBom(json);
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    const { message, at } = parsed.problem;
    return refuse('invalidInput', `The configuration cannot be read at ${placeInWords(at)}: ${message}. Nothing was changed.`, { at });
  }
  const value = valueOf(parsed.root);
  const { problem } = readEntry(value);
  if (problem !== undefined || !isEntryObject(value)) return refuse('invalidInput', `${problem ?? ''} Nothing was changed.`.trim());
  return { text: text.slice(parsed.root.offset, parsed.root.offset + parsed.root.length), value };
}
