import { CallId, type ServerId, type StartId } from '../../preload/contract/ids.ts';
import type { CommandInput, CommandName, CommandOutput } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { Result } from '../../preload/contract/result.ts';
import { createIdentities } from './auth/identities.ts';
import { createInvoke } from './commands.ts';
import { createEvents } from './events.ts';
import { tellRequests } from './model/tellRequests.ts';
import { createProviders } from './model/createProviders.ts';
import { createCloudGuard } from './policy/cloudGuard.ts';
import { createApprovals } from './policy/approvals.ts';
import { createAudit } from './policy/audit.ts';
import { inputAnswered, policyApplied } from './policy/auditEntries.ts';
import { createDefinitions } from './policy/definitions.ts';
import { prepareInspection } from './policy/inspectCall.ts';
import type { FactsDeps } from './policy/gatherFacts.ts';
import { createInputs, type Inputs } from './policy/inputs.ts';
import { managedFor, managedPolicyFile } from './policy/managedPolicy.ts';
import { type ProtectionCheck, readManagedPolicy } from './policy/readManagedPolicy.ts';
import { createRuleBook } from './policy/ruleBook.ts';
import { createQuestionLimits } from './policy/questionLimits.ts';
import { createSamplingWaivers } from './policy/samplingWaivers.ts';
import type { Log, Ports, ShellName } from './ports.ts';
import { createRedactor } from './redact.ts';
import { createTraceIds } from './mcp/traceContext.ts';
import { createBundlePlaces } from './servers/bundles/bundlePlaces.ts';
import { createBundles } from './servers/bundles/bundles.ts';
import { createFolders } from './servers/folders.ts';
import { createSandbox, noSandbox } from './servers/sandbox.ts';
import { createServers, type Servers } from './servers/servers.ts';
import { createStartPlaces } from './servers/startPlaces.ts';
import { createClientFeatures } from './servers/clientFeatures.ts';
import { hostsOf, rootsOf } from './servers/toldFolders.ts';
import { lastAuditRowOf } from './store/auditRows.ts';
import { createBlobs } from './store/blobs.ts';
import { getCall, toolOfWireName } from './store/calls.ts';
import { benchOf, deleteConversation, getConversation } from './store/conversations.ts';
import { openDatabase } from './store/database.ts';
import { takeLock } from './store/lock.ts';
import { getSamplingUsed, setSamplingUsed } from './store/samplingRows.ts';
import { wholeText } from './store/longText.ts';
import { getMessage } from './store/messages.ts';
import { sweepOrphans } from './store/processes.ts';
import { deleteCustomProvider, getModelList, insertCustomProvider, listCustomProviders, setModelList } from './store/providers.ts';
import { createSecrets } from './store/secrets.ts';
import { keepSettings } from './store/settings.ts';
import { createResultStore } from './tools/resultStore.ts';
import { createRecorder } from './trace/recorder.ts';
import { createTraceStore } from './trace/traceStore.ts';
import type { ResultReader } from './tools/result.ts';
import { createKeptTasks } from './turn/keptTasks.ts';
import { createCallRunner } from './turn/runCall.ts';
import { candidatesOf } from './turn/chooseModel.ts';
import { prepareSampling } from './turn/sample.ts';
import { createTurns } from './turn/turns.ts';
import { mayShowViews } from './views/mayShowViews.ts';
import { createViews, type Views } from './views/views.ts';
import { createWorkerPool } from './workers/pool.ts';

export interface HostOptions {
  shell: ShellName;
  version: string;
  /** Scripts that may be used as models (`scripted:FILE`), by absolute path. Empty for an ordinary user. */
  scriptFiles?: string[];
  /** A file in the usual `mcpServers` shape whose servers are used instead of servers.json; naming it is consent to start them. */
  serversFile?: string;
  /** Whether the folders (roots) that a server of this name is told of are answered for, in a shell that asks nobody. */
  declaresRoots?: (serverName: string) => boolean;
  /** `none`: no local server is confined, whatever the system can do. Defaults to `detect`. */
  sandbox?: 'detect' | 'none';
  /** Called with what each model request held (for `--trace-model`). */
  onModelRequest?: (request: { system: string; messages: unknown; tools: unknown }) => void;
  /** Addresses of providers and local ports, so that tests can point them at this machine. */
  endpoints?: {
    providers?: Record<string, string>;
    local?: { id: string; name: string; baseUrl: string }[];
    /** The published document that stands for this application before authorization servers. */
    clientMetadata?: string;
  };
  /** Another place for the organisation's policy, and another check of who can write there: for tests. No shell sets it. */
  policy?: { file: string; problemOf?: ProtectionCheck };
  /** Certificates in PEM that vouch for the signers of bundles, instead of the system's: for tests. No shell sets it. */
  bundleRoots?: readonly string[];
  /** Environment that keys (`MAITRE_KEY_<PROVIDER>`) and PATH are taken from. Defaults to the process's own. */
  env?: Record<string, string | undefined>;
}

/** One running host on one data folder. Shells forward to it and decide nothing. */
export interface Host {
  /** Unchecked on purpose: the name and the input come from outside and are parsed here. Never rejects. */
  invoke(name: string, input: unknown): Promise<Result<unknown>>;
  /** Messages go to the listener until the returned function is called. `queuedBytes` tells how far a receiver is behind. */
  on(listener: (message: EventMessage) => void, queuedBytes?: () => number): () => void;
  /** Where views of servers are shown, and what is served there. */
  readonly views: Pick<Views, 'showIn' | 'answer'>;
  /** Stops turns, servers and workers, closes the database, frees the lock. Resolves when no child process is left. */
  close(): Promise<void>;
}

/** As {@link Host.invoke}, typed: for callers inside the project. */
export type TypedInvoke = <Name extends CommandName>(name: Name, input: CommandInput<Name>) => Promise<Result<CommandOutput<Name>>>;

const windowOpensWithinMs = 3000;
/** Threads for heavy and hostile work. */
const workerCount = 2;

/**
 * Builds the whole object graph over one data folder. Rejects with a Refusal: `dataFolderInUse`, `dataFolderUnusable`,
 * `databaseTooNew`, `databaseDamaged`, `diskFull`, and `configurationUnreadable` for a `serversFile` that cannot be read.
 */
export async function createHost(ports: Ports, options: HostOptions): Promise<Host> {
  const { clock, ids } = ports;
  const redactor = createRedactor();
  const log: Log = {
    ...ports.log,
    redact(secret) {
      ports.log.redact?.(secret);
      redactor.add(secret);
    },
  };
  const { dataDir, home } = ports.paths;
  const env = options.env ?? process.env;
  const startId = ids() as StartId;

  /** What was opened, in order; closed in reverse. */
  const opened: (() => unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  };

  try {
    const lock = takeLock(dataDir, { pid: process.pid, shell: options.shell });
    opened.push(() => lock.release());
    const db = openDatabase({ dataDir, log, clock });
    opened.push(() => db.close());
    const pool = createWorkerPool({ size: workerCount, log });
    opened.push(() => pool.close());
    const events = createEvents({ startId, clock, log });
    opened.push(() => events.close());

    const trace = createTraceStore({
      clock,
      redactor,
      recorder: createRecorder(dataDir, log),
      onGrew: (serverId, last) => events.trace({ type: 'trace.grew', serverId, last }),
    });
    opened.push(() => trace.close());

    const swept = sweepOrphans(db, log);
    const blobs = createBlobs(db, dataDir, ids, clock);
    blobs.removeUnowned();
    const secrets = createSecrets(db, ports.keychain, { ids, clock, log });
    void secrets.ready.then(() => events.settings({ type: 'keychain.changed', keychain: secrets.available() }));
    const audit = createAudit({ db, secrets, keychain: ports.keychain, clock, log, redactor, startId });
    opened.push(() => audit.close());
    const managed = readManagedPolicy(options.policy?.file ?? managedPolicyFile(process.platform), options.policy?.problemOf);
    const applied = policyApplied(managed, lastAuditRowOf(db, 'policy.applied'));
    if (applied) audit.append(applied);
    const keptSettings = keepSettings(db, log);
    const settings = keptSettings.get;
    const folders = createFolders(ids);

    const providers = createProviders({
      store: {
        listCustomProviders: () => listCustomProviders(db),
        insertCustomProvider: (provider) => insertCustomProvider(db, provider),
        deleteCustomProvider: (id) => deleteCustomProvider(db, id),
        getModelList: (id) => getModelList(db, id),
        setModelList: (id, models, fetchedAt) => setModelList(db, id, models, fetchedAt),
      },
      secrets,
      env,
      clock,
      log,
      endpoints: options.endpoints ?? {},
      scriptFiles: options.scriptFiles ?? [],
      onChange: (provider) => events.settings({ type: 'provider.changed', provider }),
      onRemoved: (providerId) => events.settings({ type: 'provider.removed', providerId }),
    });
    opened.push(() => providers.close());
    const defaultModel = () => settings().defaultModel;

    const cloudGuard = createCloudGuard({
      db,
      pool,
      clock,
      log,
      async ask(question) {
        const answer = inputs.askAboutModel(question);
        const tell = () => question.conversationId !== undefined && turns.announce(question.conversationId);
        tell();
        return answer.finally(tell);
      },
      nameOf: (wireName) => toolOfWireName(db, wireName),
      // A model that was named by its address alone is known by that.
      providerOf: ({ provider }) => providers.list().find(({ id }) => id === provider)?.name ?? provider.replace(/^compatible:/, ''),
    });

    const waivers = createSamplingWaivers(db, clock);
    const clientFeatures = createClientFeatures({ db, folders, waivers, servers: () => servers, record: audit.append });
    const inputs: Inputs = createInputs({
      events,
      clock,
      ids,
      pool,
      limits: createQuestionLimits(clock, {
        get: (serverId, turn) => getSamplingUsed(db, serverId, turn),
        // What a model answers after the end of the host is counted nowhere.
        set: (serverId, turn, used) => void (db.open && setSamplingUsed(db, serverId, turn, used)),
      }),
      waivers,
      prepareSampling: (params, conversationId) => {
        const conversation = conversationId === undefined ? undefined : getConversation(db, conversationId);
        return prepareSampling(params, conversation?.model ?? defaultModel() ?? 'demo', {
          candidates: () => candidatesOf(providers.list()),
          resolve: (ref) => cloudGuard.over(providers.resolve(ref)),
          timeoutMs: settings().modelTimeoutMs,
          conversationId,
        });
      },
      // Outside any call there is no turn: what is asked then is counted by the hour.
      turnOf: (callId) => (callId && getCall(db, callId)?.call.turnId) ?? `hour ${Math.floor(clock.now() / 3_600_000)}`,
      folders: { ...clientFeatures, rootsOf },
      questions: clientFeatures,
      knownHosts: (serverId) => hostsOf(servers.configOf(serverId)),
      openUrl: (url) => ports.openUrl(url),
      notify: (notification) => ports.notify(notification),
      onAnswered: (input, action, how) => audit.append(inputAnswered(input, action, how)),
      onWait: (callId, inputId) => calls.waitForInput(callId, inputId),
      onGoOn: (callId) => calls.goOn(callId),
    });

    const serverNameOf = (id: ServerId): string | undefined => servers.nameOf(id);
    const definitions = createDefinitions({
      db,
      clock,
      record: audit.append,
      nameOf: (id) => serverNameOf(id) ?? '',
      listsOf: (id) => servers.listsOf(id),
      onChange(id) {
        servers.announce(id);
        approvals.tellAgreed(id);
      },
    });
    const traceIds = createTraceIds();
    const startPlaces = createStartPlaces(clock);
    const sandbox =
      options.sandbox === 'none' ? noSandbox : await createSandbox({ dataDir, home, platform: process.platform, env, clock, log });
    opened.push(() => sandbox.close());
    const bundlePlaces = createBundlePlaces({ dataDir, pool, log });
    opened.push(() => bundlePlaces.close());
    const servers: Servers = await createServers({
      sandbox,
      bundlePlaces,
      nodeProgram: options.shell === 'electron' ? undefined : process.execPath,
      definitions,
      startPlaces,
      db,
      secrets,
      identities: createIdentities({ secrets, clock, log }),
      folders,
      clock,
      ids,
      log,
      runNodeScript: ports.runNodeScript,
      openUrl: (url) => ports.openUrl(url),
      clientMetadataUrl: options.endpoints?.clientMetadata,
      env,
      platform: process.platform,
      home,
      dataDir,
      clientInfo: { name: 'maitre', version: options.version },
      declared(serverName, serverId) {
        // Where nobody can be asked, a request for folders is invited only when the answer is known.
        const askable = options.shell !== 'cli' || clientFeatures.told(serverId) !== undefined;
        const views = options.shell !== 'cli' && mayShowViews(db, serverId, servers.writtenConfig(serverId));
        return { ...clientFeatures.declared(serverId), views, roots: askable || options.declaresRoots?.(serverName) === true };
      },
      answer: inputs.ask,
      callTimeoutMs: () => settings().callTimeoutMs,
      managed,
      record: audit.append,
      serversFile: options.serversFile,
      fromDesktop: options.shell === 'electron',
      onChange: (server) => events.servers({ type: 'server.changed', server }),
      trace: trace.wire,
      traceIdOf(serverId, operation) {
        if (!clientFeatures.sendsTraceIds(serverId)) return undefined;
        const call = operation === undefined ? undefined : getCall(db, CallId.parse(operation));
        return traceIds(call?.call.turnId ?? operation);
      },
      onRemoved(serverId) {
        trace.forget(serverId);
        deleteConversation(db, benchOf(serverId));
        events.servers({ type: 'server.removed', serverId });
      },
      onResourceUpdated: (serverId, uri) => events.servers({ type: 'resource.updated', serverId, uri }),
      onFileChanged: (problem) => events.servers({ type: 'file.changed', ...(problem === undefined ? {} : { problem }) }),
    });
    opened.push(() => servers.close());
    // Of another file's servers nobody knows here which files they need.
    if (options.serversFile === undefined) servers.sweepBundles();
    const bundles = createBundles({
      places: bundlePlaces,
      servers,
      secrets,
      pool,
      managed,
      ids,
      home,
      platform: process.platform,
      env,
      path: servers.path,
      version: options.version,
      roots: options.bundleRoots,
    });
    opened.push(() => inputs.close());

    const facts: FactsDeps = {
      clock,
      system: { platform: process.platform, home },
      effectsOf: (id, tool) => servers.effectsOf(id, tool),
      profileOf: (id, tool) => servers.profileOf(id, tool),
      foldersOf: (id) => servers.foldersOf(id),
      definitionOf: (id, tool) => definitions.stateOf(id, tool),
      managedFor: (id, tool) => managedFor(managed, { config: servers.writtenConfig(id), tool }, { auditIsKept: audit.isKept() }),
    };
    const approvals = createApprovals({ db, events, clock, ids, audit });
    const read: ResultReader = {
      text: (text) => wholeText(blobs, text),
      base64: (blobId) => blobs.read(blobId).bytes.toString('base64'),
    };
    const tasks = createKeptTasks({ db, secrets, clock, log });
    const calls = createCallRunner({
      db,
      facts,
      serverNameOf,
      calledNow: (id, tool) => ({ configuration: servers.configHash(id), definition: definitions.hashOf(id, tool) }),
      serversBeside: (id) =>
        servers.list().flatMap((server) => (server.id === id ? [] : [{ serverId: server.id, serverName: server.name }])),
      listsResource: (id, uri) => servers.listsOf(id)?.resources.some((resource) => resource.uri === uri) === true,
      isLocal: (id) => servers.list().find((server) => server.id === id)?.kind !== 'remote',
      events,
      clock,
      servers,
      approvals,
      audit,
      pool,
      resultStore: (conversationId) => createResultStore(blobs, conversationId),
      read,
      tasks,
      conversationOf: (messageId) => getMessage(db, messageId)?.conversationId,
      log,
      notify: ports.notify,
      onActivity: (conversationId) => turns.announce(conversationId),
    });
    const ruleBook = createRuleBook({
      db,
      ids,
      facts,
      approvals,
      audit,
      read,
      serverNameOf,
    });
    const turns = createTurns({
      definitions,
      db,
      blobs,
      events,
      clock,
      ids,
      log,
      servers,
      pool,
      calls,
      read,
      approvals,
      audit,
      inputs,
      tasks,
      prepareInspection: (leafId) => void prepareInspection({ pool, db, log }, leafId),
      resolveModel: (ref) => cloudGuard.over(tellRequests(providers.resolve(ref), options.onModelRequest)),
      modelTimeoutMs: () => settings().modelTimeoutMs,
      stepLimit: () => settings().stepLimit,
      defaultModel,
    });
    const views = createViews({ db, blobs, clock, servers, definitions, audit, read, turns });
    turns.recover();
    opened.push(() => calls.tasks.close());
    opened.push(() => turns.close());

    // Left-over processes of a crash hold ports and lock files that the new ones need.
    await swept;
    servers.startAll();
    calls.tasks.followKept();
    // A window that opens comes first; where none does, or it does not ask within that time, the servers start all the same.
    if (options.shell === 'cli' || options.shell === 'test') startPlaces.open();
    else opened.push(clock.after(windowOpensWithinMs, startPlaces.open));
    providers.discover();
    const invoke = createInvoke({
      startId,
      shell: options.shell,
      version: options.version,
      ports,
      db,
      blobs,
      secrets,
      events,
      pool,
      turns,
      calls,
      approvals,
      audit,
      managed,
      inputs,
      ruleBook,
      servers,
      bundles,
      definitions,
      folders,
      clientFeatures,
      views,
      providers,
      trace,
      redactor,
      read,
      settings: keptSettings,
    });

    let closing: Promise<void> | undefined;
    return {
      async invoke(name, input) {
        const result = await invoke(name, input);
        if (name === 'app.open') startPlaces.open();
        return result;
      },
      views,
      on: (listener, queuedBytes) => events.on(listener, queuedBytes),
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
