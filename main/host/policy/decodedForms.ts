import type { OriginMark } from '../../../preload/contract/policy.ts';

export type Encoding = OriginMark['encoding'];

export interface Form {
  encoding: Encoding;
  from: number;
  to: number;
}

/**
 * A text and what it says once encodings are undone: one form behind the other in one buffer, with {@link separator}s inside and
 * between, so that thousands of short ones cost nothing to make. With places, byte n stands for `starts[n]` up to `ends[n]` of the text.
 */
export interface Forms {
  bytes: Uint8Array<ArrayBuffer>;
  starts: Int32Array<ArrayBuffer> | undefined;
  ends: Int32Array<ArrayBuffer> | undefined;
  length: number;
  /** The first is the text itself. */
  list: Form[];
}

/** Stands in no text: UTF-8 has no such byte. */
export const separator = 0xff;

/** Shortest stretch of text that is kept of what was decoded, in bytes. */
export const shortestStretch = 16;
/** Base64 of that many bytes, without its padding. */
const shortestBase64 = 22;
const shortestHex = 32;
/** Two escapes of JSON that make one character. */
const longestEscape = 12;

const skip = 64;
const none = 65;
/** Of every byte: its six bits in base64 (both alphabets), `skip` for line breaks, which wrapped base64 holds, `none` for all else. */
const sixBits = new Uint8Array(256).fill(none);
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  sixBits[char.charCodeAt(0)] = value;
sixBits[0x2d] = 62;
sixBits[0x5f] = 63;
sixBits[10] = skip;
sixBits[13] = skip;

const noNibble = 16;
const nibbles = new Uint8Array(256).fill(noNibble);
for (const [value, char] of [...'0123456789abcdef'].entries()) {
  nibbles[char.charCodeAt(0)] = value;
  nibbles[char.toUpperCase().charCodeAt(0)] = value;
}

/** What a letter after a backslash stands for. */
const simpleEscapes = new Uint8Array(256);
for (const pair of ['n\n', 't\t', 'r\r', 'b\b', 'f\f', '""', '\\\\', '//', "''"]) simpleEscapes[pair.charCodeAt(0)] = pair.charCodeAt(1);

export const createForms = (capacity: number, withPlaces: boolean): Forms => ({
  bytes: new Uint8Array(capacity),
  starts: withPlaces ? new Int32Array(capacity) : undefined,
  ends: withPlaces ? new Int32Array(capacity) : undefined,
  length: 0,
  list: [],
});

/** Makes room for `more` bytes behind those that are there. */
export function reserve(forms: Forms, more: number): void {
  const wanted = forms.length + more;
  if (wanted <= forms.bytes.length) return;
  const grown = createForms(Math.max(wanted, forms.bytes.length * 2), forms.starts !== undefined);
  grown.bytes.set(forms.bytes.subarray(0, forms.length));
  if (forms.starts) grown.starts?.set(forms.starts.subarray(0, forms.length));
  if (forms.ends) grown.ends?.set(forms.ends.subarray(0, forms.length));
  forms.bytes = grown.bytes;
  forms.starts = grown.starts;
  forms.ends = grown.ends;
}

/**
 * Appends what the first form says in any usual encoding: base64 (standard or url-safe, padded or not, wrapped or not, beginning
 * anywhere), hex, percent escapes, escapes of JSON, and these inside each other, `depth` deep. Of what is decoded only text is kept,
 * around escapes as much of it as `reach` bytes. Stops behind `budget` bytes.
 */
export function appendDecoded(forms: Forms, { depth, budget, reach }: { depth: number; budget: number; reach: number }): void {
  const limit = forms.length + budget;
  for (let deep = 0, next = 0; deep < depth; deep += 1) {
    const end = forms.list.length;
    for (; next < end; next += 1) {
      const form = forms.list[next];
      if (form) decode(forms, form, reach);
      if (forms.length > limit) return;
    }
  }
}

/** Appends the forms of one form: each byte stands in at most four of base64, two of hex and one of each kind of escape. */
function decode(forms: Forms, { from, to }: Form, reach: number): void {
  decodeEscapes(forms, from, to, 'percent', reach);
  decodeEscapes(forms, from, to, 'json', reach);
  decodeRuns(forms, from, to);
}

function hexNumber(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const nibble = nibbles[bytes[index] ?? 0] ?? noNibble;
    if (nibble === noNibble) return -1;
    value = value * 16 + nibble;
  }
  return value;
}

/** Writes what an escape stands for. Returns the bytes it takes times eight plus the bytes that were written; 0 when it is none. */
function writeEscape(bytes: Uint8Array, at: number, out: Uint8Array, to: number): number {
  if (bytes[at] === 0x25) {
    const value = hexNumber(bytes, at + 1, 2);
    if (value < 0) return 0;
    out[to] = value;
    return 3 * 8 + 1;
  }
  const kind = bytes[at + 1] ?? 0;
  const simple = simpleEscapes[kind] ?? 0;
  if (simple !== 0) {
    out[to] = simple;
    return 2 * 8 + 1;
  }
  if (kind === 0x78) {
    const value = hexNumber(bytes, at + 2, 2);
    return value < 0 ? 0 : 4 * 8 + writeCharacter(value, out, to);
  }
  if (kind !== 0x75) return 0;
  const unit = hexNumber(bytes, at + 2, 4);
  if (unit < 0) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return 6 * 8 + writeCharacter(unit, out, to);
  const low = bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75 ? hexNumber(bytes, at + 8, 4) : -1;
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return 6 * 8 + writeCharacter(0xfffd, out, to);
  return 12 * 8 + writeCharacter(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), out, to);
}

/** As UTF-8; returns its bytes. A lone surrogate must not be given. */
export function writeCharacter(code: number, out: Uint8Array, to: number): number {
  if (code < 0x80) {
    out[to] = code;
    return 1;
  }
  if (code < 0x800) {
    out[to] = 0xc0 | (code >> 6);
    out[to + 1] = 0x80 | (code & 63);
    return 2;
  }
  if (code < 0x10000) {
    out[to] = 0xe0 | (code >> 12);
    out[to + 1] = 0x80 | ((code >> 6) & 63);
    out[to + 2] = 0x80 | (code & 63);
    return 3;
  }
  out[to] = 0xf0 | (code >> 18);
  out[to + 1] = 0x80 | ((code >> 12) & 63);
  out[to + 2] = 0x80 | ((code >> 6) & 63);
  out[to + 3] = 0x80 | (code & 63);
  return 4;
}

/** Stretches around escapes, with as much before and after as a match may take. Escapes that stand near each other make one. */
function decodeEscapes(forms: Forms, from: number, to: number, encoding: 'percent' | 'json', reach: number): void {
  const mark = encoding === 'percent' ? 0x25 : 0x5c;
  const source = forms.bytes.subarray(0, to);
  const { starts, ends } = forms;
  for (let at = source.indexOf(mark, from); at >= 0;) {
    const begin = Math.max(from, at - reach);
    let last = at;
    let next = at;
    while (next >= 0 && next - last <= 2 * reach) {
      // A backslash that is escaped itself begins no escape.
      last = next + (mark === 0x5c ? 2 : 1);
      next = source.indexOf(mark, last);
    }
    const end = Math.min(to, last + longestEscape + reach);
    // No escape stands for more bytes than it takes.
    reserve(forms, end - begin + 1);
    const out = forms.bytes;
    let length = forms.length;
    for (let read = begin; read < end;) {
      const escape = source[read] === mark ? writeEscape(source, read, out, length) : 0;
      const taken = escape >> 3 || 1;
      const written = escape & 7 || 1;
      if (escape === 0) out[length] = source[read] ?? 0;
      forms.starts?.fill(starts?.[read] ?? 0, length, length + written);
      forms.ends?.fill(ends?.[Math.min(read + taken, to) - 1] ?? 0, length, length + written);
      length += written;
      read += taken;
    }
    keepText(forms, length, encoding);
    at = next;
  }
}

/** Runs of letters of base64; hex is written with the same letters. */
function decodeRuns(forms: Forms, from: number, to: number): void {
  const { bytes } = forms;
  // A run of that length covers at least one of these places: most bytes of ordinary text are never looked at.
  for (let probe = from + shortestBase64 - 1; probe < to;) {
    if ((sixBits[bytes[probe] ?? 0] ?? none) === none) {
      probe += shortestBase64;
      continue;
    }
    let begin = probe;
    while (begin > from && (sixBits[bytes[begin - 1] ?? 0] ?? none) !== none) begin -= 1;
    let end = probe + 1;
    while (end < to && (sixBits[bytes[end] ?? 0] ?? none) !== none) end += 1;
    if (end - begin >= shortestBase64) {
      for (let shift = 0; shift < 4; shift += 1) decodeBase64(forms, begin, end, shift);
      decodeHexRuns(forms, begin, end);
    }
    probe = end + shortestBase64;
  }
}

/** Decodes from the letter number `shift` on. Zero bytes are left out: they stand between the letters of UTF-16. */
function decodeBase64(forms: Forms, from: number, to: number, shift: number): void {
  const { bytes: source, starts, ends } = forms;
  reserve(forms, Math.ceil((to - from) * 0.75) + 4);
  const out = forms.bytes;
  let { length } = forms;
  let letters = -shift;
  let bits = 0;
  let previous = from;
  for (let at = from; at < to; at += 1) {
    const value = sixBits[source[at] ?? 0] ?? none;
    if (value === skip) continue;
    if (letters >= 0) {
      bits = ((bits << 6) | value) & 0xffffff;
      const place = letters & 3;
      const byte = (bits >> (6 - 2 * place)) & 0xff;
      if (place > 0 && byte !== 0) {
        out[length] = byte;
        if (starts && ends && forms.starts && forms.ends) {
          forms.starts[length] = starts[previous] ?? 0;
          forms.ends[length] = ends[at] ?? 0;
        }
        length += 1;
      }
    }
    letters += 1;
    previous = at;
  }
  keepText(forms, length, 'base64');
}

function decodeHexRuns(forms: Forms, begin: number, end: number): void {
  const { bytes } = forms;
  for (let from = begin; from < end;) {
    let to = from;
    while (to < end && (nibbles[bytes[to] ?? 0] ?? noNibble) !== noNibble) to += 1;
    if (to - from >= shortestHex) for (let shift = 0; shift < 2; shift += 1) decodeHex(forms, from + shift, to);
    from = to + 1;
  }
}

function decodeHex(forms: Forms, from: number, to: number): void {
  const { bytes: source, starts, ends } = forms;
  reserve(forms, Math.ceil((to - from) / 2) + 2);
  let { length } = forms;
  for (let at = from; at + 1 < to; at += 2) {
    forms.bytes[length] = hexNumber(source, at, 2);
    if (starts && ends && forms.starts && forms.ends) {
      forms.starts[length] = starts[at] ?? 0;
      forms.ends[length] = ends[at + 1] ?? 0;
    }
    length += 1;
  }
  keepText(forms, length, 'hex');
}

const continues = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/** The bytes of the character of a text that begins here; 0 when none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return byte >= 0x20 || (byte >= 8 && byte <= 13) ? 1 : 0;
  if (byte < 0xc2 || byte > 0xf4 || !continues(bytes[at + 1])) return 0;
  if (byte < 0xe0) return 2;
  if (!continues(bytes[at + 2])) return 0;
  if (byte < 0xf0) return 3;
  return continues(bytes[at + 3]) ? 4 : 0;
}

/**
 * Of the bytes from `forms.length` up to `end`, keeps stretches of text with a separator behind each, as one more form. What was decoded from
 * the wrong letter on is noise and no text, so that nearly nothing is left of it.
 */
function keepText(forms: Forms, end: number, encoding: Encoding): void {
  const { bytes, starts, ends } = forms;
  const from = forms.length;
  bytes[end] = separator;
  let stretch = from;
  let kept = from;
  for (let at = from; at <= end;) {
    // A line end is one byte everywhere.
    if (bytes[at] === 13 && bytes[at + 1] === 10) at += 1;
    const length = characterLength(bytes, at);
    if (length === 0) {
      if (kept - stretch >= shortestStretch) {
        bytes[kept] = separator;
        kept += 1;
        stretch = kept;
      } else kept = stretch;
      at += 1;
    } else
      for (let left = length; left > 0; left -= 1) {
        if (kept !== at) {
          bytes[kept] = bytes[at] ?? 0;
          if (starts && ends) {
            starts[kept] = starts[at] ?? 0;
            ends[kept] = ends[at] ?? 0;
          }
        }
        kept += 1;
        at += 1;
      }
  }
  forms.length = stretch;
  if (stretch > from) forms.list.push({ encoding, from, to: stretch });
}
