import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { Approval } from '../../../preload/contract/policy.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import { isLongValue } from '../../text/argumentRows.ts';
import { EndMark } from './EndMark.tsx';
import { type CallRows, type NotedRow, notedRows, sharedRows } from './notedRows.ts';
import { useShown } from './useShown.ts';
import { useWholeArguments } from './useWholeArguments.ts';

/** Arguments that the person wrote, as JSON text, by the call that they are for. */
export type Edits = ReadonlyMap<ApprovalId, string>;

export interface CardArguments {
  /** What each call would send, in the order of the calls; null until all of it was read. */
  texts: readonly string[] | null;
  failure: Failure | undefined;
  retry(): void;
  /** What each call would send as rows, with what the host says of them. */
  noted: readonly CallRows[];
  /** What all of them have alike. */
  shared: readonly NotedRow[];
  /** All of it has been in view. */
  seen: boolean;
  /** Stands behind the last character of a long value. */
  endOf(approval: Approval, at: string): ReactNode;
  /** Stands behind the last character of the raw text. */
  rawEnd: ReactNode;
  /** Stands behind everything. */
  end: ReactNode;
}

const endName = ({ id }: Approval, at: string): string => `${id} ${at}`;

/** What the host said was of the model's words, not of the person's. */
const withoutNotes = (approval: Approval): Approval => ({ ...approval, marks: [], findings: [], looks: [] });

/** What the calls of a card would send, whole, and whether all of it has been in view, as rows or (`raw`) as JSON. */
export function useCardArguments(approvals: readonly Approval[], edits: Edits, raw: boolean): CardArguments {
  const { texts: asked, failure, retry } = useWholeArguments(approvals);
  const texts = useMemo(
    () => (asked === null ? null : approvals.map(({ id }, index) => edits.get(id) ?? asked[index] ?? '')),
    [asked, approvals, edits],
  );
  const noted = useMemo(
    () =>
      texts === null ? [] : approvals.map((each, index) => notedRows(texts[index] ?? '', edits.has(each.id) ? withoutNotes(each) : each)),
    [texts, approvals, edits],
  );
  const shared = useMemo(() => sharedRows(noted), [noted]);
  const needed = useMemo(() => {
    if (raw) return ['raw', 'end'];
    const sharedPlaces = new Set(shared.map(({ at }) => at));
    const long = approvals.flatMap((approval, index) =>
      (noted[index]?.rows ?? [])
        // What all have alike stands with the first.
        .filter(({ at, value }) => isLongValue(value) && (index === 0 || !sharedPlaces.has(at)))
        .map(({ at }) => endName(approval, at)),
    );
    return ['end', ...long];
  }, [approvals, noted, shared, raw]);
  const key = approvals.map(({ id }) => id).join(' ');
  const { allShown, mark } = useShown(`${key} ${raw}`, needed);
  // Seen whole as rows or as JSON is seen: turning to the other view takes nothing back, nor do words that the person wrote himself.
  const [seenOf, setSeenOf] = useState('');
  useEffect(() => {
    if (allShown) setSeenOf(key);
  }, [allShown, key]);
  const endOf = useCallback((approval: Approval, at: string) => <EndMark onShown={mark(endName(approval, at))} />, [mark]);
  const end = useMemo(() => <EndMark onShown={mark('end')} />, [mark]);
  const rawEnd = useMemo(() => <EndMark onShown={mark('raw')} />, [mark]);
  return { texts, failure, retry: () => void retry(), noted, shared, seen: seenOf === key, endOf, rawEnd, end };
}
