import type { ArgumentPattern, Scope } from '../../../preload/contract/policy.ts';
import type { CallFacts, CallKind } from './callFacts.ts';
import { bindsDestination, bindsPath, fits, hostOf, leadsTo, literalGlob, pointedAt } from './patterns.ts';

/** What a permission must say of a call's arguments, so that it cannot be used for anything else (DESIGN §3). */

/** Most patterns of one permission, as the contract has it. */
const maxPatterns = 16;
const longestExact = 4096;

/** Words for a search, which no program takes for an address: the server has fixed whom it asks. */
const isWords = (value: unknown): boolean => typeof value === 'string' && /^\s*[^\s./:@\\%]+\s+\S/.test(value);

/** Paths that a permission of this kind must bind. A read may roam in the folders picked; what changes or sends may not. */
const pathsToBind = (call: CallFacts, kind: CallKind): CallFacts['paths'] =>
  kind === 'knownRead' || kind === 'fixedRead' ? call.paths.filter(({ insidePicked }) => !insidePicked) : call.paths;

/** Of these arguments, those that a permission must bind: where something is looked up for a turn or a chat, words may be others. */
function needBinding(pointers: readonly string[], call: CallFacts, kind: CallKind, scope: Scope): readonly string[] {
  if (kind !== 'choosingRead' || (scope !== 'turn' && scope !== 'chat')) return pointers;
  return pointers.filter((at) => !isWords(pointedAt(call.values, at)[0]?.value));
}

/** Whether patterns that fit a call say enough of it for a permission of this kind and scope. */
export function bindsAll(patterns: readonly ArgumentPattern[], call: CallFacts, kind: CallKind, scope: Scope): boolean {
  // No "always" without an argument pattern exists for what changes; of what sends out, the destinations below are the pattern.
  if (kind === 'otherChange' && (scope === 'until' || scope === 'always') && patterns.length === 0) return false;
  // Of a tool that nobody reviewed every text and number among the arguments counts as a destination: without any, nothing can be told to anybody.
  if (kind === 'send' && call.destinations.length === 0) return false;
  return (
    pathsToBind(call, kind).every(({ at }) => patterns.some((pattern) => leadsTo(pattern.at, at) && bindsPath(pattern))) &&
    needBinding(call.destinations, call, kind, scope).every((at) =>
      patterns.some((pattern) => leadsTo(pattern.at, at) && bindsDestination(pattern)),
    ) &&
    // Whoever writes a permission himself may say that one of these varies, within a range or behind a beginning; he has to name it.
    needBinding(call.keptExact, call, kind, scope).every((at) => patterns.some((pattern) => leadsTo(pattern.at, at)))
  );
}

/** The patterns of the permission that a card offers for this call; undefined where none could be made that binds all it must. */
export function bindingPatterns(call: CallFacts, kind: CallKind, scope: Scope): ArgumentPattern[] | undefined {
  const patterns: ArgumentPattern[] = [];
  for (const { at, real, folder } of pathsToBind(call, kind)) {
    // Of a path that leads nowhere known this is the whole disk, which binds nothing. Changes go on beside the file that was shown; a path outside stands for itself, and for what is in it where it is a folder.
    const wide = kind === 'pickedChange' && real !== folder ? parentOf(real) : real;
    patterns.push({ at, match: { kind: 'glob', value: `${literalGlob(wide)}/**` } });
  }
  const keptExact = new Set(call.keptExact);
  // A path among them is bound by where it leads, above: of two patterns for one place the first is kept.
  for (const at of needBinding([...new Set([...call.destinations, ...keptExact])], call, kind, scope)) {
    const value = pointedAt(call.values, at)[0]?.value;
    if (!isScalar(value) || String(value).length > longestExact || (kind === 'choosingRead' && isWords(value))) return undefined;
    const host = typeof value === 'string' && !keptExact.has(at) ? hostOf(value) : undefined;
    patterns.push({ at, match: host === undefined ? { kind: 'exact', value } : { kind: 'host', value: host } });
  }
  const merged = mergeElements(patterns, call);
  return merged.length <= maxPatterns && bindsAll(merged, call, kind, scope) ? merged : undefined;
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The folder around a path. A picked folder is never a whole disk, so neither is this. */
const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));

/** Elements of one list become one pattern for all of them, where the first one's takes the others too. */
function mergeElements(patterns: readonly ArgumentPattern[], call: CallFacts): ArgumentPattern[] {
  const lists = Map.groupBy(patterns, ({ at }) => at.replace(/\/\d+(?=\/|$)/g, '/*'));
  return [...lists].flatMap(([at, members]) =>
    members.slice(0, 1).flatMap(({ match }) => (fits({ at, match }, call) ? [{ at, match }] : members)),
  );
}
