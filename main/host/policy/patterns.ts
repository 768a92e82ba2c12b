import { parse } from 'tldts';
import type { ArgumentPattern } from '../../../preload/contract/policy.ts';
import type { CallFacts } from './callFacts.ts';
import { climbs } from './paths.ts';

interface Arguments {
  values: CallFacts['values'];
  paths: readonly Pick<CallFacts['paths'][number], 'at' | 'real'>[];
}

/** One value that a pointer leads to, by its own pointer. */
export interface Pointed {
  at: string;
  value: unknown;
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointer to a member of what `at` points to (RFC 6901). */
export const pointerTo = (at: string, step: string | number): string => `${at}/${escaped(String(step))}`;

const stepsOf = (pointer: string): string[] => pointer.split('/').slice(1);

/**
 * What a JSON Pointer (RFC 6901) leads to; a step `*` leads to every element of an array. Empty where it leads nowhere, or is no
 * pointer. Members that a value has not itself, such as `constructor`, are not there.
 */
export function pointedAt(values: unknown, pointer: string): Pointed[] {
  if (!pointer.startsWith('/')) return [];
  let found: Pointed[] = [{ at: '', value: values }];
  for (const step of stepsOf(pointer))
    found = found.flatMap(({ at, value }): Pointed[] => {
      if (Array.isArray(value)) {
        if (step === '*') return value.map((element: unknown, index) => ({ at: pointerTo(at, index), value: element }));
        return /^(0|[1-9]\d*)$/.test(step) && Number(step) < value.length ? [{ at: `${at}/${step}`, value: value[Number(step)] }] : [];
      }
      const name = unescaped(step);
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
      return [{ at: `${at}/${step}`, value: Reflect.get(value, name) }];
    });
  return found;
}

/** The texts, numbers, booleans and nulls in a value that stands at `at`, by their pointers. */
export function scalarsOf(at: string, value: unknown): Pointed[] {
  if (Array.isArray(value)) return value.flatMap((element: unknown, index) => scalarsOf(pointerTo(at, index), element));
  if (typeof value !== 'object' || value === null) return [{ at, value }];
  return Object.entries(value).flatMap(([name, member]) => scalarsOf(pointerTo(at, name), member));
}

/** Whether a pointer of a pattern leads to this value: the same, but for steps `*` of the pattern. */
export function leadsTo(pattern: string, at: string): boolean {
  const wanted = stepsOf(pattern);
  const steps = stepsOf(at);
  return wanted.length === steps.length && wanted.every((step, index) => step === '*' || step === steps[index]);
}

/** Whether a call fits a pattern, as a permission needs it: there is a value at the pointer, and every one fits. */
export function fits({ at, match }: ArgumentPattern, call: Arguments): boolean {
  const found = pointedAt(call.values, at);
  return found.length > 0 && found.every((pointed) => valueFits(match, pointed, call));
}

/** Whether one value fits. */
export function valueFits(match: ArgumentPattern['match'], { at, value }: Pointed, call: Arguments): boolean {
  // A path is what it leads to: the same words may lead elsewhere tomorrow.
  const path = call.paths.find((named) => named.at === at);
  switch (match.kind) {
    case 'exact':
      return (path === undefined ? value : path.real) === match.value;
    case 'prefix':
      if (typeof value !== 'string') return false;
      // What only begins there and then climbs lies elsewhere.
      return path === undefined ? value.startsWith(match.value) && !climbs(value) : path.real.startsWith(match.value);
    case 'glob':
      return path !== undefined && globFits(match.value, path.real);
    case 'host': {
      const host = typeof value === 'string' ? hostOf(value) : undefined;
      return host !== undefined && hostFits(match.value, host);
    }
    case 'range':
      return typeof value === 'number' && value >= (match.min ?? -Infinity) && value <= (match.max ?? Infinity);
  }
}

/** Systems on which names that differ in case only name the same file. */
const caseBlindHere = process.platform === 'win32' || process.platform === 'darwin';

const folded = (path: string, caseBlind: boolean): string => {
  const slashed = /^([A-Za-z]:|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
  return caseBlind ? slashed.normalize('NFC').toLowerCase() : slashed;
};

/** A glob that fits one path and nothing else. */
export const literalGlob = (path: string): string => path.replaceAll(/[*?[]/g, '[$&]');

type Token = { kind: 'name' | 'star' | 'deep' } | { kind: 'literal'; character: string };

/** `[x]` is the character x; an open `[` stands for itself. */
function tokensOf(glob: string): Token[] {
  const tokens: Token[] = [];
  for (const [whole, literal] of glob.matchAll(/\*\*+|\*|\?|\[(.)\]|[^]/gu)) {
    if (whole.startsWith('**')) tokens.push({ kind: 'deep' });
    else if (whole === '*') tokens.push({ kind: 'star' });
    else if (whole === '?') tokens.push({ kind: 'name' });
    else tokens.push({ kind: 'literal', character: literal ?? whole });
  }
  return tokens;
}

/**
 * Whether a normalised path fits a glob: `*` and `?` within a name, `**` across folders; `folder/**` takes the folder itself too. The time is
 * at most in proportion to both lengths multiplied. Never for '', the path that could not be normalised.
 * @param caseBlind as the files of this system are
 */
export function globFits(glob: string, path: string, caseBlind: boolean = caseBlindHere): boolean {
  const text = folded(path, caseBlind);
  const pattern = folded(glob, caseBlind);
  if (text === '') return false;
  if (pattern.endsWith('/**') && globFits(pattern.slice(0, -3), text, false)) return true;
  const tokens = tokensOf(pattern);
  // The places in the glob that what was read so far may have come to.
  let places = reachable(new Set([0]), tokens);
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (token.kind === 'deep' || (token.kind === 'star' && character !== '/')) next.add(place);
      else if (token.kind === 'literal' ? token.character === character : token.kind === 'name' && character !== '/') next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = reachable(next, tokens);
  }
  return places.has(tokens.length);
}

/** With the places that follow without a character: a star may stand for nothing. */
function reachable(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const place of places) {
    const kind = tokens[place]?.kind;
    if (kind === 'star' || kind === 'deep') places.add(place + 1);
  }
  return places;
}

/** The folder that a glob stays in: its part without any wildcard, up to the last slash. */
function folderOf(glob: string): string {
  const slashed = folded(glob, false);
  const wild = tokensOf(slashed).findIndex(({ kind }) => kind !== 'literal');
  const literal = tokensOf(slashed)
    .slice(0, wild === -1 ? undefined : wild)
    .map((token) => (token.kind === 'literal' ? token.character : ''))
    .join('');
  return literal.slice(0, literal.lastIndexOf('/'));
}

const webAddress = /^(?:https?|wss?):\/\/([^/?#]+)/i;
/** A name or address without scheme, as arguments that ask for a host hold it. */
const bareHost = /^([^/?#:]+\.[^/?#:]+|localhost)(:\d{1,5})?(?=[/?#]|$)/i;

/** Longer than a name with its port can be: the expression tries every dot. */
const longestBareHost = 300;

function bareHostOf(text: string): string | undefined {
  const found = bareHost.exec(text.slice(0, longestBareHost))?.[0];
  return found !== undefined && found.length < longestBareHost ? found : undefined;
}

/**
 * The host that a URL leads to, with the port where it is not the usual one: in lower case, Punycode, without a final dot. Undefined where
 * programs could disagree about it: user names in it, backslashes, controls, percent signs or white space before the path, other schemes.
 */
export function hostOf(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (/[\\\u0000-\u001f\u007f]/.test(text)) return undefined;
  const authority = webAddress.exec(text)?.[1] ?? bareHostOf(text);
  if (authority === undefined || /[@%\s]/.test(authority)) return undefined;
  const url = URL.parse(webAddress.test(text) ? text : `https://${text}`);
  if (url === null) return undefined;
  const name = url.hostname.replace(/\.$/, '');
  return name === '' || name.startsWith('.') || name.includes('..') ? undefined : `${name}${url.port === '' ? '' : `:${url.port}`}`;
}

/** `*.example.com` takes every name below example.com, not the name itself. */
export function hostFits(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return hostOf(pattern) === host;
  const above = hostOf(pattern.slice(2));
  return above !== undefined && host.endsWith(`.${above}`);
}

/** Whether a pattern says to whom something goes, so that nobody else can be meant by other arguments. */
export function bindsDestination({ match }: ArgumentPattern): boolean {
  switch (match.kind) {
    case 'exact':
      return typeof match.value === 'number' || (typeof match.value === 'string' && match.value !== '');
    case 'host':
      // Below `*.co.uk` or `*.github.io` everybody may have a name.
      if (match.value.startsWith('*.')) return parse(match.value.slice(2), { allowPrivateDomains: true }).domain !== null;
      return hostOf(match.value) !== undefined;
    case 'prefix':
      // Without the slash after the host, `https://example.com` would take `https://example.com.evil.net`.
      return /^https?:\/\/[^/?#]+\//i.test(match.value) && hostOf(match.value) !== undefined;
    case 'glob':
    case 'range':
      return false;
  }
}

/** Whether a pattern keeps a path in one place: a file, or a folder that is not the whole disk. */
export function bindsPath({ match }: ArgumentPattern): boolean {
  if (match.kind === 'exact') return typeof match.value === 'string' && match.value !== '';
  return match.kind === 'glob' && /^([A-Za-z]:)?\/[^/]/.test(folderOf(match.value));
}

/** Whether everything that fits `narrow` fits `wide`. May say no where that is true, never yes where it is not. */
export function isNarrower(narrow: ArgumentPattern, wide: ArgumentPattern): boolean {
  if (narrow.at !== wide.at) return false;
  const inner = narrow.match;
  const outer = wide.match;
  switch (outer.kind) {
    case 'exact':
      return inner.kind === 'exact' && inner.value === outer.value;
    case 'prefix':
      return (inner.kind === 'exact' || inner.kind === 'prefix') && typeof inner.value === 'string' && inner.value.startsWith(outer.value);
    case 'glob':
      if (inner.kind === 'exact') return typeof inner.value === 'string' && globFits(outer.value, inner.value);
      if (inner.kind !== 'glob') return false;
      if (inner.value === outer.value) return true;
      return outer.value.endsWith('/**') && globFits(outer.value, folderOf(inner.value));
    case 'host':
      if (inner.kind === 'host') return inner.value === outer.value || hostFits(outer.value, inner.value);
      if (inner.kind !== 'exact' && !(inner.kind === 'prefix' && bindsDestination(narrow))) return false;
      return typeof inner.value === 'string' && hostFits(outer.value, hostOf(inner.value) ?? '');
    case 'range':
      if (inner.kind === 'exact')
        return typeof inner.value === 'number' && inner.value >= (outer.min ?? -Infinity) && inner.value <= (outer.max ?? Infinity);
      return (
        inner.kind === 'range' && (inner.min ?? -Infinity) >= (outer.min ?? -Infinity) && (inner.max ?? Infinity) <= (outer.max ?? Infinity)
      );
  }
}
