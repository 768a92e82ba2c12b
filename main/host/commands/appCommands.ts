import { managedView } from '../policy/managedPolicy.ts';
import { openableUrl } from '../policy/openableUrl.ts';
import { deceptiveLink } from '../policy/shownUrl.ts';
import { refuse } from '../refusal.ts';
import { hostsOf } from '../servers/toldFolders.ts';
import { listConversations } from '../store/conversations.ts';
import type { CommandContext, Handlers } from './context.ts';

/** The window, settings, blobs, links. */
export function appCommands(context: CommandContext): Handlers<'app' | 'settings' | 'blob' | 'link'> {
  const { db, events, turns, approvals, inputs, servers, providers, ports, secrets, settings } = context;

  const history = (page: { before?: number | undefined; limit: number }) => listConversations(db, page).map(turns.view);

  return {
    'app.open': () => {
      const problem = servers.fileProblem();
      const managed = managedView(context.managed);
      return {
        startId: context.startId,
        version: context.version,
        platform: process.platform,
        shell: context.shell,
        dataDir: ports.paths.dataDir,
        keychain: secrets.available(),
        ...(managed && { managed }),
        hasFolderDialog: ports.pickPath !== null,
        settings: settings.get(),
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
    'settings.set': ({ patch }) => {
      const changed = settings.patch(patch);
      events.settings({ type: 'settings.changed', settings: changed });
      return { settings: changed };
    },
    'blob.read': ({ blobId, offset, length, as }) => context.blobs.readRange(blobId, offset, length, as),
    'link.open': async ({ url, confirmed }) => {
      const openable = openableUrl(url);
      if (!openable.ok) refuse('invalidInput', openable.reason);
      const knownHosts = servers.list().flatMap(({ id }) => hostsOf(servers.writtenConfig(id)));
      const doubtful = confirmed ? undefined : deceptiveLink(openable.url, knownHosts);
      if (doubtful) return { doubtful };
      await ports.openUrl(openable.url);
      return {};
    },
  };
}
