import { z } from 'zod';
import { ConversationId, FolderId, ServerId } from '../ids.ts';
import { Effect } from '../policy.ts';
import {
  ClientFeatures,
  EraChoice,
  ProposedServer,
  Server,
  ServerConfig,
  ServerDetails,
  ServerName,
  ServersFileProblem,
  SandboxWord,
} from '../servers.ts';
import { at, change, nothing, read } from './define.ts';

/** Configured servers and the folders they may use. */
export const serverCommands = {
  'server.list': read({}, z.strictObject({ servers: z.array(Server), problem: ServersFileProblem.optional(), revision: at })),
  'server.details': read({ serverId: ServerId }, z.strictObject({ details: ServerDetails })),
  /** Reads a pasted `mcpServers` text. Failure `invalidInput` carries line and column. Adds nothing. */
  'server.parseJson': read({ text: z.string().max(1_000_000) }, z.strictObject({ proposed: z.array(ProposedServer) })),
  'server.add': change({ name: ServerName, config: ServerConfig }, z.strictObject({ server: Server })),
  /** `configJson` replaces the entry; members the form does not know stay as they are when it is left out. */
  'server.update': change(
    {
      serverId: ServerId,
      name: ServerName.optional(),
      configJson: z.string().max(1_000_000).optional(),
      /** Changes this one member of the entry. */
      era: EraChoice.optional(),
    },
    z.strictObject({ server: Server }),
  ),
  'server.addBundled': change(
    { bundled: z.enum(['files', 'memory', 'everything']), folderIds: z.array(FolderId).max(64) },
    z.strictObject({ server: Server }),
  ),
  'server.setFolders': change({ serverId: ServerId, folderIds: z.array(FolderId).max(64) }, z.strictObject({ server: Server })),
  /**
   * What a local server is held to. What only narrows that takes effect at once; whatever loosens it waits for a new consent.
   * Refuses with `unsupported` a word that cannot be had here, with `invalidInput` what is no host.
   */
  'server.setSandbox': change(
    {
      serverId: ServerId,
      word: SandboxWord.optional(),
      network: z.array(z.string().max(300)).max(256).optional(),
      /** The folders that it may write to beside those it is told of. */
      folderIds: z.array(FolderId).max(64).optional(),
    },
    z.strictObject({ server: Server }),
  ),
  'server.remove': change({ serverId: ServerId }, nothing),
  'server.setEnabled': change({ serverId: ServerId, enabled: z.boolean() }, nothing),
  'server.restart': change({ serverId: ServerId }, nothing),
  'server.consent': change({ serverId: ServerId, configHash: z.string().max(200), allow: z.boolean() }, nothing),
  'server.classifyTool': change({ serverId: ServerId, tool: z.string().max(1000), effects: z.array(Effect).max(4) }, nothing),
  /** What the server's answers hold; null takes the person's word back. What was read before keeps its labels. */
  'server.setContent': change(
    { serverId: ServerId, untrusted: z.boolean().nullable().optional(), private: z.boolean().nullable().optional() },
    nothing,
  ),
  'server.clientFeatures': read({ serverId: ServerId }, z.strictObject({ features: ClientFeatures })),
  /** `folderIds` replaces the folders that the server is told of, and announces the change to it. */
  'server.setClientFeatures': change(
    {
      serverId: ServerId,
      folderIds: z.array(FolderId).max(64).optional(),
      questionsBlocked: z.boolean().optional(),
      deprecatedInModern: z.boolean().optional(),
      sendsTraceIds: z.boolean().optional(),
      showsViews: z.boolean().optional(),
      /** The model's answers are looked at again in this chat before the server gets them. */
      withdrawWaiver: ConversationId.optional(),
    },
    z.strictObject({ features: ClientFeatures }),
  ),
  /** Reads servers.json again after it was mended by hand. */
  'server.reload': change({}, nothing),
  /** Opens the system's dialog where the shell has one (`unsupported` elsewhere); null when the user closed it. */
  'folder.pick': change({}, z.strictObject({ folder: z.strictObject({ id: FolderId, path: z.string() }).nullable() })),
  /** As above, for one file. */
  'folder.pickFile': change({}, z.strictObject({ path: z.string().nullable() })),
  /** Lists the folders inside one that the host showed before; without id, the home folder. With `files`, its files too. */
  'folder.browse': read(
    { folderId: FolderId.optional(), files: z.literal(true).optional() },
    z.strictObject({
      folder: z.strictObject({ id: FolderId, path: z.string() }),
      parentId: FolderId.optional(),
      entries: z.array(z.strictObject({ id: FolderId, name: z.string() })),
      /** Where they were asked for. */
      files: z.array(z.strictObject({ name: z.string(), path: z.string() })).optional(),
      /** Not all are listed: there are more than 1,000 of either. */
      more: z.boolean(),
    }),
  ),
} as const;
