import type { Approval, Finding, OriginMark, PathLook } from '../../../preload/contract/policy.ts';
import { type ArgumentRow, argumentRows } from '../../text/argumentRows.ts';
import { destinationOf } from '../../text/destinationOf.ts';

export interface Notes {
  marks: OriginMark[];
  findings: Finding[];
  looks: PathLook[];
}

/** One value of the arguments with all that the host has to say of it. */
export interface NotedRow extends ArgumentRow, Notes {
  isDestination: boolean;
}

/** What a card shows of one call. */
export interface CallRows {
  rows: NotedRow[];
  /** What belongs to no row. */
  loose: Notes;
}

const nothing = (): Notes => ({ marks: [], findings: [], looks: [] });

const parentOf = (at: string): string => at.slice(0, Math.max(0, at.lastIndexOf('/')));

/**
 * The arguments of a call as rows, where it goes first. What the host says of a place without a row of its own stands with the row that
 * it is in, or with the first row inside of it; `loose` is what belongs to none, so that nothing it says is lost.
 */
export function notedRows(
  json: string,
  {
    marks = [],
    findings = [],
    looks = [],
    destinations = [],
    effects,
  }: Pick<Approval, 'marks' | 'findings' | 'looks' | 'destinations' | 'effects'>,
): CallRows {
  const notes = [...marks, ...findings, ...looks];
  const goesTo = new Set(destinations);
  const apart = new Set([...notes.map(({ at }) => at), ...destinations]);
  // Of a tool that nobody reviewed every text counts as a destination: only what reads as an address is shown as one.
  const isReviewed = effects.source !== 'nobody';
  const rows = argumentRows(json, { apart, ...(isReviewed ? { first: goesTo } : {}) }).map((row) => ({
    ...row,
    ...nothing(),
    isDestination: goesTo.has(row.at) && (isReviewed || destinationOf(row.value) !== undefined),
  }));
  const byPlace = new Map<string, NotedRow>();
  const firstInside = new Map<string, NotedRow>();
  if (apart.size > 0)
    for (const row of rows) {
      byPlace.set(row.at, row);
      for (let at = parentOf(row.at); at !== '' && !firstInside.has(at); at = parentOf(at)) firstInside.set(at, row);
    }
  const loose = nothing();
  const placeOf = (at: string): Notes => {
    const own = byPlace.get(at) ?? firstInside.get(at);
    if (own !== undefined) return own;
    for (let above = parentOf(at); above !== ''; above = parentOf(above)) {
      const around = byPlace.get(above);
      if (around !== undefined) return around;
    }
    return loose;
  };
  for (const mark of marks) placeOf(mark.at).marks.push(mark);
  for (const finding of findings) placeOf(finding.at).findings.push(finding);
  for (const look of looks) placeOf(look.at).looks.push(look);
  return { rows, loose };
}

/** A mark of the row's own text; others are of a name, or of a value inside of it. */
export const isInText = (row: ArgumentRow, { at, from, to }: OriginMark): boolean => row.kind === 'string' && at === row.at && to > from;

const isPlain = ({ marks, findings, looks }: Notes): boolean => marks.length + findings.length + looks.length === 0;

/** The values that all calls of a card have alike, of which there is nothing to say: they are shown once. */
export function sharedRows(calls: readonly CallRows[]): NotedRow[] {
  const [first, ...others] = calls;
  if (first === undefined || others.length === 0) return [];
  const values = others.map(({ rows }) => new Map(rows.filter(isPlain).map(({ at, value }) => [at, value])));
  return first.rows.filter((row) => isPlain(row) && values.every((each) => each.get(row.at) === row.value));
}
