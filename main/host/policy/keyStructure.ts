/**
 * Private keys by what their bytes say, whatever lines and armour they have or lack. Sizes of the large numbers of RSA keys from 1,024 to
 * 8,192 bits and of their primes, in bytes, with and without the zero before a high bit.
 */
const sizes = [96, 97, 128, 129, 192, 193, 256, 257, 384, 385, 512, 513];
const largestSize = 513;
const isSize = new Uint8Array(largestSize + 1);
for (const size of sizes) isSize[size] = 1;

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Identifiers of what a key is for, as PKCS #8 names it (RFC 5958): RSA, RSASSA-PSS, DSA, DH, EC, X25519, X448, Ed25519, Ed448. */
const algorithms = [
  ...['06 09 2a 86 48 86 f7 0d 01 01 01', '06 09 2a 86 48 86 f7 0d 01 01 0a', '06 07 2a 86 48 ce 38 04 01'],
  ...['06 09 2a 86 48 86 f7 0d 01 03 01', '06 07 2a 86 48 ce 3d 02 01'],
  ...['06 03 2b 65 6e', '06 03 2b 65 6f', '06 03 2b 65 70', '06 03 2b 65 71'],
].map(bytesOf);
/** A key under a password (PBES2, RFC 8018), which stands at its beginning. */
const encrypted = bytesOf('06 09 2a 86 48 86 f7 0d 01 05 0d');
const openSsh = Buffer.from('openssh-key-v1\0', 'latin1');

/** Below this many letters of base64 no key can be told from other bytes. */
const shortestRun = 40;
/** Shorter lines are no lines of a key, but the last of it. */
const shortestLine = 16;

const letters = new Uint8Array(128);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-') letters[letter.charCodeAt(0)] = 1;
const dash = 0x2d;

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Five dashes are armour.
  return code < 128 && letters[code] === 1 && (code !== dash || !text.startsWith('-----', at));
}

/** The first place from `at` on, of the next `most`, where none of these characters stands. */
function past(text: string, at: number, characters: string, most: number): number {
  let end = at;
  while (end < at + most && end < text.length && characters.includes(text.charAt(end))) end += 1;
  return end;
}

function pastLetters(text: string, at: number): number {
  let end = at;
  while (end < text.length && isLetter(text, end)) end += 1;
  return end;
}

/** Where a run of base64 ends that begins here. It goes on over lines which hold nothing else but what closes a text behind them. */
function endOfRun(text: string, from: number): number {
  let begin = from;
  let end = pastLetters(text, begin);
  while (end - begin >= shortestLine) {
    const stop = past(text, end, ' \t', 20);
    const next = text.startsWith('\r\n', stop) ? stop + 2 : text[stop] === '\n' ? stop + 1 : undefined;
    if (next === undefined) break;
    begin = past(text, next, ' \t', 20);
    const line = pastLetters(text, begin);
    const padded = past(text, line, '=', 2);
    const closed = past(text, padded, ' \t"\'`,;)]}<', 20);
    if (line === begin || (closed < text.length && text[closed] !== '\r' && text[closed] !== '\n')) break;
    end = line;
    if (padded > line) break;
  }
  return past(text, end, '=', 2);
}

/**
 * Stretches of base64, in both alphabets and in lines of any width, that hold a private key or a piece of one which says so: its beginning
 * (PKCS #8, PKCS #1, SEC 1, OpenSSH), or a place where two of its numbers meet. A piece out of the middle of one number looks like any other
 * bytes, and is not found here. Of a stretch longer than `longest` UTF-16 units, which no key is, as much around the place. In time linear to the text.
 */
export function keysInBase64(text: string, longest: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  // A run of that length covers one of these places: most of an ordinary text is never looked at.
  for (let probe = shortestLine - 1, next = 0; probe < text.length; probe = Math.max(probe + 1, next) + shortestLine - 1) {
    if (!isLetter(text, probe)) continue;
    let from = probe;
    while (from > next && isLetter(text, from - 1)) from -= 1;
    next = endOfRun(text, from);
    if (next - from < shortestRun) continue;
    const run = text.slice(from, next);
    const base64 = run.replaceAll(/[\s=]/g, '');
    if (base64.length < shortestRun) continue;
    const place = placeOfKey(base64);
    if (place === undefined) continue;
    // Line ends are few: what stands at this share of the letters stands at about this share of the run.
    const middle = from + Math.floor((place / base64.length) * run.length);
    const begin = Math.max(from, middle - (longest >> 1));
    found.push(run.length <= longest ? { from, to: from + run.length } : { from: begin, to: Math.min(from + run.length, begin + longest) });
  }
  return found;
}

/** The letter at which a key shows itself: a piece may begin with any of the four letters that make three bytes. */
function placeOfKey(base64: string): number | undefined {
  for (let shift = 0; shift < 4; shift += 1) {
    const at = privateKeyAt(Buffer.from(base64.slice(shift), 'base64'));
    if (at !== undefined) return shift + Math.floor((at * 4) / 3);
  }
  return undefined;
}

/** Where bytes show that they are those of a private key. */
export function privateKeyAt(bytes: Buffer): number | undefined {
  const ssh = bytes.indexOf(openSsh);
  if (ssh >= 0) return ssh;
  const password = bytes.subarray(0, 32).indexOf(encrypted);
  if (password > 0 && bytes[0] === 0x30) return password;
  for (let at = 0; at + 4 < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 2 && (namesAlgorithm(bytes, at) || beginsNumbers(bytes, at) || derNumbersMeet(bytes, at))) return at;
    // There are files of nothing but zeros.
    const isLength = byte === 0 && bytes[at + 1] === 0 && (bytes[at + 2] !== 0 || bytes[at + 3] !== 0);
    if (isLength && sshNumbersMeet(bytes, at)) return at;
  }
  return undefined;
}

/** A key of PKCS #8: version 0 or 1, and a list that begins with what the key is for. */
function namesAlgorithm(bytes: Buffer, at: number): boolean {
  if (bytes[at + 1] !== 1 || (bytes[at + 2] ?? 2) > 1 || bytes[at + 3] !== 0x30) return false;
  const length = bytes[at + 4] ?? 0;
  const name = at + (length < 0x80 ? 5 : length === 0x81 ? 6 : 7);
  return algorithms.some((algorithm) => bytes.subarray(name, name + algorithm.length).equals(algorithm));
}

/** A key of PKCS #1 or of DSA (version 0 and a large number), or of SEC 1 (version 1, the number itself and what curve it is for). */
function beginsNumbers(bytes: Buffer, at: number): boolean {
  if (bytes[at + 1] !== 1) return false;
  const isList =
    bytes[at - 2] === 0x30 || (bytes[at - 3] === 0x30 && bytes[at - 2] === 0x81) || (bytes[at - 4] === 0x30 && bytes[at - 3] === 0x82);
  if (!isList) return false;
  if (bytes[at + 2] === 0) return numberAt(bytes, at + 3) !== undefined;
  const length = bytes[at + 4] ?? 0;
  const after = bytes[at + 5 + length];
  return (
    bytes[at + 2] === 1 &&
    bytes[at + 3] === 4 &&
    [28, 32, 48, 66].includes(length) &&
    (after === undefined || after === 0xa0 || after === 0xa1)
  );
}

/** Whether here one number of a key ends and the next begins, in DER. */
function derNumbersMeet(bytes: Buffer, at: number): boolean {
  // The usual exponent, 65537, is followed by another number in private keys alone.
  if (bytes[at + 1] === 3)
    return bytes[at + 2] === 1 && bytes[at + 3] === 0 && bytes[at + 4] === 1 && numberAt(bytes, at + 5) !== undefined;
  const first = numberAt(bytes, at);
  const second = first && numberAt(bytes, first.end);
  return first !== undefined && second !== undefined && Math.abs(first.size - second.size) <= 1;
}

/** The same as SSH writes them, or the two halves of a key of Ed25519. */
function sshNumbersMeet(bytes: Buffer, at: number): boolean {
  const first = sshNumberAt(bytes, at);
  if (first === undefined) return isEd25519(bytes, at);
  const second = sshNumberAt(bytes, first.end);
  if (second === undefined) return false;
  // Below 192 bytes two equal ones stand in public keys of DSA too.
  return (
    (first.size >= 192 && Math.abs(first.size - second.size) <= 1) || (first.size >= 256 && Math.abs(first.size - 2 * second.size) <= 2)
  );
}

interface Numeral {
  size: number;
  end: number;
}

/** A large positive number of DER (X.690 §8.3): as long as one of a key, and written in no more bytes than it needs. */
function numberAt(bytes: Buffer, at: number): Numeral | undefined {
  if (bytes[at] !== 2) return undefined;
  const isLong = bytes[at + 1] === 0x82;
  if (!isLong && bytes[at + 1] !== 0x81) return undefined;
  const size = isLong ? bytes.readUInt16BE(Math.min(at + 2, bytes.length - 2)) : (bytes[at + 2] ?? 0);
  return numeral(bytes, at + (isLong ? 4 : 3), size);
}

/** The same as SSH writes it (RFC 4251 §5, `mpint`). */
function sshNumberAt(bytes: Buffer, at: number): Numeral | undefined {
  if (bytes[at] !== 0 || bytes[at + 1] !== 0 || at + 4 > bytes.length) return undefined;
  return numeral(bytes, at + 4, bytes.readUInt16BE(at + 2));
}

function numeral(bytes: Buffer, from: number, size: number): Numeral | undefined {
  const first = bytes[from];
  const second = bytes[from + 1];
  if (isSize[size] !== 1 || first === undefined || second === undefined) return undefined;
  const isPositive = size % 2 === 1 ? first === 0 && second >= 0x80 : first > 0 && first < 0x80;
  return isPositive ? { size, end: from + size } : undefined;
}

/** The public half of 32 bytes, and the private one of 64 that ends with it (OpenSSH's PROTOCOL.key). */
function isEd25519(bytes: Buffer, at: number): boolean {
  if (at + 104 > bytes.length || bytes.readUInt32BE(at) !== 32 || bytes.readUInt32BE(at + 36) !== 64) return false;
  return bytes.subarray(at + 4, at + 36).equals(bytes.subarray(at + 72, at + 104));
}
