import type { CommandInput, CommandName, CommandOutput } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { Result } from '../../preload/contract/result.ts';
import type { Ports } from './ports.ts';

export interface HostOptions {
  shell: 'electron' | 'web' | 'cli' | 'test';
  version: string;
  /** Scripts that may be used as models (`scripted:FILE`), by absolute path. Empty for an ordinary user. */
  scriptFiles?: string[];
  /** A file in the usual `mcpServers` shape whose servers are used instead of servers.json; naming it is consent to start them. */
  serversFile?: string;
  /** Whether the roots feature is declared to a legacy server of this name. */
  declaresRoots?: (serverName: string) => boolean;
  /** Called with what each model request held (for `--trace-model`). */
  onModelRequest?: (request: { system: string; messages: unknown; tools: unknown }) => void;
  /** Addresses of providers and local ports, so that tests can point them at this machine. */
  endpoints?: { providers?: Record<string, string>; local?: { id: string; name: string; baseUrl: string }[] };
  /** Environment that keys (`MAITRE_KEY_<PROVIDER>`) and PATH are taken from. Defaults to the process's own. */
  env?: Record<string, string | undefined>;
}

/** One running host on one data folder. Shells forward to it and decide nothing. */
export interface Host {
  /** Unchecked on purpose: the name and the input come from outside and are parsed here. Never rejects. */
  invoke(name: string, input: unknown): Promise<Result<unknown>>;
  /** Messages go to the listener until the returned function is called. `queuedBytes` tells how far a receiver is behind. */
  on(listener: (message: EventMessage) => void, queuedBytes?: () => number): () => void;
  /** Stops turns, servers and workers, closes the database, frees the lock. Resolves when no child process is left. */
  close(): Promise<void>;
}

/** As {@link Host.invoke}, typed: for callers inside the project. */
export type TypedInvoke = <Name extends CommandName>(name: Name, input: CommandInput<Name>) => Promise<Result<CommandOutput<Name>>>;

/**
 * Builds the whole object graph over one data folder. Rejects with a Refusal: `dataFolderInUse`, `dataFolderUnusable`,
 * `databaseTooNew`, `databaseDamaged`, `diskFull`.
 */
export async function createHost(_ports: Ports, _options: HostOptions): Promise<Host> {
  throw new Error('The host is being built.');
}
