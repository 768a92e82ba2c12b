import { type Db, openReadOnly } from '../store/database.ts';
import type { OriginMark } from '../../../preload/contract/policy.ts';
import { originMarks } from '../policy/originMarks.ts';
import { definedTexts } from '../policy/definedTexts.ts';
import { earlierTexts } from '../policy/earlierTexts.ts';
import { argumentTexts } from './argumentTexts.ts';
import type { Jobs } from './jobs.ts';

/** Kept open between calls: opening costs more than most searches. Closed with the worker. */
const connections = new Map<string, Db>();

/** A card must fit a message of the bridge. */
const mostMarks = 300;

function connectionTo(databaseFile: string): Db {
  let db = connections.get(databaseFile);
  if (!db) connections.set(databaseFile, (db = openReadOnly(databaseFile)));
  return db;
}

/** Rehearsals of a worker: enough for the engine to translate what runs once for every byte. */
const rehearsals = 6;
let rehearsed = 0;

/** Reads what the branch has read, and keeps it ready to be searched. A new worker also goes through a search, which the next one is faster for. */
export function prepareOrigins({ databaseFile, leafId }: Jobs['prepareOrigins']['input']): undefined {
  const earlier = [...earlierTexts(connectionTo(databaseFile), leafId, undefined, () => undefined)];
  for (; rehearsed < rehearsals && earlier.length > 0; rehearsed += 1) {
    const { bytes, length } = earlier[rehearsed % earlier.length]?.forms ?? { bytes: new Uint8Array(0), length: 0 };
    const text = Buffer.from(bytes.buffer, 0, Math.min(length, 65_536)).toString('latin1');
    originMarks([{ at: '', text }], earlier);
  }
}

/** Marks of a call's arguments: {@link originMarks}. */
export function originsOfArguments({
  databaseFile,
  leafId,
  callId,
  values,
  definers,
}: Jobs['origins']['input']): Jobs['origins']['output'] {
  const { strings, ...searched } = argumentTexts(values, { numbers: true });
  let { whole } = searched;
  const cut = (): void => void (whole = false);
  const db = connectionTo(databaseFile);
  function* earlier(): ReturnType<typeof earlierTexts> {
    yield* earlierTexts(db, leafId, callId, cut);
    yield* definedTexts(db, definers);
  }
  const found = originMarks(strings, earlier());
  // The longest say most, where there are more than anybody reads.
  const kept = new Set(found.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, mostMarks));
  const marks = found
    .filter((mark) => kept.has(mark))
    .map(({ source, ...mark }): OriginMark => ({ ...mark, source: source.labels, text: source.text }));
  return { marks, whole };
}
