import canonicalize from 'canonicalize';
import type { AgreedDefinition } from '../store/definitions.ts';
import type { OfferedDefinition } from './offeredDefinitions.ts';

/** Of more than these nobody is told that they were renamed: they stand as removed and as new. */
const mostCompared = 200;
const mostWords = 400;

/**
 * Which of the added definitions look like removed ones under another name: the same but for the name, or nearly the same words
 * with the same arguments. Each removed one counts once, for what is likest to it. What this says is shown and decides nothing.
 */
export function renamesAmong<Removed extends AgreedDefinition>(
  removed: readonly Removed[],
  added: readonly OfferedDefinition[],
): Map<OfferedDefinition, Removed> {
  const gone = removed.slice(0, mostCompared).map(faceOf);
  const pairs = added
    .slice(0, mostCompared)
    .map(faceOf)
    .flatMap((now) => gone.map((before) => ({ now, before, likeness: likenessOf(before, now) })))
    .filter(({ likeness }) => likeness >= 0.7)
    .sort((a, b) => b.likeness - a.likeness);
  const renames = new Map<OfferedDefinition, Removed>();
  const used = new Set<Removed>();
  for (const { now, before } of pairs) {
    if (renames.has(now.definition) || used.has(before.definition)) continue;
    renames.set(now.definition, before.definition);
    used.add(before.definition);
  }
  return renames;
}

interface Face<Definition> {
  definition: Definition;
  kind: string;
  /** The definition without what a rename changes. */
  rest: string;
  words: ReadonlySet<string>;
  schema: string;
  hasArguments: boolean;
}

function faceOf<Definition extends Omit<AgreedDefinition, 'isOff'>>(definition: Definition): Face<Definition> {
  const { name: _name, title: _title, uriTemplate: _uriTemplate, ...rest } = definition.value;
  const { description, inputSchema, arguments: asked } = definition.value;
  const schema = canonicalize(inputSchema ?? asked ?? null) ?? '';
  const words = typeof description === 'string' ? (description.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? []) : [];
  return {
    definition,
    kind: definition.kind,
    rest: canonicalize(rest) ?? '',
    words: new Set(words.slice(0, mostWords)),
    schema,
    hasArguments: /"properties":\{"/.test(schema) || (Array.isArray(asked) && asked.length > 0),
  };
}

/** From 0 to 1. */
function likenessOf(before: Face<unknown>, now: Face<unknown>): number {
  if (before.kind !== now.kind) return 0;
  if (before.rest === now.rest && (now.words.size > 0 || now.hasArguments)) return 1;
  const shared = [...now.words].filter((word) => before.words.has(word)).length;
  const all = new Set([...now.words, ...before.words]).size;
  const words = all === 0 ? 0 : shared / all;
  // Many tools take no arguments: that they have none in common says nothing.
  return before.schema === now.schema && now.hasArguments ? 0.55 + 0.45 * words : words;
}
