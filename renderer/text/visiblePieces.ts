/** A stretch of text that shows as it is, or one character that would not show, or would show something false. */
export type Piece = { kind: 'text'; text: string } | { kind: 'hidden'; code: string };

/**
 * Characters without a look of their own: controls (but not tab and line ends), soft hyphen, zero-width and directional marks, fillers,
 * variation selectors, tag characters, unusual spaces and line separators, lone surrogates, private use.
 */
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\u2800\uffa0\ufff0-\ufffb\u{13430}-\u{13455}\u{1d159}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Cs}\p{Co}]/gu;

/**
 * Emoji of several characters. What joins them is no hiding place inside such a sequence, and is one anywhere else.
 * Of the sequences of tag characters only the three flags that exist are taken: a flag could carry any sentence.
 */
const emoji =
  /\p{RI}\p{RI}|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[0-9#*]\ufe0f\u20e3|(?![0-9#*])\p{Emoji}(?:\p{EMod}|\ufe0f)?(?:\u200d(?![0-9#*])\p{Emoji}(?:\p{EMod}|\ufe0f)?)*/gu;

/** A carriage return alone moves the text that follows over the text before it. */
const loneReturn = /\r(?!\n)/g;

const codeOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Cuts a text so that every character which a reader could not see stands alone with its code point, such as `U+200B`.
 * Nothing is lost: the pieces in order are the text.
 */
export function visiblePieces(text: string): Piece[] {
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text === '' ? [] : [{ kind: 'text', text }];
  const ranges = [...text.matchAll(emoji)].map((match) => [match.index, match.index + match[0].length] as const);
  let range = 0;
  const places: [number, string][] = [];
  for (const match of text.matchAll(hidden)) {
    while ((ranges[range]?.[1] ?? Infinity) <= match.index) range += 1;
    const around = ranges[range];
    if (around !== undefined && around[0] <= match.index) continue;
    places.push([match.index, match[0]]);
  }
  for (const match of text.matchAll(loneReturn)) places.push([match.index, match[0]]);
  places.sort((a, b) => a[0] - b[0]);
  const pieces: Piece[] = [];
  let from = 0;
  for (const [index, character] of places) {
    if (index > from) pieces.push({ kind: 'text', text: text.slice(from, index) });
    pieces.push({ kind: 'hidden', code: codeOf(character) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** How many characters of a text a reader could not see. */
export const hiddenCount = (text: string): number => visiblePieces(text).filter(({ kind }) => kind === 'hidden').length;
