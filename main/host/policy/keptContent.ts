import type { ToolProfile } from '../servers/toolProfile.ts';
import type { Db } from '../store/database.ts';
import { addKeptLabels, hasKeptLabels, keptLabels, keptLabelsUnder, removeKeptLabels } from '../store/keptLabels.ts';
import type { LabelPair } from './labels.ts';
import { pointedAt } from './patterns.ts';

/** Names beyond these, or longer ones, are not told apart: what is kept under them counts for the whole store. */
const maxNames = 1000;
const maxName = 1000;

/** The names that the arguments give; undefined where the call concerns everything kept. */
function namesIn({ keptUnder }: ToolProfile, values: Readonly<Record<string, unknown>>): string[] | undefined {
  if (!keptUnder) return undefined;
  const names = keptUnder.flatMap((pointer) => pointedAt(values, pointer).map(({ value }) => value));
  const usable = names.every((name): name is string => typeof name === 'string' && name !== '' && name.length <= maxName);
  return usable && names.length > 0 && names.length <= maxNames ? [...new Set(names)] : undefined;
}

/**
 * To be called before a call goes out to a server that keeps things, in the transaction that lets it go: what it stores carries the
 * labels of everything that the chat has read, in whichever chat it is read again.
 */
export function noteKept(
  db: Db,
  store: string,
  profile: ToolProfile | undefined,
  values: Readonly<Record<string, unknown>>,
  labels: LabelPair,
): void {
  if (profile?.remembers !== 'stores') return;
  for (const name of namesIn(profile, values) ?? ['']) addKeptLabels(db, store, name, labels);
}

/** Labels of what the call returns of things that were stored earlier. Undefined for a tool that returns nothing of the kind. */
export function labelsOfKept(
  db: Db,
  store: string,
  profile: ToolProfile | undefined,
  values: Readonly<Record<string, unknown>>,
): LabelPair | undefined {
  if (profile?.remembers !== 'returns') return undefined;
  const names = namesIn(profile, values);
  return names ? keptLabelsUnder(db, store, names) : keptLabels(db, store);
}

/**
 * To be called when the host starts, before anything of the store is read. What stands in it and was never labelled is unlabelled
 * content, so it counts as untrusted and private; an empty one begins anew.
 */
export function openStore(db: Db, store: string, isEmpty: boolean): void {
  if (isEmpty) removeKeptLabels(db, store);
  if (!hasKeptLabels(db, store)) addKeptLabels(db, store, '', { untrusted: !isEmpty, private: !isEmpty });
}
