import { z } from 'zod';
import { BlobId, StartId } from '../ids.ts';
import { Conversation } from '../conversations.ts';
import { Approval, InputRequest, ShownUrl } from '../policy.ts';
import { Server, ServersFileProblem } from '../servers.ts';
import { Provider } from '../models.ts';
import { ManagedView } from '../managed.ts';
import { KeychainState, Settings } from '../settings.ts';
import { at, change, read } from './define.ts';

/** The window, settings, blobs, links. */
export const appCommands = {
  /** The first call of every renderer: all that the window shows before a conversation is opened. */
  'app.open': read(
    {},
    z.strictObject({
      startId: StartId,
      version: z.string(),
      platform: z.string(),
      shell: z.enum(['electron', 'web', 'cli', 'test']),
      dataDir: z.string(),
      keychain: KeychainState,
      /** What the person's organisation has set; absent where it has set nothing. */
      managed: ManagedView.optional(),
      /** True where the shell opens the system's own folder dialog. */
      hasFolderDialog: z.boolean(),
      settings: Settings,
      settingsRevision: at,
      servers: z.array(Server),
      serversFileProblem: ServersFileProblem.optional(),
      serversRevision: at,
      approvals: z.array(Approval),
      inputs: z.array(InputRequest),
      approvalsRevision: at,
      providers: z.array(Provider),
      conversations: z.array(Conversation),
      historyRevision: at,
    }),
  ),
  /** A link that lets another tab in, web shell only. */
  'app.createLink': change({}, z.strictObject({ url: z.string() })),
  'settings.set': change({ patch: Settings.partial() }, z.strictObject({ settings: Settings })),
  /** A range of a blob. Text (UTF-8) comes as it is, never cut inside a character; bytes come as base64. At most 256 KiB a call. */
  'blob.read': read(
    { blobId: BlobId, offset: at, length: z.number().int().min(1).max(262_144), as: z.enum(['text', 'base64']) },
    z.strictObject({ data: z.string(), nextOffset: at.optional(), bytes: at }),
  ),
  /**
   * Opens an http(s) address in the system's browser, after the host has checked it. `doubtful`: it was not opened, since its host can be
   * taken for another one; it is once the person has seen this and said so (`confirmed`).
   */
  'link.open': change(
    { url: z.string().max(8192), confirmed: z.literal(true).optional() },
    z.strictObject({ doubtful: ShownUrl.optional() }),
  ),
} as const;
