import type { StartId } from '../../../preload/contract/ids.ts';
import type { CommandName, CommandOutput, ParsedInput } from '../../../preload/contract/commands.ts';
import type { Events } from '../events.ts';
import type { Providers } from '../model/providers.ts';
import type { Approvals } from '../policy/approvals.ts';
import type { Definitions } from '../policy/definitions.ts';
import type { Audit } from '../policy/audit.ts';
import type { Inputs } from '../policy/inputs.ts';
import type { Managed } from '../policy/managedPolicy.ts';
import type { RuleBook } from '../policy/ruleBook.ts';
import type { Ports, ShellName } from '../ports.ts';
import type { ClientFeaturesOfServers } from '../servers/clientFeatures.ts';
import type { Bundles } from '../servers/bundles/bundles.ts';
import type { Folders } from '../servers/folders.ts';
import type { Servers } from '../servers/servers.ts';
import type { Blobs } from '../store/blobs.ts';
import type { Db } from '../store/database.ts';
import type { Redactor } from '../redact.ts';
import type { Secrets } from '../store/secrets.ts';
import type { KeptSettings } from '../store/settings.ts';
import type { ResultReader } from '../tools/result.ts';
import type { TraceStore } from '../trace/traceStore.ts';
import type { CallRunner } from '../turn/runCall.ts';
import type { Turns } from '../turn/turns.ts';
import type { Views } from '../views/views.ts';
import type { WorkerPool } from '../workers/pool.ts';

/** Everything that commands reach, built by `createHost`. */
export interface CommandContext {
  startId: StartId;
  shell: ShellName;
  version: string;
  ports: Ports;
  db: Db;
  blobs: Blobs;
  secrets: Secrets;
  events: Events;
  pool: WorkerPool;
  turns: Turns;
  calls: CallRunner;
  approvals: Approvals;
  audit: Audit;
  managed: Managed;
  definitions: Definitions;
  inputs: Inputs;
  ruleBook: RuleBook;
  servers: Servers;
  bundles: Bundles;
  folders: Folders;
  clientFeatures: ClientFeaturesOfServers;
  views: Views;
  providers: Providers;
  settings: KeptSettings;
  trace: TraceStore;
  redactor: Redactor;
  /** What stands behind the blocks of results. */
  read: ResultReader;
}

/**
 * The handlers of the commands whose names begin with one of `Prefix`. Each parses nothing (that is done), calls what does the
 * work, and returns plain data.
 */
export type Handlers<Prefix extends string> = {
  [Name in CommandName as Name extends `${Prefix}.${string}` ? Name : never]: (
    input: ParsedInput<Name>,
  ) => CommandOutput<Name> | Promise<CommandOutput<Name>>;
};
