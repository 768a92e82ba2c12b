import { agreedDetails } from '../policy/agreedDetails.ts';
import { ruleChanged } from '../policy/auditEntries.ts';
import { refuse } from '../refusal.ts';
import { browseFolder } from '../servers/folders.ts';
import { parseServers } from '../servers/parseServers.ts';
import { inTransaction } from '../store/database.ts';
import { listRules } from '../store/rules.ts';
import type { AuthHandlers } from './authCommands.ts';
import type { CommandContext, Handlers } from './context.ts';
import type { FeatureHandlers } from './featureCommands.ts';

/** What a command answers that only does something. */
const done = {};

/** Configured servers and the folders they may use. */
export function serverCommands(context: CommandContext): Omit<Handlers<'server' | 'folder'>, keyof AuthHandlers | keyof FeatureHandlers> {
  const { db, definitions, events, servers, folders, clientFeatures, ports } = context;

  return {
    'server.list': () => {
      const problem = servers.fileProblem();
      return { servers: servers.list(), ...(problem === undefined ? {} : { problem }), revision: events.revision('servers') };
    },
    'server.details': ({ serverId }) => ({ details: agreedDetails(servers.details(serverId), definitions) }),
    'server.parseJson': ({ text }) => {
      const parsed = parseServers(text);
      if (!parsed.ok) refuse('invalidInput', parsed.message, parsed.at === undefined ? {} : { at: parsed.at });
      return { proposed: parsed.proposed };
    },
    'server.add': async ({ name, config }) => ({ server: await servers.add(name, config) }),
    'server.update': async ({ serverId, name, configJson, era }) => ({ server: await servers.update(serverId, { name, configJson, era }) }),
    'server.addBundled': async ({ bundled, folderIds }) => {
      if (bundled === 'files' && folderIds.length === 0) refuse('invalidInput', 'Pick at least one folder that the Files server may use.');
      return { server: await servers.addBundled(bundled, folderIds.map(folders.pathOf)) };
    },
    'server.setFolders': async ({ serverId, folderIds }) => ({ server: await servers.setFolders(serverId, folderIds.map(folders.pathOf)) }),
    'server.setSandbox': async ({ serverId, word, network, folderIds }) => ({
      server: await servers.setSandbox(serverId, { word, network, writable: folderIds?.map(folders.pathOf) }),
    }),
    'server.remove': async ({ serverId }) => {
      // They go with the server's rows.
      const name = servers.nameOf(serverId) ?? '';
      const rules = listRules(db).filter((rule) => rule.serverId === serverId);
      await servers.remove(serverId);
      inTransaction(db, () => {
        for (const rule of rules) context.audit.append(ruleChanged('rule.removed', rule, name));
      });
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
    'server.setContent': ({ serverId, untrusted, private: isPrivate }) => {
      servers.setContent(serverId, { untrusted, private: isPrivate });
      return done;
    },
    'server.clientFeatures': ({ serverId }) => ({ features: clientFeatures.view(serverId) }),
    'server.setClientFeatures': async ({ commandId: _once, serverId, ...patch }) => {
      await clientFeatures.set(serverId, patch);
      return { features: clientFeatures.view(serverId) };
    },
    'server.reload': async () => {
      await servers.reload();
      return done;
    },
    'folder.pick': async () => {
      if (!ports.pickPath) refuse('unsupported', 'There is no folder dialog here. Pick the folder from the list.');
      const path = await ports.pickPath('folder');
      return { folder: path === null ? null : { id: folders.idOf(path), path: folders.pathOf(folders.idOf(path)) } };
    },
    'folder.pickFile': async () => {
      if (!ports.pickPath) refuse('unsupported', 'There is no file dialog here. Pick the file from the list.');
      return { path: await ports.pickPath('file') };
    },
    'folder.browse': ({ folderId, files }) => browseFolder(folders, folderId, ports.paths.home, files === true),
  };
}
