/**
 * A stretch of markdown that is read by itself. A block that grows long (a paragraph, list or table without end) is several pieces, of which all
 * but the first go on with the block before them.
 */
export interface Piece {
  kind: 'code' | 'paragraph' | 'list' | 'table' | 'other';
  text: string;
  /** Lines that have to stand before `text` for it to be read as what it is: of a table that goes on, the head. */
  head: string;
  /** What stood between this piece and the one that it goes on from: a line break, a blank or nothing. Null for the first piece of a block. */
  goesOnAfter: string | null;
  /** Definitions, from anywhere in the text, of the links that this piece names. */
  definitions: string;
}

const fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const indented = /^\s/;
const item = /^(?:[-*+]|\d{1,9}[.)])\s/;
/** An item that ends a paragraph on whose last line it follows. */
const interrupting = /^(?:[-*+]|1[.)])\s+\S/;
const rule = /^(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const heading = /^#{1,6}(?:\s|$)/;
const quotation = /^>/;
const html = /^<[a-z!/?]/i;
/** What stands before the text of items that begin on one line. */
const marksOfItems = /^(?:(?:[-*+]|\d{1,9}[.)])\s+)+/;
const definition = /^ {0,3}\[([^\]]+)\]:\s/;
/** The name of a link that is defined elsewhere, in brackets; an address behind it makes it a link of its own. */
const linkName = /\[([^[\]]+)\](?!\()/g;
const delimiterRow = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** A piece that is longer than this, in characters, ends at the next good place. So much is read again with every word that is added. */
const longPiece = 1500;
/** A table whose head is longer than this stays one piece: every piece of it would bring the head along. */
const longestHead = 500;

const cellsOf = (row: string): number =>
  (row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .match(/(?<!\\)\|/g)?.length ?? 0) + 1;

/** What kind of list an item stands in. Another mark begins another list. */
const markOf = (line: string): string => /[-*+.)]/.exec(line)?.[0] ?? '';

/** Whether nothing of what stands inside a line, such as emphasis, code or a link, is still open at the end of a stretch of a paragraph. */
function nothingOpen(stretch: string): boolean {
  const prose = stretch
    .replace(/\\[^\w\s]/g, '')
    .replace(/(?<!`)(`+)(?!`)[^]*?[^`]\1(?!`)/g, '')
    // Between blanks these are no marks.
    .replace(/(?<!\S)[*_~]+(?!\S)/g, '');
  const count = (mark: RegExp) => prose.match(mark)?.length ?? 0;
  return (
    !prose.includes('`') &&
    count(/\*/g) % 2 === 0 &&
    count(/(?<!\w)_|_(?!\w)/g) % 2 === 0 &&
    count(/~~/g) % 2 === 0 &&
    count(/\[/g) === count(/\]/g) &&
    count(/\(/g) === count(/\)/g)
  );
}

/** Where prose may be cut: before a letter, which begins nothing but prose, behind a blank or a Chinese stop. */
const goodPlace = /(?<=[^\\ ] |[，。、；：？！])(?=\p{L})/gu;
const anyPlace = /(?=[\p{L}\p{N}\p{S}])/gu;

/**
 * Where a paragraph of very long lines is cut, by places in it. What stands behind a place has no part in its choice, so that a text in the making
 * is cut where the whole text is. Marks that never close, and text without a blank, are cut all the same, a little later.
 */
function placesIn(paragraph: string): number[] {
  const places: number[] = [];
  const search = (place: RegExp, from: number, to: number, allowed: (at: number) => boolean): number | null => {
    place.lastIndex = from;
    for (let found = place.exec(paragraph); found !== null && found.index <= to; found = place.exec(paragraph)) {
      if (allowed(found.index)) return found.index;
      place.lastIndex = found.index + 1;
    }
    return null;
  };
  for (let from = 0; paragraph.length > from + 4 * longPiece;) {
    const [begin, limit] = [from, from + longPiece];
    const at =
      search(goodPlace, limit, limit + longPiece, (place) => nothingOpen(paragraph.slice(begin, place))) ??
      search(goodPlace, limit + longPiece, limit + 2 * longPiece, () => true) ??
      search(anyPlace, limit + 2 * longPiece, paragraph.length, () => true);
    if (at === null) break;
    places.push(at);
    from = at;
  }
  return places;
}

/** A paragraph of very long lines as several pieces; anything else as it is. */
function inPieces(piece: Found): Found[] {
  const places = piece.kind === 'paragraph' ? placesIn(piece.text) : [];
  return [0, ...places].map((from, index) => ({
    ...piece,
    text: piece.text.slice(from, places[index]).trimEnd(),
    goesOnAfter: index === 0 ? piece.goesOnAfter : /\s/.test(piece.text.charAt(from - 1)) ? ' ' : '',
  }));
}

type Found = Omit<Piece, 'definitions'>;

/** What is known of the block that is open at some place of a text. */
interface Open {
  kind: Piece['kind'] | 'quotation' | 'line';
  first: string;
  head: string;
  goesOnAfter: string | null;
}

/** What was cut off the front of a text, where the rest begins, and in which block. */
interface Cut {
  pieces: Found[];
  /** Definitions of links in these pieces. */
  definitions: string[];
  end: number;
  open: Open | null;
}

function opening(line: string, outermostFence: boolean): Open {
  const block = (kind: Open['kind']): Open => ({ kind, first: line, head: '', goesOnAfter: null });
  if (outermostFence) return block('code');
  if (heading.test(line) || rule.test(line)) return block('line');
  if (item.test(line)) return block('list');
  if (quotation.test(line)) return block('quotation');
  return block(indented.test(line) || html.test(line) || definition.test(line) ? 'other' : 'paragraph');
}

/** Whether a line that is neither blank nor a fence begins another block than the open one. */
function begins(line: string, open: Open, afterBlank: boolean): boolean {
  if (open.kind === 'line') return true;
  if (afterBlank) {
    if (indented.test(line)) return open.kind === 'paragraph' || open.kind === 'table' || open.kind === 'quotation';
    if (item.test(line) && !rule.test(line)) return open.kind !== 'list' || markOf(line) !== markOf(open.first);
    return !(quotation.test(line) && open.kind === 'quotation');
  }
  if (open.kind === 'other') return false;
  if (heading.test(line)) return true;
  // Dashes below a paragraph make a heading of it.
  if (rule.test(line)) return open.kind !== 'paragraph' || !/^-+\s*$/.test(line);
  if (quotation.test(line)) return open.kind !== 'quotation';
  if (open.kind === 'table') return item.test(line);
  return interrupting.test(line) && !(open.kind === 'list' && markOf(line) === markOf(open.first));
}

/** Whether a long block may go on as another piece with this line. */
function mayGoOn(line: string, before: string, open: Open, piece: string): boolean {
  if (open.kind === 'list') return item.test(line) && markOf(line) === markOf(open.first);
  if (open.kind === 'table') return open.head.length <= longestHead;
  // Two blanks or a backslash at the end of a line break it there.
  if (open.kind !== 'paragraph' || !/^\p{L}/u.test(line) || /(?: {2}|\\)$/.test(before)) return false;
  return piece.length > 2 * longPiece || nothingOpen(piece);
}

/**
 * Pieces of a markdown text from `from` on, where the block `before` is open. A piece counts when a line stands behind it that ends it; with
 * `rest` what is left at the end counts too. Of what stands before `end` nothing matters for what follows but what `open` tells.
 */
function cut(text: string, from: number, before: Open | null, rest: boolean): Cut {
  const found: Cut = { pieces: [], definitions: [], end: from, open: before };
  let definitions: string[] = [];
  let fenced = '';
  let alone = false;
  let blankBefore = false;
  let lineBefore = { at: from, text: '' };
  const end = (at: number) => {
    if (found.open !== null) {
      const { kind, head, goesOnAfter } = found.open;
      const stretch = text.slice(found.end, at).replace(/^(?:[ \t]*\n)+/, '');
      found.pieces.push({
        kind: kind === 'quotation' || kind === 'line' ? 'other' : kind,
        text: stretch.trimEnd(),
        head: goesOnAfter === null ? '' : head,
        goesOnAfter,
      });
      found.definitions.push(...definitions);
    }
    found.end = at;
    found.open = null;
    definitions = [];
  };
  for (let at = from; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    // A line that is not there whole may still become another kind of line.
    if (lineEnd === -1 && !rest) break;
    const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const blank = line.trim() === '';
    const mark = fence.exec(line.replace(marksOfItems, ''))?.[1];
    const { open } = found;
    if (fenced !== '') {
      if (mark !== undefined && mark[0] === fenced[0] && mark.length >= fenced.length && line.trim() === mark) {
        fenced = '';
        if (alone) end(next);
      }
    } else if (!blank) {
      const outermost = mark !== undefined && line.startsWith(mark);
      const isHead = open?.kind === 'paragraph' && !blankBefore && cellsOf(lineBefore.text) === cellsOf(line) && delimiterRow.test(line);
      if (isHead && (line.includes('|') || lineBefore.text.includes('|'))) {
        // Blank lines at the beginning of a text are no block.
        if (text.slice(found.end, lineBefore.at).trim() !== '') end(lineBefore.at);
        found.open = { kind: 'table', first: lineBefore.text, head: `${lineBefore.text}\n${line}\n`, goesOnAfter: null };
      } else if (open !== null && at > found.end && (outermost || begins(line, open, blankBefore))) end(at);
      else if (open !== null && at - found.end > longPiece && mayGoOn(line, lineBefore.text, open, text.slice(found.end, at))) {
        end(at);
        found.open = { ...open, goesOnAfter: '\n' };
      }
      found.open ??= opening(line, outermost);
      if (mark !== undefined) {
        fenced = mark;
        alone = outermost;
      } else if (definition.test(line)) definitions.push(line);
    }
    blankBefore = blank;
    lineBefore = { at, text: line };
    at = next;
  }
  if (rest) end(text.length);
  // Of a block that begins where the rest begins its first line tells all.
  return found.open?.goesOnAfter === null ? { ...found, open: null } : found;
}

const normalName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

function withDefinitions(piece: Found, lines: ReadonlyMap<string, string>): Piece {
  if (lines.size === 0 || piece.kind === 'code') return { ...piece, definitions: '' };
  const names = new Set(Array.from(piece.text.matchAll(linkName), ([, name = '']) => normalName(name)));
  return { ...piece, definitions: [...names].flatMap((name) => lines.get(name) ?? []).join('\n') };
}

/**
 * Cuts markdown into pieces that can be read one by one: at blank lines, around every fence, and inside of what grows long where that changes
 * nothing of how it is read.
 *
 * The function that is returned remembers the last text: of one that only grew, it looks at the last piece again and no more.
 */
export function createBlockSplitter(): (markdown: string) => readonly Piece[] {
  const nothing = { text: '', pieces: [] as Found[], definitions: [] as string[], end: 0, open: null as Open | null };
  let known = nothing;
  return (text) => {
    if (!text.startsWith(known.text)) known = nothing;
    const more = cut(text, known.end, known.open, false);
    known = {
      text,
      pieces: [...known.pieces, ...more.pieces.flatMap(inPieces)],
      definitions: [...known.definitions, ...more.definitions],
      end: more.end,
      open: more.open,
    };
    const last = cut(text, known.end, known.open, true);
    // Of several definitions of one name the first holds.
    const lines = new Map(
      [...known.definitions, ...last.definitions].reverse().map((line) => [normalName(definition.exec(line)?.[1] ?? ''), line]),
    );
    return [...known.pieces, ...last.pieces.flatMap(inPieces)].map((piece) => withDefinitions(piece, lines));
  };
}

/** All pieces of a text that stands still. */
export const splitBlocks = (markdown: string): readonly Piece[] => createBlockSplitter()(markdown);

/** Language and code of a piece of the kind `code`, whose fence may still lack its end. */
export function fencedCode(piece: string): { language: string; code: string } {
  const [head = '', mark = ''] = /^(`{3,}|~{3,})[^\n]*/.exec(piece) ?? [];
  const lastLine = piece.slice(piece.lastIndexOf('\n') + 1);
  const closing = fence.exec(lastLine)?.[1];
  const closed = head.length < piece.length && closing !== undefined && closing.startsWith(mark) && lastLine.trim() === closing;
  return {
    language: /^\S*/.exec(head.slice(mark.length).trim())?.[0] ?? '',
    code: piece.slice(head.length + 1, closed ? piece.length - lastLine.length : piece.length).replace(/\n$/, ''),
  };
}
