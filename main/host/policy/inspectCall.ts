import { homedir } from 'node:os';
import nodePath from 'node:path';
import type { CallId, ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { Finding, OriginMark, PathLook } from '../../../preload/contract/policy.ts';
import type { Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { CallFacts } from './callFacts.ts';
import type { Definer } from './definedTexts.ts';
import type { PathToLookAt } from './pathLook.ts';
import { pointedAt, pointerTo } from './patterns.ts';
import { writtenPath } from './paths.ts';

export interface CallToInspect {
  conversationId: ConversationId;
  /** The answer that the call stands in: what its branch holds before the call is searched. */
  leafId: MessageId;
  callId: CallId;
  values: Readonly<Record<string, unknown>>;
  /** Paths that the call names, where a profile says which arguments are paths; others that look like absolute ones are looked at as well. */
  paths: CallFacts['paths'];
  /** Folders that the user picked for this server, as real paths. */
  folders: readonly string[];
  /** Whether the server runs on this computer, so that a path means a file of it. */
  local: boolean;
  /** The other servers: words of their definitions are marked. */
  definers: readonly Definer[];
}

/** What a card shows of a call beyond its arguments. */
export interface Inspection {
  marks: OriginMark[];
  findings: Finding[];
  looks: PathLook[];
  /** Set when it could not be done whole: a sentence for the card. What is there is true, but there may be more. */
  inspectionIncomplete?: string;
}

/** Whoever waits for a card is not made to wait longer for what it shows beside the call. */
const inspectedWithinMs = 8000;
const lookedWithinMs = 4000;
const mostLooks = 12;
const preparedWithinMs = 10_000;

/**
 * Looks at a call before the user is asked about it: which stretches of its arguments stand in what the chat has read before, which
 * secrets stand in them, and what the paths in them name. Runs in the worker pool. Never rejects for content, whatever it is; rejects
 * with `signal.reason` when it is stopped.
 */
export async function inspectCall(
  { pool, db, log }: { pool: WorkerPool; db: Db; log: Log },
  call: CallToInspect,
  signal?: AbortSignal,
): Promise<Inspection> {
  const { leafId, callId, values, definers } = call;
  const options = { timeoutMs: inspectedWithinMs, ...(signal === undefined ? {} : { signal }) };
  const failed: string[] = [];
  async function orNothing<Output>(what: string, output: Promise<Output>): Promise<Output | undefined> {
    try {
      return await output;
    } catch (error) {
      signal?.throwIfAborted();
      log.warn('A call could not be looked at whole before the card.', { callId, what, error: messageOf(error) });
      failed.push(what);
      return undefined;
    }
  }
  const now = Date.now();
  const named = call.local ? pathsIn(call) : [];
  // The longest first: the worker that has prepared it is free then, and the others go to the next one.
  const [origins, found, looked] = await Promise.all([
    orNothing(
      'the arguments for what others wrote',
      pool.run('origins', { databaseFile: db.name, leafId, callId, values, definers }, options),
    ),
    orNothing('the arguments for secrets', pool.run('findings', { values, now }, options)),
    named.length === 0
      ? undefined
      : orNothing(
          'the files that it names',
          pool.run('look', { paths: named.slice(0, mostLooks), folders: call.folders, now }, { ...options, timeoutMs: lookedWithinMs }),
        ),
  ]);
  if (named.length > mostLooks) failed.push(`more than ${mostLooks} of the paths`);
  if (origins?.whole === false || found?.whole === false)
    failed.push('all of the arguments, or of what this chat has read: there is too much');
  return {
    marks: origins?.marks ?? [],
    findings: [...(looked?.findings ?? []), ...(found?.findings ?? [])],
    looks: looked?.looks ?? [],
    ...(failed.length === 0
      ? {}
      : { inspectionIncomplete: `It was not possible to search ${failed.join(', or ')}. Look at the whole call yourself.` }),
  };
}

/** The paths of the call that can be looked at. One that programs could read in several ways counts as what its profile's reader made of it. */
function pathsIn({ values, paths }: CallToInspect): PathToLookAt[] {
  const system = { platform: process.platform, home: homedir() };
  const absolute = (text: unknown): string | undefined => {
    const written = typeof text === 'string' ? writtenPath(text, system) : undefined;
    return written === undefined ? undefined : nodePath.normalize(written);
  };
  const named = paths.flatMap(({ at, real }): PathToLookAt[] => {
    const path = absolute(pointedAt(values, at)[0]?.value) ?? real;
    return path === '' ? [] : [{ at, path, guessed: false }];
  });
  const known = new Set(paths.map(({ at }) => at));
  const guessed: PathToLookAt[] = [];
  const walk = (at: string, value: unknown): void => {
    const path = absolute(value);
    if (path !== undefined) {
      if (!known.has(at)) guessed.push({ at, path, guessed: true });
    } else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) walk(pointerTo(at, name), member);
  };
  walk('', values);
  return [...named, ...guessed];
}

/**
 * Reads what the branch has read, so that a later {@link inspectCall} finds it ready to be searched: for while a model still writes. Never
 * rejects: without it the call only waits longer.
 */
export async function prepareInspection({ pool, db, log }: { pool: WorkerPool; db: Db; log: Log }, leafId: MessageId): Promise<void> {
  try {
    await Promise.all([
      pool.run('prepareOrigins', { databaseFile: db.name, leafId }, { timeoutMs: preparedWithinMs }),
      pool.run('prepareFindings', {}, { timeoutMs: preparedWithinMs }),
    ]);
  } catch (error) {
    log.info('What a chat has read could not be prepared for the search.', { error: messageOf(error) });
  }
}
