import { posix, win32 } from 'node:path';
import type { ArgumentPattern } from '../../../preload/contract/policy.ts';
import type { CallFacts } from './callFacts.ts';
import { globFits, hostFits, pointedAt, scalarsOf, valueFits } from './patterns.ts';
import { percentDecoded } from './paths.ts';

type Arguments = Pick<CallFacts, 'values' | 'paths' | 'mayBePaths'>;

/** Longer texts are not looked through for names of hosts: the denial hits them. */
const longestLookedThrough = 100_000;
/** In UTF-16 units: longer ones are no numbers to anybody. */
const longestNumber = 400;

/**
 * Whether a pattern hits a call, as a denial needs it: one of the values fits, by what it leads to or as it was written, and so does one within
 * a list or an object at that place. In doubt it does: where nobody knows that an argument is a path or an address, it is taken for one; capitals
 * and blanks around a text make no other one of it, nor does a number that is written as a text.
 */
export function hits({ at, match }: ArgumentPattern, { values, paths, mayBePaths = [] }: Arguments): boolean {
  const known = { values, paths: [...paths, ...mayBePaths] };
  return pointedAt(values, at)
    .flatMap((pointed) => scalarsOf(pointed.at, pointed.value))
    .some((pointed) => valueFits(match, pointed, known) || writtenHits(match, pointed.value));
}

/** Without what programs pass over: blanks around, capitals, forms of the same letter. In capitals, where `ß` is `SS`. */
const folded = (text: string): string => text.normalize('NFKC').trim().toUpperCase();

function writtenHits(match: ArgumentPattern['match'], value: unknown): boolean {
  switch (match.kind) {
    case 'exact':
      return numberIn(value) === match.value || folded(String(value)) === folded(String(match.value));
    case 'range': {
      const number = numberIn(value);
      return number >= (match.min ?? -Infinity) && number <= (match.max ?? Infinity);
    }
    case 'prefix':
      return typeof value === 'string' && formsOf(value).some((form) => form.startsWith(folded(match.value)));
    case 'glob':
      return typeof value === 'string' && [value, percentDecoded(value)].some((text) => globFits(match.value, asPath(text)));
    case 'host':
      return (
        typeof value === 'string' && (value.length > longestLookedThrough || hostsIn(value).some((host) => hostFits(match.value, host)))
      );
  }
}

/** Of a text that most programs take for a number: `1e3`, ` 5 `, `1,000`. NaN for all else. */
function numberIn(value: unknown): number {
  if (typeof value !== 'string' || value.length > longestNumber) return Number.NaN;
  const text = value.replaceAll(/(?<=\d)[,_](?=\d)/g, '').trim();
  return text === '' ? Number.NaN : Number(text);
}

/** A text, the address that a parser makes of it, and the path. */
function formsOf(value: string): string[] {
  const url = URL.parse(value);
  const address = url === null ? value : `${url.protocol}//${url.host}${url.pathname}${url.search}`;
  return [value, address, asPath(percentDecoded(value))].map(folded);
}

function asPath(text: string): string {
  const path = /^file:/i.test(text) ? (URL.parse(text)?.pathname ?? text) : text;
  return /^[A-Za-z]:/.test(path) ? win32.normalize(path) : posix.normalize(path);
}

/** Every host that a text can be read to name: that of the address, else each word of it. */
function hostsIn(value: string): string[] {
  const text = value.normalize('NFKC');
  const host = URL.parse(text)?.hostname;
  const words = host ? [host] : text.split(/[\s/\\@:<>,;"'()[\]?#&=|]/).map((word) => URL.parse(`http://${word}`)?.hostname);
  return words.flatMap((word) => (word ? [word.replace(/\.$/, '')] : []));
}
