import type { Client, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import type { EraChoice, ServerFailure } from '../../../preload/contract/servers.ts';
import type { WaitingCall } from '../auth/serverAuth.ts';
import type { Clock } from '../ports.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import type { EraSource, EraVerdict } from './era.ts';
import type { ServerLog } from './serverLog.ts';
import type { Introduction } from './takeIntroduction.ts';

export type TransportKind = 'stdio' | 'http' | 'sse' | 'inProcess';

/** What a transport may use of the connection that is opened over it. */
export interface OpenContext {
  /** The server's name at the start, and as it is now. */
  name: string;
  serverName(): string;
  /** A client that has everything but a transport. Each is for one try. */
  makeClient(negotiation: VersionNegotiationOptions): Client;
  era: EraChoice;
  remembered: EraVerdict | undefined;
  log: ServerLog;
  trace: WireTrace | undefined;
  clock: Clock;
  /** The call of this id, where it is one that a person can be asked for. */
  waitingCall(callId: string): WaitingCall | undefined;
  /** Gives the start up. */
  signal: AbortSignal;
  /** Whether the start goes on: a server that is busy is then rather asked again later than waited for. */
  isStarting(): boolean;
}

/** A client that is connected, whatever lies below it. */
export interface Opened {
  client: Client;
  transportKind: TransportKind;
  /** False when silence decided about the era. */
  certain: boolean;
  how: EraSource;
  introduction(): Introduction;
  /** Resolves once, when nothing is left: with the reason, or with undefined when we closed it. */
  ended: Promise<ServerFailure | undefined>;
  endNow(): { failure: ServerFailure | undefined } | undefined;
  close(): Promise<void>;
}

/**
 * The port of all transports: makes the transport, goes through {@link prepareTransport}, finds out the era and connects. Rejects with
 * StartFailure or SignInNeeded (failures.ts), or with the signal's reason; nothing is left open then.
 */
export type OpenTransport = (context: OpenContext) => Promise<Opened>;
