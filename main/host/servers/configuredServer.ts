import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { BundledServerConfig, Server, ServerConfig, ServerDetails, ServerState } from '../../../preload/contract/servers.ts';
import type { AnswerServerRequest, DeclaredFeatures, ServerTool, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { ServerLists } from '../mcp/connection.ts';
import { superviseServer } from '../mcp/supervisor.ts';
import type { ChildProgram, Clock, Log, RunNodeScript } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import { forgetProcess, recordProcess } from '../store/processes.ts';
import type { Secrets } from '../store/secrets.ts';
import { getCached, getConsent, getEra, getToolEffects, setCached, setConsent, setEra, setToolEffects } from '../store/serverRows.ts';
import { CachedLists, StoredEra, eraVerdictMs } from './cachedLists.ts';
import { isEntryObject, kindOf, readEntry } from './entry.ts';
import { secretNamesIn } from './plainSecrets.ts';
import { profileEffects } from './profiles.ts';
import type { Folders } from './servers.ts';
import { configWarnings } from './configWarnings.ts';
import { describeStart, hashConfig, summaryOf } from './startConsent.ts';
import { targetOf } from './target.ts';

export interface ConfiguredServerDeps {
  db: Db;
  secrets: Secrets;
  folders: Folders;
  clock: Clock;
  log: Log;
  runNodeScript: RunNodeScript;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  dataDir: string;
  clientInfo: { name: string; version: string };
  declared(serverName: string): DeclaredFeatures;
  answer: AnswerServerRequest;
  callTimeoutMs(): number;
  /** The PATH for programs: what is known now, and what will be known. */
  path: { now(): string; found(): Promise<string> };
  /** Whether servers may run at all: after `startAll`, until `close`. */
  mayRun(): boolean;
  /** True where naming the file was the consent to everything in it. */
  consentGiven: boolean;
  onChange(server: ConfiguredServer): void;
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
  tools(): ServerTool[];
  effectsOf(tool: string): Effects;
  /** The user's word; an empty list takes it back. */
  classify(tool: string, effects: Effects['set']): void;
  /** The user's consent to run the configuration of this hash, and no other. */
  agree(configHash: string): void;
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Starts, stops or leaves it, so that it runs exactly what is configured, switched on and agreed to. Resolves after a stop, never waits for a start. */
  bringUp(): Promise<void>;
  /** Refuses with `wrongState` where it may not run. */
  restart(): Promise<void>;
  /** Stops it for good; resolves when nothing of it is left. */
  retire(): Promise<void>;
  settled(): Promise<void>;
}

/** What a tool counts as that nobody classified: the worst that is usual. */
export const unreviewed = (): Effects => ({ set: ['changes', 'sendsOut'], source: 'nobody' });

export const secretOwner = (id: ServerId): string => `server:${id}`;

export function createConfiguredServer(id: ServerId, first: AdoptedEntry, deps: ConfiguredServerDeps): ConfiguredServer {
  let entry = first;
  let read = readEntry(first.value);
  let hash = read.config && hashConfig(read.config);
  // Asked for at every step of a turn, for every tool: kept here beside the rows.
  let agreedHash = getConsent(deps.db, id)?.configHash;
  let userEffects = getToolEffects(deps.db, id);
  let cached = loadCached();
  /** The hash of the configuration that runs. */
  let running: string | undefined;
  let retired = false;
  let work: Promise<void> = Promise.resolve();

  const bundled = (): BundledServerConfig['bundled'] | undefined =>
    read.config && 'bundled' in read.config ? read.config.bundled : undefined;
  const enabled = (): boolean => (isEntryObject(entry.value) && 'disabled' in entry.value ? entry.value.disabled !== true : true);
  const agreed = (): boolean => deps.consentGiven || (hash !== undefined && agreedHash === hash);
  const runnable = (): boolean => !retired && hash !== undefined && enabled() && agreed();
  const callTimeoutMs = (): number => read.config?.timeout ?? deps.callTimeoutMs();

  const supervised = superviseServer({
    serverId: id,
    serverName: () => entry.name,
    target: () => {
      // What runs is what was agreed to: a change on the way is taken up by the next `bringUp`.
      if (!read.config || hash !== running || !runnable())
        return refuse('notAllowed', 'It is switched off, or you have not agreed to start it.');
      return targetOf(read.config, {
        ...deps,
        path: deps.path.found,
        secret: async (name) => entry.plain.get(name) ?? (await deps.secrets.get(secretOwner(id), name)),
        onChild,
      });
    },
    clock: deps.clock,
    log: deps.log,
    callTimeoutMs,
    declared: () => deps.declared(entry.name),
    answer: deps.answer,
    rememberedEra: () => {
      const era = hash === undefined ? undefined : StoredEra.safeParse(getEra(deps.db, id, hash, deps.clock.now()));
      return era?.data;
    },
    rememberEra: (verdict) => {
      if (hash !== undefined) setEra(deps.db, id, verdict, hash, deps.clock.now() + eraVerdictMs);
    },
    onStatus: () => {
      remember();
      deps.onChange(server);
    },
    onLists: () => {
      remember();
      deps.onChange(server);
    },
    clientInfo: deps.clientInfo,
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

  function loadCached(): CachedLists | undefined {
    const stored = getCached(deps.db, id);
    if (!stored) return undefined;
    const parsed = CachedLists.safeParse(stored.value);
    if (!parsed.success) deps.log.warn('The lists kept from the last connection cannot be read and are left out.', { serverId: id });
    return parsed.data;
  }

  function remember(): void {
    const connection = supervised.connection();
    if (!connection || running === undefined || supervised.status().state !== 'ready') return;
    const { era, version, transport } = connection.protocol;
    const next: CachedLists = CachedLists.parse({ configHash: running, protocol: { era, version, transport }, lists: connection.lists() });
    if (JSON.stringify(next) === JSON.stringify(cached)) return;
    cached = next;
    setCached(deps.db, id, next, deps.clock.now());
  }

  /** What the server offers now, else what it offered the last time under this very configuration. */
  const known = (): { lists: ServerLists; protocol: Server['protocol'] } | undefined => {
    const connection = running === hash ? supervised.connection() : undefined;
    if (connection)
      return {
        lists: connection.lists(),
        protocol: { era: connection.protocol.era, version: connection.protocol.version, transport: connection.protocol.transport },
      };
    return cached && cached.configHash === hash ? cached : undefined;
  };

  const status = (): ServerState => {
    if (read.problem !== undefined) {
      return { state: 'failed', failure: { code: 'configurationInvalid', message: `"${entry.name}" cannot be started. ${read.problem}` } };
    }
    if (!enabled()) return { state: 'off' };
    if (!agreed()) return { state: 'off', needsConsent: describeStart(read.config, { ...deps, path: deps.path.now() }) };
    // A changed configuration first waits for the end of what ran before.
    return running === hash ? supervised.status() : { state: 'off' };
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
      ...(folders && { folders: folders.map((path) => ({ id: deps.folders.idOf(path), path })) }),
    };
  };

  const effectsOf = (tool: string): Effects => {
    const byUser = userEffects.get(tool);
    if (byUser) return { set: byUser, source: 'user' };
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
        secrets: secretNamesIn(entry.value).map((name) => ({
          name,
          isSet: entry.plain.has(name) || deps.secrets.has(secretOwner(id), name) !== 'missing',
        })),
        ...(lists?.instructions === undefined ? {} : { instructions: lists.instructions }),
        tools: (lists?.tools ?? []).map((tool) => ({
          name: tool.name,
          ...(tool.title === undefined ? {} : { title: tool.title }),
          ...(tool.description === undefined ? {} : { description: tool.description }),
          inputSchema: JSON.stringify(tool.inputSchema),
          effects: effectsOf(tool.name),
          ...(tool.problem === undefined ? {} : { problem: tool.problem }),
        })),
        resources: (lists?.resources ?? []).map((resource) => ({ ...resource })),
        prompts: (lists?.prompts ?? []).map((prompt) => ({ ...prompt })),
        log: supervised.log(),
        warnings: [...configWarnings(read.config, deps.consentGiven ? [] : [...entry.plain.keys()]), ...(lists?.warnings ?? [])],
      };
    },

    tools() {
      if (!runnable()) return [];
      const now = status();
      const usable = now.state === 'ready' || now.state === 'starting' || (now.state === 'failed' && now.retryAt !== undefined);
      const tools = usable ? (known()?.lists.tools ?? []) : [];
      return tools.flatMap(({ problem, ...tool }) => (problem === undefined ? [{ serverId: id, serverName: entry.name, ...tool }] : []));
    },

    effectsOf,

    classify(tool, effects) {
      setToolEffects(deps.db, id, tool, effects, deps.clock.now());
      userEffects = getToolEffects(deps.db, id);
    },

    agree(configHash) {
      setConsent(deps.db, id, configHash, deps.clock.now());
      agreedHash = configHash;
    },

    async callTool({ serverId: _own, ...request }) {
      const off = (): ToolCallOutcome => ({ kind: 'unavailable', message: `"${entry.name}" is switched off, so its tool was not called.` });
      // What ran under the configuration before must not get the call.
      await work;
      if (!runnable() || running !== hash) return off();
      const ready = await supervised.ready(request.signal);
      if (request.signal.aborted) return { kind: 'cancelled' };
      if (!runnable() || running !== hash) return off();
      if (!('callTool' in ready))
        return { kind: 'unavailable', message: ready.message, ...(ready.detail === undefined ? {} : { detail: ready.detail }) };
      return ready.callTool(request, callTimeoutMs());
    },

    bringUp() {
      work = work.then(async () => {
        const wanted = (): string | undefined => (deps.mayRun() && runnable() ? hash : undefined);
        if (running !== undefined && running !== wanted()) {
          await supervised.stop();
          running = undefined;
        }
        if (running === undefined) running = wanted();
        else return;
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
      await supervised.restart();
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
