import type { ConversationId, FolderId, ServerId } from '../../../preload/contract/ids.ts';
import type { ClientFeatures } from '../../../preload/contract/servers.ts';
import type { DeclaredFeatures } from '../mcp/callTool.ts';
import type { AuditEntry } from '../policy/audit.ts';
import { trustChanged } from '../policy/auditEntries.ts';
import type { SamplingWaivers } from '../policy/samplingWaivers.ts';
import { getClientFeatures, setClientFeatures } from '../store/clientFeatures.ts';
import { type Db, inTransaction } from '../store/database.ts';
import { setShowsViews, showsViews } from '../store/views.ts';
import type { Folders } from './folders.ts';
import type { Servers } from './servers.ts';
import { enclosingRepository, suggestedFolders } from './toldFolders.ts';

/** What each server is told and may ask: the folders named to it, whether its questions are shown, what it is offered. */
export interface ClientFeaturesOfServers {
  /** Refuses with `notFound`. */
  view(id: ServerId): ClientFeatures;
  /** `folderIds` replaces the folders told; the server hears of the change. What it is offered holds from its next connection on. */
  set(
    id: ServerId,
    patch: {
      folderIds?: readonly FolderId[] | undefined;
      questionsBlocked?: boolean | undefined;
      deprecatedInModern?: boolean | undefined;
      sendsTraceIds?: boolean | undefined;
      showsViews?: boolean | undefined;
      withdrawWaiver?: ConversationId | undefined;
    },
  ): Promise<void>;
  /** Paths that are told without a question; undefined while nobody has chosen. */
  told(id: ServerId): string[] | undefined;
  /** Keeps the answer to a request for folders. */
  choose(id: ServerId, folderIds: readonly FolderId[]): string[];
  suggested(id: ServerId): { id: FolderId; path: string }[];
  blocked(id: ServerId): boolean;
  block(id: ServerId): void;
  /** Whether requests to it carry trace context. */
  sendsTraceIds(id: ServerId): boolean;
  declared(id: ServerId): DeclaredFeatures;
}

export interface ClientFeaturesDeps {
  db: Db;
  folders: Folders;
  waivers: Pick<SamplingWaivers, 'list' | 'remove'>;
  servers(): Servers;
  /** Adds a row to the activity log. Throws where the store cannot be written. */
  record(entry: AuditEntry): void;
}

export function createClientFeatures({ db, folders, waivers, servers, record }: ClientFeaturesDeps): ClientFeaturesOfServers {
  const named = (path: string) => ({ id: folders.idOf(path), path });
  const of = (id: ServerId) => getClientFeatures(db, id);

  const told = (id: ServerId): string[] | undefined => {
    const { folders: chosen, foldersChosen } = of(id);
    if (foldersChosen) return chosen;
    // The folders that the bundled server may use were picked for it, and for nothing else.
    const config = servers().configOf(id);
    return config && 'folders' in config ? (config.folders ?? []) : undefined;
  };
  const suggested = (id: ServerId): string[] => {
    const known = told(id) ?? [];
    return suggestedFolders(servers().configOf(id)).filter((path) => !known.includes(path));
  };
  const save = (id: ServerId, patch: Parameters<typeof setClientFeatures>[2]): void => {
    const name = servers()
      .list()
      .find((each) => each.id === id)?.name;
    const server = { id, name: name ?? 'a removed server' };
    inTransaction(db, () => {
      const { folders: paths, questionsBlocked } = patch;
      if (paths) record(trustChanged(server, 'folders', paths.length === 1 ? 'one folder' : `${paths.length} folders`));
      if (questionsBlocked !== undefined) record(trustChanged(server, 'questions', questionsBlocked ? 'not shown' : 'shown'));
      setClientFeatures(db, id, patch);
    });
  };
  const choose = (id: ServerId, folderIds: readonly FolderId[]): string[] => {
    const paths = [...new Set(folderIds.map(folders.pathOf))];
    save(id, { folders: paths });
    return paths;
  };

  return {
    view(id) {
      const { foldersChosen, questionsBlocked, deprecatedInModern, sendsTraceIds } = of(id);
      return {
        folders: (told(id) ?? []).map((path) => {
          const repository = enclosingRepository(path);
          return { ...named(path), ...(repository === undefined ? {} : { repository: named(repository) }) };
        }),
        suggestions: suggested(id).map(named),
        foldersChosen,
        questionsBlocked,
        deprecatedInModern,
        sendsTraceIds,
        showsViews: showsViews(db, id),
        waivers: waivers.list(id),
      };
    },

    async set(id, { folderIds, withdrawWaiver, showsViews: shows, ...patch }) {
      const { deprecatedInModern } = patch;
      const server = servers()
        .list()
        .find((each) => each.id === id);
      const offersMore = deprecatedInModern !== undefined && deprecatedInModern !== of(id).deprecatedInModern;
      if (folderIds !== undefined) {
        choose(id, folderIds);
        servers().rootsChanged(id);
      }
      if (withdrawWaiver !== undefined) {
        inTransaction(db, () => {
          record(trustChanged({ id, name: server?.name ?? 'a removed server' }, 'questions', 'answers of the model are looked at again'));
          waivers.remove(id, withdrawWaiver);
        });
      }
      if (shows !== undefined) {
        inTransaction(db, () => {
          record(trustChanged({ id, name: server?.name ?? 'a removed server' }, 'views', shows ? 'shown' : 'not shown'));
          setShowsViews(db, id, shows);
        });
        servers().announce(id);
      }
      save(id, patch);
      if (offersMore && server?.protocol?.era === 'modern' && server.status.state === 'ready') await servers().restart(id);
    },

    told,
    choose,
    suggested: (id) => suggested(id).map(named),
    blocked: (id) => of(id).questionsBlocked,
    block: (id) => save(id, { questionsBlocked: true }),
    sendsTraceIds: (id) => of(id).sendsTraceIds,
    declared: (id) => ({ elicitation: true, sampling: true, roots: true, deprecatedToLegacyOnly: !of(id).deprecatedInModern }),
  };
}
