const fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
/** A line that may go on with what stands before the blank line: an item, something indented, a quotation. */
const goesOn = /^(?:\s|[-*+>]|\d{1,9}[.)])/;
const item = /^(?:[-*+]|\d{1,9}[.)])\s/;
const definition = /^ {0,3}\[[^\]]+\]:\s/;
/** Definitions longer than this together, in characters, are added to no block: with each new one all blocks would be read again. */
const longestDefinitions = 2000;
/** A list longer than this, in characters, goes on as another one, so that a list without end is not read again as a whole. */
const longestList = 1500;

/** What was cut off the front of a text, and where the rest begins. */
interface Cut {
  blocks: string[];
  /** Definitions of links in these blocks. */
  definitions: string[];
  end: number;
}

/**
 * Blocks of a markdown text from `from` on, which must be the beginning of a block. A block counts when a line stands behind it that ends it;
 * with `rest` what is left at the end counts too. Nothing before `end` matters for what follows there.
 */
function cut(text: string, from: number, rest: boolean): Cut {
  const found: Cut = { blocks: [], definitions: [], end: from };
  let definitions: string[] = [];
  let open = '';
  let alone = false;
  let first: string | null = null;
  let blankBefore = false;
  const end = (at: number) => {
    if (first !== null) {
      found.blocks.push(
        text
          .slice(found.end, at)
          .replace(/^(?:[ \t]*\n)+/, '')
          .trimEnd(),
      );
      found.definitions.push(...definitions);
    }
    found.end = at;
    definitions = [];
    first = null;
  };
  for (let at = from; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    // A line that is not there whole may still become another kind of line.
    if (lineEnd === -1 && !rest) break;
    const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const blank = line.trim() === '';
    const mark = fence.exec(line)?.[1];
    if (open === '') {
      const outermost = mark !== undefined && line.startsWith(mark);
      const longItem = at - found.end > longestList && first !== null && item.test(first) && item.test(line);
      if (!blank && (outermost || longItem || (blankBefore && !goesOn.test(line)))) end(at);
      if (mark !== undefined) {
        open = mark;
        alone = outermost;
      } else if (definition.test(line)) definitions.push(line);
      if (!blank) first ??= line;
    } else if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) {
      open = '';
      if (alone) end(next);
    }
    blankBefore = blank;
    at = next;
  }
  if (rest) end(text.length);
  return found;
}

/**
 * Cuts markdown into top-level blocks that can be read one by one: at blank lines, and around every fence. Lists, quotations and what a fence
 * holds stay whole. Link definitions are added to every block, since they hold in all of them.
 *
 * The function that is returned remembers the last text: of one that only grew, the blocks before the last are the same strings again.
 */
export function createBlockSplitter(): (markdown: string) => readonly string[] {
  let known = { text: '', closed: [] as string[], definitions: [] as string[], openFrom: 0 };
  let defined = { by: '', of: known.closed, blocks: [] as string[] };
  return (text) => {
    if (!text.startsWith(known.text)) known = { text: '', closed: [], definitions: [], openFrom: 0 };
    const more = cut(text, known.openFrom, false);
    known = {
      text,
      closed: more.blocks.length === 0 ? known.closed : [...known.closed, ...more.blocks],
      definitions: more.definitions.length === 0 ? known.definitions : [...known.definitions, ...more.definitions],
      openFrom: more.end,
    };
    const last = cut(text, known.openFrom, true);
    const definitions = [...known.definitions, ...last.definitions].join('\n');
    if (definitions === '' || definitions.length > longestDefinitions) return [...known.closed, ...last.blocks];
    const withDefinitions = (block: string) => `${block}\n\n${definitions}`;
    if (defined.by !== definitions) defined = { by: definitions, of: [], blocks: [] };
    // `closed` only ever grows while the definitions are the same, unless another text came.
    const same = defined.of.length <= known.closed.length && defined.of.every((block, index) => block === known.closed[index]);
    const before = same ? defined.blocks : [];
    defined = { by: definitions, of: known.closed, blocks: [...before, ...known.closed.slice(before.length).map(withDefinitions)] };
    return [...defined.blocks, ...last.blocks.map(withDefinitions)];
  };
}

/** All blocks of a text that stands still. */
export const splitBlocks = (markdown: string): readonly string[] => createBlockSplitter()(markdown);

/** The code of a block that is one fence without its end, as it is while it is being written; null for any other block. */
export function openFence(block: string): { language: string; code: string } | null {
  const [head = '', mark] = /^(`{3,}(?!.*`)|~{3,})[^\n]*/.exec(block) ?? [];
  if (mark === undefined) return null;
  const lastLine = block.slice(block.lastIndexOf('\n') + 1);
  const closing = fence.exec(lastLine)?.[1];
  const closed = head.length < block.length && closing !== undefined && closing[0] === mark[0] && closing.length >= mark.length;
  if (closed && lastLine.trim() === closing) return null;
  return { language: /^\S*/.exec(head.slice(mark.length).trim())?.[0] ?? '', code: block.slice(head.length + 1) };
}
