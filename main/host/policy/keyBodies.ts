/**
 * Widths of the lines between the armour of private keys: 64 as OpenSSL, GnuPG and PuTTY write them (RFC 7468), 70 as OpenSSH does. Mail and
 * the `base64` program wrap at 76, addresses and programs not at all.
 */
const widths: ReadonlySet<number> = new Set([64, 70]);
/** As many whole lines as are left of the shortest usual key (Ed25519 of OpenSSH) without its first and its last. */
const fewestLines = 3;
const longestIndent = 20;
/** Where a line is listed: its number, and quotation marks. */
const listed = /^([ \t]{0,20}(?:\d{1,6}(?:[ \t]{1,4}|[ \t]{0,4}[:|.)→][ \t]{0,4}))?["']?)([A-Za-z0-9+/]{1,70}={0,2})["']?,?[ \t\r]*$/;
const longestListed = longestIndent + 20 + 72;

/** Files that are often written in base64 as a whole, by their first bytes: PNG, JPEG, GIF, RIFF, PDF, ZIP, gzip, fonts, Ogg, and MP3. */
const beginningOfFile = /^(iVBORw|\/9j\/|R0lGOD|UklGR|JVBERi|UEsDB|H4sI|d09G|T2dn|SUQz)/;
/** A certificate or a signature: DER (X.690) that does not go on with the number 0, as private keys do (RFC 5208, 8017). */
const otherDer = /^MII.{3}(?!IBA)/;
const beginsOther = /^-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE KEY)/;
const endsOther = /^-----END (?![A-Z0-9 ]{0,40}PRIVATE KEY)/;

interface Line {
  from: number;
  to: number;
  text: string;
}

/**
 * Stretches of a text that look like the middle of a private key without its armour: at least three lines of base64 of exactly the width that
 * programs give to keys, numbered or in quotation marks or not, of bytes that look random, and not more than `longest` UTF-16 units of them, which no key is. Not the bodies of certificates and other
 * armour, nor files that begin there. Pieces of other things that were wrapped so cannot be told apart. In time linear to the text.
 */
export function keyBodies(written: string, longest: number): { from: number; to: number }[] {
  // The elements of a list in JSON count as lines. Of the same length, so that places stay what they are.
  const text = written.includes('",') ? written.replaceAll(/(?<="),(?=\s?")/g, '\n') : written;
  const found: { from: number; to: number }[] = [];
  let block: Line[] = [];
  let before = '';
  const end = (after: string): void => {
    const run = longestRun(block);
    const [first] = block;
    const [begin, last] = [run[0], run.at(-1)];
    if (first && begin && last && last.to - begin.from <= longest && !isKnown(first.text, before, after) && looksRandom(run))
      found.push({ from: begin.from, to: last.to });
    block = [];
  };
  for (let at = 0; at <= text.length;) {
    const next = text.indexOf('\n', at);
    const stop = next < 0 ? text.length : next;
    const line = stop - at <= longestListed ? listed.exec(text.slice(at, stop)) : null;
    const [, indent = '', body] = line ?? [];
    if (body !== undefined) block.push({ from: at + indent.length, to: at + indent.length + body.length, text: body });
    else {
      const other = text.slice(at, Math.min(stop, at + 200)).trim();
      if (block.length > 0) end(other);
      // Between armour and body there may be lines of their own, and an empty one.
      if (!/^([A-Za-z-]+: .*)?$/.test(other)) before = other;
    }
    at = stop + 1;
  }
  end('');
  return found;
}

/** The longest stretch of lines of one of the widths. */
function longestRun(block: readonly Line[]): Line[] {
  let [from, to] = [0, 0];
  let begin = 0;
  for (const [index, { text }] of block.entries()) {
    if (!widths.has(text.length) || !isMixed(text)) begin = index + 1;
    else if (block[begin]?.text.length !== text.length) begin = index;
    if (index + 1 - begin > to - from) [from, to] = [begin, index + 1];
  }
  return to - from < fewestLines ? [] : block.slice(from, to);
}

/** Digests, and names in one case, have the width of a key, too. */
const isMixed = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);

const isKnown = (first: string, before: string, after: string): boolean =>
  beginningOfFile.test(first) || otherDer.test(first) || beginsOther.test(before) || endsOther.test(after);

/** Whether the bytes are neither a text in English nor one in Chinese. */
function looksRandom(run: readonly Line[]): boolean {
  const text = run.map((line) => line.text).join('');
  if (!/[+/]/.test(text)) return false;
  const bytes = Buffer.from(text, 'base64');
  const high = bytes.reduce((count, byte) => count + (byte >> 7), 0) / bytes.length;
  return high > 0.15 && high < 0.85;
}
