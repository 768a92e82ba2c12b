import type { Provider } from '../../../preload/contract/models.ts';

/** A model that a sampling request may go to. */
export interface Candidate {
  ref: string;
  name: string;
  providerId: string;
  providerName: string;
  kind: 'builtin' | 'local' | 'cloud';
  images: boolean;
}

/** What a server wishes (MCP `ModelPreferences`). Priorities are 0 to 1. */
export interface Preferences {
  hints: readonly string[];
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/** `reason` is a sentence of the host; a hint in it is quoted and cut. */
export interface Chosen {
  model: Candidate;
  reason: string;
}

interface Merits {
  cost: number;
  speed: number;
  intelligence: number;
}

/** Makers name their models by size, and no list says what they cost: the words of the names, smallest first, and what they stand for. */
const sizes: readonly { words: RegExp; merits: Merits }[] = [
  { words: /(^|[^a-z0-9])(nano|lite|tiny|micro|[1-9]b|e[1-9]b)([^a-z0-9]|$)/i, merits: { cost: 1, speed: 1, intelligence: 0.2 } },
  { words: /(^|[^a-z])(haiku|mini|flash|small|air|turbo|fast|instant)([^a-z]|$)/i, merits: { cost: 0.9, speed: 0.9, intelligence: 0.45 } },
  {
    words: /(^|[^a-z])(opus|pro|ultra|large|max|o[1-9]|thinking|reasoner|r1)([^a-z]|$)/i,
    merits: { cost: 0.2, speed: 0.3, intelligence: 1 },
  },
];
const usual: Merits = { cost: 0.5, speed: 0.5, intelligence: 0.75 };

function meritsOf({ name, ref, kind }: Candidate): Merits {
  if (kind === 'builtin') return { cost: 1, speed: 1, intelligence: 0 };
  const merits = sizes.find(({ words }) => words.test(name) || words.test(ref))?.merits ?? usual;
  return kind === 'local' ? { ...merits, cost: 1 } : merits;
}

const quoted = (hint: string): string => `“${hint.slice(0, 60)}${hint.length > 60 ? '…' : ''}”`;

/**
 * Which model answers a server (2025-11-25 and 2026-07-28, "Sampling", model preferences): the first hint, in the server's order,
 * that is part of a model's name wins; else its priorities decide among all; else the model of the chat. Pure. Undefined when there
 * is no candidate. A request with an image goes to a model that sees, where there is one.
 * @param usualRef the model of the chat, or the person's usual one
 */
export function chooseModel(
  preferences: Preferences,
  candidates: readonly Candidate[],
  usualRef: string | undefined,
  hasImage: boolean,
): Chosen | undefined {
  const real = candidates.filter(({ kind, ref }) => kind !== 'builtin' || ref === usualRef);
  const all = real.length > 0 ? real : candidates;
  const seeing = hasImage ? all.filter(({ images }) => images) : all;
  const pool = seeing.length > 0 ? seeing : all;
  const sight = hasImage && seeing.length > 0 && seeing.length < all.length ? ' It sees images, which this request holds.' : '';

  const weights: Merits = {
    cost: preferences.costPriority ?? 0,
    speed: preferences.speedPriority ?? 0,
    intelligence: preferences.intelligencePriority ?? 0,
  };
  const hasPriorities = weights.cost > 0 || weights.speed > 0 || weights.intelligence > 0;
  const score = (candidate: Candidate): number => {
    const merits = meritsOf(candidate);
    return weights.cost * merits.cost + weights.speed * merits.speed + weights.intelligence * merits.intelligence;
  };
  /** The best by the priorities; among equals the usual one, then the first. */
  const best = (among: readonly Candidate[]): Candidate | undefined =>
    among.reduce<Candidate | undefined>((found, each) => {
      if (found === undefined) return each;
      const more = score(each) - score(found);
      return more > 0 || (more === 0 && each.ref === usualRef) ? each : found;
    }, undefined);

  for (const hint of preferences.hints) {
    const part = hint.trim().toLowerCase();
    if (part === '') continue;
    const model = best(pool.filter(({ ref, name }) => ref.toLowerCase().includes(part) || name.toLowerCase().includes(part)));
    if (model) return { model, reason: `The server asked for a model like ${quoted(hint.trim())}.${sight}` };
  }

  const named = preferences.hints
    .filter((hint) => hint.trim() !== '')
    .slice(0, 3)
    .map(quoted);
  const missed = named.length === 0 ? '' : `The server asked for ${named.join(', ')}, which you do not have. `;
  const mine = pool.find(({ ref }) => ref === usualRef);
  if (!hasPriorities && mine) return { model: mine, reason: `${missed}It is the model of this chat.${sight}` };
  const model = best(pool);
  if (!model) return undefined;
  const why = hasPriorities ? `It fits best what the server puts first: ${wordsOf(weights)}.` : 'It is the first that can be used.';
  return { model, reason: `${missed}${why}${sight}` };
}

function wordsOf(weights: Merits): string {
  const words = { cost: 'a low price', speed: 'speed', intelligence: 'quality' } as const;
  const most = Math.max(weights.cost, weights.speed, weights.intelligence);
  return (['intelligence', 'cost', 'speed'] as const)
    .filter((merit) => weights[merit] === most)
    .map((merit) => words[merit])
    .join(' and ');
}

/** The models of all providers that can be asked now. Where a list does not say it, the models of a cloud see images. */
export const candidatesOf = (providers: readonly Provider[]): Candidate[] =>
  providers
    .filter(({ key }) => key !== 'missing')
    .flatMap(({ id, name, kind, models }) =>
      models.map((model) => ({
        ref: model.ref,
        name: model.name,
        providerId: id,
        providerName: name,
        kind,
        images: model.images ?? kind === 'cloud',
      })),
    );
