import type { FolderId, ServerId } from '../../../preload/contract/ids.ts';
import type { BundledServerConfig, Server, ServerConfig, ServerDetails, ServersFileProblem } from '../../../preload/contract/servers.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { ServerTool, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';

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
  update(id: ServerId, change: { name?: string | undefined; configJson?: string | undefined }): Promise<Server>;
  setFolders(id: ServerId, paths: string[]): Promise<Server>;
  remove(id: ServerId): Promise<void>;
  setEnabled(id: ServerId, enabled: boolean): Promise<void>;
  restart(id: ServerId): Promise<void>;
  /** Refuses with `wrongHash` when the configuration has changed since the page was shown. */
  consent(id: ServerId, configHash: string, allow: boolean): Promise<void>;
  classifyTool(id: ServerId, tool: string, effects: Effects['set']): void;
  reload(): Promise<void>;
  /** To be called after a secret of this server was set or removed: what runs with the old value is started again. */
  secretsChanged(id: ServerId): Promise<void>;
  /** What a tool does: the user's word, else a profile of a well-known server, else nobody's (changes + sends out). */
  effectsOf(id: ServerId, tool: string): Effects;
  /**
   * The tools of every server that is ready, and those known from the last time of servers that are still starting.
   * Never waits. Order is stable: by server, then as listed.
   */
  tools(): ServerTool[];
  /** Connects first where the server is still starting; gives up after the start's own time-out. Never throws. */
  callTool(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Starts every enabled server the user has agreed to, all at once, and returns without waiting. */
  startAll(): void;
  /** Resolves when no server is starting any more. */
  settled(): Promise<void>;
  /** Stops every server; resolves when no child process is left. */
  close(): Promise<void>;
}

/** Folders by id, so that no renderer ever sends a path. */
export interface Folders {
  idOf(path: string): FolderId;
  /** Refuses with `notFound`. */
  pathOf(id: FolderId): string;
}
