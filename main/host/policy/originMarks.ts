import {
  appendDecoded,
  createForms,
  type Encoding,
  type Forms,
  reserve,
  separator,
  shortestStretch,
  writeCharacter,
} from './decodedForms.ts';

/** A string of the arguments. `at` is its JSON Pointer. `isName`: the name of a member, which is marked as a whole, with from = to = 0. */
export interface ArgumentText {
  at: string;
  text: string;
  isName?: boolean;
}

/** Something that the chat has read before, as {@link readEarlier} gives it: it may be kept for the next time. */
export interface EarlierText<Source> {
  source: Source;
  forms: Forms;
}

/** A stretch of one argument and where it comes from. `from` and `to` are UTF-16 offsets in the string at `at`. */
export interface FoundOrigin<Source> {
  at: string;
  from: number;
  to: number;
  encoding: Encoding;
  source: Source;
}

/** Arguments are decoded this often over: base64 inside percent escapes inside JSON. */
const argumentDepth = 3;
const earlierDepth = 2;
/** Around an escape as much is decoded as one match may take, written in base64. */
const reachOfMatch = 2 * shortestStretch;
/** Bytes of decoded forms, as a multiple of what is decoded: more than encodings inside each other yield, unless somebody wants them to. */
const maxGrowth = 12;
/** The same sixteen bytes are looked up in this many earlier texts; what stands in more is named after the first of them. */
const maxTextsOfGram = 32;

/**
 * Which bytes count as the same: letters in either case, and all white space, for text is wrapped anew where it is copied. `+` is white
 * space too, as forms of web pages write it.
 */
const folded = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 32;
  return byte === 9 || byte === 10 || byte === 13 || byte === 0x2b ? 0x20 : byte;
});

/** Nobody who writes a result can foresee which stretches fall together in the tables. */
const [seed0 = 1, seedA = 1, seedB = 1, seedC = 1, seedD = 1] = crypto.getRandomValues(new Int32Array(5)).map((seed) => seed | 1);

function hash2(a: number, b: number): number {
  let hash = Math.imul(a ^ seed0, seedA);
  hash = Math.imul(hash ^ (hash >>> 15) ^ b, seedB);
  return hash ^ (hash >>> 15);
}

function hash3(a: number, b: number, c: number): number {
  const hash = Math.imul(hash2(a, b) ^ c, seedC);
  return hash ^ (hash >>> 16);
}

function hash4(a: number, b: number, c: number, d: number): number {
  const hash = Math.imul(hash3(a, b, c) ^ d, seedD);
  return hash ^ (hash >>> 15);
}

interface Run {
  from: number;
  to: number;
  encoding: Encoding;
}

interface FoundRun<Source> extends Run {
  source: Source;
}

/**
 * Marks the stretches of arguments of at least sixteen bytes that stand in an earlier text, byte for byte but for case and white space, or
 * through base64, hex, percent escapes or escapes of JSON on either side, several of them over each other. Strings are searched as one
 * text, in their order, so that what was cut into the elements of a list is found. Where stretches overlap, the longest wins, the first
 * text of equal ones. Pure. Time and space are linear in the length of arguments and earlier texts, whatever stands in them.
 */
export function originMarks<Source>(strings: readonly ArgumentText[], earlier: Iterable<EarlierText<Source>>): FoundOrigin<Source>[] {
  const forms = argumentForms(strings, reachOfMatch);
  fold(forms);
  const index = indexOf(forms);
  const found: FoundRun<Source>[] = [];
  let number = 0;
  for (const { source, forms: read } of earlier) {
    number += 1;
    scan(index, read, number);
    for (const run of runsOf(index)) found.push({ ...run, source });
  }
  const length = strings.reduce((sum, { text }) => sum + text.length, 0);
  return byString(longestFirst(found, length), strings);
}

/**
 * The strings as one text in all its forms, with UTF-16 offsets in all of them together. A line end is one byte. Around escapes `reach`
 * bytes are decoded.
 */
export function argumentForms(strings: readonly ArgumentText[], reach: number): Forms {
  const length = strings.reduce((sum, { text }) => sum + text.length, 0);
  const forms = createForms(length * 4 + strings.length + 4096, true);
  let offset = 0;
  let names = false;
  for (const { text, isName = false } of strings) {
    // No value goes on in a name.
    if (isName !== names) {
      forms.bytes[forms.length] = separator;
      forms.length += 1;
    }
    names = isName;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.codePointAt(at) ?? 0;
      if (code === 13 && text.charCodeAt(at + 1) === 10) continue;
      const start = offset + at;
      if (code > 0xffff) at += 1;
      const end = offset + at + 1;
      const written = writeCharacter(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code, forms.bytes, forms.length);
      for (let left = written; left > 0; left -= 1) {
        if (forms.starts) forms.starts[forms.length] = start;
        if (forms.ends) forms.ends[forms.length] = end;
        forms.length += 1;
      }
    }
    offset += text.length;
  }
  finish(forms, argumentDepth, reach);
  return forms;
}

const utf8 = new TextEncoder();
/** Used again and again: what is kept is a copy of the right length. */
const scratch = createForms(65_536, false);

/** An earlier text in all its forms, ready to be searched. */
export function readEarlier(text: string): Forms {
  const unix = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  scratch.length = 0;
  scratch.list = [];
  reserve(scratch, unix.length * 3 + 1);
  scratch.length = utf8.encodeInto(unix, scratch.bytes).written;
  finish(scratch, earlierDepth, reachOfMatch);
  fold(scratch);
  const { bytes, length, list } = scratch;
  // The scan reads words of four bytes.
  const kept = new Uint8Array((length + 3) & ~3);
  kept.set(bytes.subarray(0, length));
  return { bytes: kept, starts: undefined, ends: undefined, length, list };
}

function finish(forms: Forms, depth: number, reach: number): void {
  forms.list.push({ encoding: 'plain', from: 0, to: forms.length });
  const budget = forms.length * maxGrowth + 4096;
  forms.bytes[forms.length] = separator;
  forms.length += 1;
  appendDecoded(forms, { depth, budget, reach });
}

/** Four bytes at a time; those with white space to be folded, which are few, one at a time. */
function fold({ bytes, length }: Forms): void {
  const words = new Int32Array(bytes.buffer, 0, bytes.length >> 2);
  const whole = length >> 2;
  for (let at = 0; at < whole; at += 1) {
    const word = words[at] ?? 0;
    const plus = word ^ 0x2b2b2b2b;
    if ((((word - 0x20202020) & ~word) | ((plus - 0x01010101) & ~plus)) & 0x80808080)
      for (let byte = at * 4; byte < at * 4 + 4; byte += 1) bytes[byte] = folded[bytes[byte] ?? 0] ?? 0;
    else {
      const letters = word & 0x7f7f7f7f;
      const capitals = (letters + 0x3f3f3f3f) & ~(letters + 0x25252525) & ~word & 0x80808080;
      words[at] = word | (capitals >>> 2);
    }
  }
  for (let byte = whole * 4; byte < length; byte += 1) bytes[byte] = folded[bytes[byte] ?? 0] ?? 0;
}

/**
 * Every stretch of sixteen bytes of the arguments (a gram), each once. Any sixteen bytes of an earlier text hold eight that begin at a
 * multiple of eight there, and the four before these or the four behind them: only where both are known is a gram looked up, so that most
 * of a text is passed over in steps of eight.
 */
interface GramIndex {
  forms: Forms;
  /** A bit for the hash of every eight bytes, and of every twelve. */
  eights: Int32Array;
  twelves: Int32Array;
  /** Open addressing: the gram's number + 1. */
  table: Int32Array;
  /** By the gram's number: its sixteen bytes as four words. */
  words: Int32Array;
  /** By the gram's number, its first place; by place, the next place of the same gram, and the gram that begins there. -1: none. */
  first: Int32Array;
  next: Int32Array;
  gramAt: Int32Array;
  /** By the gram's number: the earlier text that it was last seen in, how many that were, and how it stood there, as an index into {@link encodings}. */
  seenIn: Int32Array;
  seen: Uint8Array;
  encoding: Uint8Array;
  /** Grams that stand in the earlier text that is being searched, in the order of that text. */
  hits: number[];
  /** Room for the places of the hits. */
  places: Int32Array;
}

const encodings: readonly Encoding[] = ['plain', 'base64', 'percent', 'json', 'hex'];

function setBit(bits: Int32Array, hash: number): void {
  const bit = hash & (bits.length * 32 - 1);
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

function hasBit(bits: Int32Array, hash: number): boolean {
  const bit = hash & (bits.length * 32 - 1);
  return ((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
}

/** Room for an index, used again for the next call: to get and clear so much anew takes longer than to fill it. */
let room = new Int32Array(0);
/** Words that are kept for the next call. */
const mostRoom = 8 * 1024 * 1024;

function indexOf(forms: Forms): GramIndex {
  const { bytes, length } = forms;
  const size = 2 ** Math.max(10, Math.ceil(Math.log2(length * 2 + 1)));
  const needed = size + 2 * (size >> 2) + 11 * length;
  const whole = room.length >= needed ? room : new Int32Array(needed);
  room = needed <= mostRoom ? whole : new Int32Array(0);
  let used = 0;
  const take = (count: number, clear?: number): Int32Array => {
    const taken = whole.subarray(used, used + count);
    used += count;
    return clear === undefined ? taken : taken.fill(clear);
  };
  const index: GramIndex = {
    forms,
    eights: take(size >> 2, 0),
    twelves: take(size >> 2, 0),
    table: take(size, 0),
    words: take(length * 4),
    first: take(length),
    next: take(length, -1),
    gramAt: take(length, -1),
    seenIn: take(length, 0),
    places: take(length),
    seen: new Uint8Array(length),
    encoding: new Uint8Array(length),
    hits: [],
  };
  const last = take(length);
  const { eights, twelves, table, words, first, next, gramAt } = index;
  let grams = 0;
  // The sixteen bytes that end with the one that is read. `clean` counts those since the last separator.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let clean = 0;
  for (let end = 0; end < length; end += 1) {
    const byte = bytes[end] ?? 0;
    a = (a >>> 8) | (b << 24);
    b = (b >>> 8) | (c << 24);
    c = (c >>> 8) | (d << 24);
    d = (d >>> 8) | (byte << 24);
    clean = byte === separator ? 0 : clean + 1;
    if (clean >= 8) setBit(eights, hash2(c, d));
    if (clean >= 12) setBit(twelves, hash3(b, c, d));
    if (clean < shortestStretch) continue;
    const at = end - shortestStretch + 1;
    let slot = hash4(a, b, c, d) & (size - 1);
    let gram = (table[slot] ?? 0) - 1;
    while (gram >= 0 && !isGram(words, gram, a, b, c, d)) {
      slot = (slot + 1) & (size - 1);
      gram = (table[slot] ?? 0) - 1;
    }
    if (gram < 0) {
      gram = grams;
      grams += 1;
      table[slot] = grams;
      words[gram * 4] = a;
      words[gram * 4 + 1] = b;
      words[gram * 4 + 2] = c;
      words[gram * 4 + 3] = d;
      first[gram] = at;
    } else next[last[gram] ?? 0] = at;
    last[gram] = at;
    gramAt[at] = gram;
  }
  return index;
}

const isGram = (words: Int32Array, gram: number, a: number, b: number, c: number, d: number): boolean =>
  words[gram * 4] === a && words[gram * 4 + 1] === b && words[gram * 4 + 2] === c && words[gram * 4 + 3] === d;

/** Notes which grams stand in the forms of an earlier text. */
function scan(index: GramIndex, { bytes, length, list }: Forms, number: number): void {
  const { eights, twelves } = index;
  const words = new Int32Array(bytes.buffer, 0, bytes.length >> 2);
  index.hits = [];
  let form = 0;
  /** Grams that begin before this place were looked up. */
  let done = 0;
  for (let at = 0; at + 8 <= length; at += 8) {
    const low = words[at >> 2] ?? 0;
    const high = words[(at >> 2) + 1] ?? 0;
    if (!hasBit(eights, hash2(low, high))) continue;
    while ((list[form + 1]?.from ?? Infinity) <= at) form += 1;
    const encoding = encodings.indexOf(list[form]?.encoding ?? 'plain');
    const before = at >= 4 && hasBit(twelves, hash3(words[(at >> 2) - 1] ?? 0, low, high));
    const behind = at + 12 <= length && hasBit(twelves, hash3(low, high, words[(at >> 2) + 2] ?? 0));
    const from = Math.max(done, before ? at - 8 : at - 3);
    const to = Math.min(behind ? at : at - 4, length - shortestStretch);
    if (from > to) continue;
    lookUp(index, bytes, from, to, encoding, number);
    done = to + 1;
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

/** Notes those of the grams that begin at `from` up to and with `to` which stand in the arguments. */
function lookUp(index: GramIndex, bytes: Uint8Array, from: number, to: number, encoding: number, number: number): void {
  const { table, words, first, gramAt } = index;
  const mask = table.length - 1;
  let a = wordAt(bytes, from);
  let b = wordAt(bytes, from + 4);
  let c = wordAt(bytes, from + 8);
  let d = wordAt(bytes, from + 12);
  let gram = -1;
  for (let at = from; ; at += 1) {
    // What goes on as in the arguments differs by its last byte at most.
    gram = gram < 0 ? -1 : (gramAt[(first[gram] ?? 0) + 1] ?? -1);
    if (gram < 0 || words[gram * 4 + 3] !== d) {
      let slot = hash4(a, b, c, d) & mask;
      gram = (table[slot] ?? 0) - 1;
      while (gram >= 0 && !isGram(words, gram, a, b, c, d)) {
        slot = (slot + 1) & mask;
        gram = (table[slot] ?? 0) - 1;
      }
    }
    if (gram >= 0) note(index, gram, encoding, number);
    if (at === to) return;
    a = (a >>> 8) | (b << 24);
    b = (b >>> 8) | (c << 24);
    c = (c >>> 8) | (d << 24);
    d = (d >>> 8) | ((bytes[at + shortestStretch] ?? 0) << 24);
  }
}

function note(index: GramIndex, gram: number, encoding: number, number: number): void {
  // The text itself is read before what it says decoded: as it stands is what is told.
  if (index.seenIn[gram] === number) return;
  const seen = index.seen[gram] ?? 0;
  if (seen >= maxTextsOfGram) return;
  index.seen[gram] = seen + 1;
  index.seenIn[gram] = number;
  index.encoding[gram] = encoding;
  index.hits.push(gram);
}

/** The stretches of the arguments that the grams found in one earlier text cover. */
function runsOf({ forms, hits, first, next, gramAt, encoding, places }: GramIndex): Run[] {
  let count = 0;
  for (const gram of hits)
    for (let at = first[gram] ?? -1; at >= 0; at = next[at] ?? -1) {
      places[count] = at;
      count += 1;
    }
  const runs: Run[] = [];
  let form = 0;
  let run: Run | undefined;
  for (const at of places.subarray(0, count).sort()) {
    const from = forms.starts?.[at] ?? 0;
    const to = forms.ends?.[at + shortestStretch - 1] ?? 0;
    if (at >= (forms.list[form + 1]?.from ?? Infinity)) run = undefined;
    while ((forms.list[form + 1]?.from ?? Infinity) <= at) form += 1;
    const own = forms.list[form]?.encoding ?? 'plain';
    const how = own === 'plain' ? (encodings[encoding[gramAt[at] ?? 0] ?? 0] ?? 'plain') : own;
    if (run && from <= run.to) {
      run.to = Math.max(run.to, to);
      if (run.encoding === 'plain') run.encoding = how;
    } else {
      run = { from, to, encoding: how };
      runs.push(run);
    }
  }
  return merged(runs);
}

/** One stretch may be found in several forms: as it stands, and around each escape. Overlapping and adjacent ones become one. */
function merged(runs: Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs.sort(
    (a, b) => a.from - b.from || b.to - a.to || Number(b.encoding === 'plain') - Number(a.encoding === 'plain'),
  )) {
    const previous = result.at(-1);
    if (!previous || run.from > previous.to) result.push(run);
    else if (run.to > previous.to) {
      // Neither is whole without the other: it is told by what had to be decoded of it.
      if (run.from === previous.from || previous.encoding === 'plain') previous.encoding = run.encoding;
      previous.to = run.to;
    }
  }
  return result;
}

/** Stretches without overlap, in order: each place belongs to the longest run over it. */
function longestFirst<Source>(runs: FoundRun<Source>[], length: number): FoundRun<Source>[] {
  const owners = new Int32Array(length).fill(-1);
  const byLength = runs.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  for (const [number, { from, to }] of byLength.entries())
    for (let at = from; at < to; at += 1) if ((owners[at] ?? 0) < 0) owners[at] = number;
  const result: FoundRun<Source>[] = [];
  for (let at = 0; at < length;) {
    const owner = owners[at] ?? -1;
    let to = at + 1;
    while (to < length && owners[to] === owner) to += 1;
    const run = byLength[owner];
    if (run) result.push({ ...run, from: at, to });
    at = to;
  }
  return result;
}

/** From offsets in all strings together to offsets in each. */
function byString<Source>(runs: FoundRun<Source>[], strings: readonly ArgumentText[]): FoundOrigin<Source>[] {
  const marks: FoundOrigin<Source>[] = [];
  let begin = 0;
  let number = 0;
  for (const { at, text, isName } of strings) {
    const end = begin + text.length;
    const before = marks.length;
    for (let run = runs[number]; run && run.from < end; run = runs[number]) {
      const { encoding, source } = run;
      if (run.to > begin) {
        if (isName !== true)
          marks.push({ at, from: Math.max(run.from, begin) - begin, to: Math.min(run.to, end) - begin, encoding, source });
        else if (marks.length === before) marks.push({ at, from: 0, to: 0, encoding, source });
      }
      if (run.to > end) break;
      number += 1;
    }
    begin = end;
  }
  return marks;
}
