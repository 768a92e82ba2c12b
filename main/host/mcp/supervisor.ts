import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerFailure, ServerState } from '../../../preload/contract/servers.ts';
import type { Clock, Log } from '../ports.ts';
import type { AnswerServerRequest, DeclaredFeatures } from './callTool.ts';
import type { Connection, EraVerdict, ServerLists, Target } from './connection.ts';

export interface SupervisorDeps {
  serverId: ServerId;
  serverName(): string;
  /** Rejects with a Refusal: the server is `failed` with `configurationInvalid`. */
  target(): Promise<Target>;
  clock: Clock;
  log: Log;
  callTimeoutMs(): number;
  declared(): DeclaredFeatures;
  answer: AnswerServerRequest;
  rememberedEra(): EraVerdict | undefined;
  rememberEra(verdict: EraVerdict): void;
  onStatus(status: ServerState): void;
  onLists(lists: ServerLists): void;
  clientInfo: { name: string; version: string };
}

export interface LogLine {
  at: number;
  stream: 'stderr' | 'stdout' | 'host';
  text: string;
}

export interface SupervisedServer {
  status(): ServerState;
  connection(): Connection | undefined;
  start(): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Waits for a start under way, bounded by the start's own time-out. */
  ready(signal: AbortSignal): Promise<Connection | ServerFailure>;
  settled(): Promise<void>;
  log(): LogLine[];
}

export declare function superviseServer(deps: SupervisorDeps): SupervisedServer;
