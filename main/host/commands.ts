import type { ServerId, StartId } from '../../preload/contract/ids.ts';
import { type CommandName, commands, type CommandOutput, type ParsedInput } from '../../preload/contract/commands.ts';
import { fail, ok, type Result } from '../../preload/contract/result.ts';
import type { HostOptions } from './createHost.ts';
import type { Events } from './events.ts';
import { providerSecret } from './model/createProviders.ts';
import type { Providers } from './model/providers.ts';
import type { Approvals } from './policy/approvals.ts';
import type { Inputs } from './policy/inputs.ts';
import { openableUrl } from './policy/openableUrl.ts';
import type { Ports } from './ports.ts';
import { messageOf, Refusal, refuse } from './refusal.ts';
import { secretOwner } from './servers/configuredServer.ts';
import { browseFolder } from './servers/folders.ts';
import { parseServers } from './servers/parseServers.ts';
import type { Folders, Servers } from './servers/servers.ts';
import type { Blobs } from './store/blobs.ts';
import {
  deleteConversation,
  getConversation,
  insertConversation,
  listConversations,
  setConversationModel,
  setLeaf,
  setTitle,
} from './store/conversations.ts';
import { databaseFile, type Db, refusalOf } from './store/database.ts';
import { getMessage, newestLeafUnder } from './store/messages.ts';
import { listRules, removeRule, removeRulesOfServer } from './store/rules.ts';
import { indexTitle } from './store/search.ts';
import type { Secrets } from './store/secrets.ts';
import { getSettings, patchSettings } from './store/settings.ts';
import { conversationPage } from './turn/conversationPage.ts';
import type { Turns } from './turn/turns.ts';
import type { WorkerPool } from './workers/pool.ts';

/** Everything that commands reach, built by `createHost`. */
export interface CommandContext {
  startId: StartId;
  options: HostOptions;
  ports: Ports;
  db: Db;
  blobs: Blobs;
  secrets: Secrets;
  events: Events;
  pool: WorkerPool;
  turns: Turns;
  approvals: Approvals;
  inputs: Inputs;
  servers: Servers;
  folders: Folders;
  providers: Providers;
}

type Handlers = { [Name in CommandName]: (input: ParsedInput<Name>) => CommandOutput<Name> | Promise<CommandOutput<Name>> };

const done = {};
/** Messages that a chat opens with. */
const openedMessages = 50;
const searchTimeoutMs = 5000;

/** Name to handler. Each parses nothing (that is done), calls what does the work, and returns plain data. */
function createHandlers(context: CommandContext): Handlers {
  const { db, events, turns, approvals, inputs, servers, folders, providers, ports, secrets } = context;

  const conversationOf = (id: ParsedInput<'conversation.open'>['conversationId']) =>
    getConversation(db, id) ?? refuse('notFound', 'This chat does not exist any more.');

  const history = (page: { before?: number | undefined; limit: number }) => listConversations(db, page).map(turns.view);

  const serverNameOf = (id: ServerId) => servers.list().find((server) => server.id === id)?.name ?? 'a removed server';

  const ownerOf = (owner: ParsedInput<'secret.set'>['owner']) =>
    owner.kind === 'provider' ? providerSecret(owner.providerId) : { owner: secretOwner(owner.serverId), name: owner.name };

  async function secretChanged(owner: ParsedInput<'secret.set'>['owner']): Promise<void> {
    if (owner.kind === 'provider') providers.keyChanged(owner.providerId);
    else await servers.secretsChanged(owner.serverId);
  }

  return {
    'app.open': () => {
      const problem = servers.fileProblem();
      return {
        startId: context.startId,
        version: context.options.version,
        platform: process.platform,
        shell: context.options.shell,
        dataDir: ports.paths.dataDir,
        keychain: secrets.available(),
        hasFolderDialog: ports.pickFolder !== null,
        settings: getSettings(db, ports.log),
        settingsRevision: events.revision('settings'),
        servers: servers.list(),
        ...(problem === undefined ? {} : { serversFileProblem: problem }),
        serversRevision: events.revision('servers'),
        approvals: approvals.list(),
        inputs: inputs.list(),
        approvalsRevision: events.revision('approvals'),
        providers: providers.list(),
        conversations: history({ limit: 100 }),
        historyRevision: events.revision('history'),
      };
    },
    'app.createLink': () => ({
      url: ports.createLink?.() ?? refuse('unsupported', 'Links for another tab exist only where Maitre runs in a browser.'),
    }),

    'conversation.list': ({ before, limit }) => {
      const page = history({ before, limit: limit + 1 });
      return { conversations: page.slice(0, limit), hasMore: page.length > limit };
    },
    'conversation.create': ({ model }) => {
      const id = ports.ids() as ParsedInput<'conversation.open'>['conversationId'];
      insertConversation(db, { id, model, at: ports.clock.now() });
      turns.announce(id);
      return { conversation: turns.view(conversationOf(id)) };
    },
    'conversation.open': ({ conversationId }) => {
      const conversation = conversationOf(conversationId);
      turns.save(conversationId);
      const revision = events.revision(conversationId);
      return {
        conversation: turns.view(conversation),
        ...conversationPage(db, context.blobs, conversation.leafId, openedMessages),
        revision,
      };
    },
    'conversation.messages': ({ conversationId, before, limit }) => {
      if (getMessage(db, before)?.conversationId !== conversationId) refuse('notFound', 'There is no such message in this chat.');
      return conversationPage(db, context.blobs, before, limit);
    },
    'conversation.rename': ({ conversationId, title }) => {
      conversationOf(conversationId);
      db.transaction(() => {
        setTitle(db, conversationId, title, true);
        indexTitle(db, { conversationId, title, at: ports.clock.now() });
      })();
      turns.announce(conversationId);
      return done;
    },
    'conversation.delete': async ({ conversationId }) => {
      conversationOf(conversationId);
      turns.stopConversation(conversationId);
      await turns.ended(conversationId);
      deleteConversation(db, conversationId);
      events.history({ type: 'conversation.removed', conversationId });
      return done;
    },
    'conversation.setModel': ({ conversationId, model }) => {
      conversationOf(conversationId);
      setConversationModel(db, conversationId, model);
      turns.announce(conversationId);
      return done;
    },
    'conversation.showBranch': ({ conversationId, messageId }) => {
      conversationOf(conversationId);
      if (turns.isRunning(conversationId)) refuse('wrongState', 'This chat is still answering. Stop it first, or wait for the end.');
      if (getMessage(db, messageId)?.conversationId !== conversationId) refuse('notFound', 'There is no such message in this chat.');
      setLeaf(db, conversationId, newestLeafUnder(db, messageId), ports.clock.now());
      events.conversation(conversationId, { type: 'branch.changed' });
      return done;
    },
    'conversation.search': async ({ query, limit }) => {
      const databasePath = databaseFile(ports.paths.dataDir);
      const found = await context.pool.run('search', { databaseFile: databasePath, query, limit }, { timeoutMs: searchTimeoutMs });
      return {
        hits: found.map(({ messageId, ...hit }) => ({
          ...hit,
          conversationId: hit.conversationId as ParsedInput<'conversation.open'>['conversationId'],
          ...(messageId === null ? {} : { messageId: messageId as ParsedInput<'conversation.messages'>['before'] }),
        })),
      };
    },

    'turn.send': ({ conversationId, text, parentId, model }) => turns.send({ conversationId, text, parentId, model }),
    'turn.stop': ({ turnId }) => {
      turns.stop(turnId);
      return done;
    },
    'turn.continue': ({ turnId }) => ({ turn: turns.continueTurn(turnId) }),
    'turn.regenerate': ({ turnId, model }) => ({ turnId: turns.regenerate(turnId, model) }),
    'call.askAgain': ({ callId }) => ({ turn: turns.askAgain(callId) }),

    'approval.list': () => ({ approvals: approvals.list(), inputs: inputs.list(), revision: events.revision('approvals') }),
    'approval.answer': ({ approvalId, argumentsHash, decision }) => {
      approvals.answer(approvalId, argumentsHash, decision);
      return done;
    },
    'input.answer': async ({ inputId, answer }) => {
      await inputs.answer(inputId, answer);
      return done;
    },
    'rule.list': () => ({ rules: listRules(db).map((rule) => ({ ...rule, serverName: serverNameOf(rule.serverId) })) }),
    'rule.remove': ({ ruleId }) => {
      if (!removeRule(db, ruleId)) refuse('notFound', 'This permission was removed before.');
      return done;
    },

    'server.list': () => {
      const problem = servers.fileProblem();
      return { servers: servers.list(), ...(problem === undefined ? {} : { problem }), revision: events.revision('servers') };
    },
    'server.details': ({ serverId }) => ({ details: servers.details(serverId) }),
    'server.parseJson': ({ text }) => {
      const parsed = parseServers(text);
      if (!parsed.ok) refuse('invalidInput', parsed.message, parsed.at === undefined ? {} : { at: parsed.at });
      return { proposed: parsed.proposed };
    },
    'server.add': async ({ name, config }) => ({ server: await servers.add(name, config) }),
    'server.update': async ({ serverId, name, configJson }) => ({ server: await servers.update(serverId, { name, configJson }) }),
    'server.addBundled': async ({ bundled, folderIds }) => {
      if (bundled === 'files' && folderIds.length === 0) refuse('invalidInput', 'Pick at least one folder that the Files server may use.');
      return { server: await servers.addBundled(bundled, folderIds.map(folders.pathOf)) };
    },
    'server.setFolders': async ({ serverId, folderIds }) => ({ server: await servers.setFolders(serverId, folderIds.map(folders.pathOf)) }),
    'server.remove': async ({ serverId }) => {
      await servers.remove(serverId);
      removeRulesOfServer(db, serverId);
      return done;
    },
    'server.setEnabled': async ({ serverId, enabled }) => {
      await servers.setEnabled(serverId, enabled);
      return done;
    },
    'server.restart': async ({ serverId }) => {
      await servers.restart(serverId);
      return done;
    },
    'server.consent': async ({ serverId, configHash, allow }) => {
      await servers.consent(serverId, configHash, allow);
      return done;
    },
    'server.classifyTool': ({ serverId, tool, effects }) => {
      servers.classifyTool(serverId, tool, effects);
      return done;
    },
    'server.reload': async () => {
      await servers.reload();
      return done;
    },

    'folder.pick': async () => {
      if (!ports.pickFolder) refuse('unsupported', 'There is no folder dialog here. Pick the folder from the list.');
      const path = await ports.pickFolder();
      return { folder: path === null ? null : { id: folders.idOf(path), path: folders.pathOf(folders.idOf(path)) } };
    },
    'folder.browse': ({ folderId }) => browseFolder(folders, folderId, ports.paths.home),

    'provider.list': () => ({ providers: providers.list() }),
    'provider.refresh': async ({ providerId }) => {
      await providers.refresh(providerId);
      return done;
    },
    'provider.add': async ({ name, baseUrl }) => ({ providerId: await providers.add(name, baseUrl) }),
    'provider.remove': ({ providerId }) => {
      providers.remove(providerId);
      return done;
    },
    'secret.set': async ({ owner, value }) => {
      const { owner: key, name } = ownerOf(owner);
      await secrets.set(key, name, value);
      await secretChanged(owner);
      return done;
    },
    'secret.remove': async ({ owner }) => {
      const { owner: key, name } = ownerOf(owner);
      secrets.remove(key, name);
      await secretChanged(owner);
      return done;
    },

    'settings.set': ({ patch }) => {
      const settings = patchSettings(db, patch, ports.log);
      events.settings({ type: 'settings.changed', settings });
      return { settings };
    },

    'blob.read': ({ blobId, offset, length, as }) => context.blobs.readRange(blobId, offset, length, as),
    'link.open': async ({ url }) => {
      const openable = openableUrl(url);
      if (!openable.ok) refuse('invalidInput', openable.reason);
      await ports.openUrl(openable.url);
      return done;
    },
  };
}

/** Answers of changing commands that are kept, so that a repeat gets the first one. */
const keptAnswers = 2000;

/** The host's one way in: parses, calls one handler, wraps what comes out. Never rejects. */
export function createInvoke(context: CommandContext): (name: string, input: unknown) => Promise<Result<unknown>> {
  const handlers = createHandlers(context);
  const answers = new Map<string, Promise<Result<unknown>>>();
  const { log } = context.ports;

  async function run<Name extends CommandName>(name: Name, input: ParsedInput<Name>): Promise<Result<unknown>> {
    try {
      const output = await handlers[name](input);
      // In tests every answer is held against the contract; in use the types have done it.
      return ok(context.options.shell === 'test' ? commands[name].output.parse(output) : output);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOf(error);
      if (refusal) return { ok: false, error: refusal.failure };
      log.error('A command broke.', { command: name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return fail('internal', 'Something went wrong inside Maitre. Try again; the log has the details.', { detail: messageOf(error) });
    }
  }

  return async (name, input) => {
    if (!Object.hasOwn(commands, name)) return fail('unknownCommand', `Maitre knows no command “${name.slice(0, 100)}”.`);
    const known = name as CommandName;
    const parsed = commands[known].input.safeParse(input);
    if (!parsed.success) {
      const detail = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`).join('\n');
      return fail('invalidInput', 'What was sent does not fit the command, so nothing was done.', { detail });
    }
    const values = parsed.data as ParsedInput<typeof known>;
    if (!commands[known].changes || !('commandId' in values)) return run(known, values);
    const first = answers.get(values.commandId);
    if (first) return first;
    const answer = run(known, values);
    answers.set(values.commandId, answer);
    for (const oldest of answers.keys()) {
      if (answers.size <= keptAnswers) break;
      answers.delete(oldest);
    }
    return answer;
  };
}
