import { pointerTo } from '../policy/patterns.ts';

/** Most characters of new values that the model is given back. */
const longest = 40_000;

type Change = { at: string; now: unknown } | { at: string; removed: true };

/** Every place where two JSON values differ, by its JSON Pointer (RFC 6901), with what stands there now. */
function changesBetween(before: unknown, after: unknown, at = ''): Change[] {
  if (Object.is(before, after)) return [];
  const bothLists = Array.isArray(before) && Array.isArray(after);
  const bothObjects = isObject(before) && isObject(after);
  if (!bothLists && !bothObjects) return [{ at, now: after }];
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  const removed = [...old.keys()].filter((name) => !now.has(name)).map((name): Change => ({ at: pointerTo(at, name), removed: true }));
  const changed = [...now].flatMap(([name, value]): Change[] =>
    old.has(name) ? changesBetween(old.get(name), value, pointerTo(at, name)) : [{ at: pointerTo(at, name), now: value }],
  );
  return [...changed, ...removed];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the model is told of a call whose arguments the person changed before he allowed it: each change, by its place. `proposed` and
 * `sent` are JSON texts.
 */
export function editNote(proposed: string, sent: string): string {
  const lines = changesBetween(JSON.parse(proposed), JSON.parse(sent)).map((change) => {
    const place = change.at === '' ? 'the arguments' : change.at;
    return 'removed' in change ? `${place} was removed` : `${place} is now ${JSON.stringify(change.now)}`;
  });
  const told = lines.join('\n');
  const shown = told.length <= longest ? told : `${told.slice(0, longest).toWellFormed()}…`;
  return `[The user changed the arguments that you had asked for before allowing this call:\n${shown}]`;
}
