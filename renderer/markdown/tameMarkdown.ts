const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Quotations and lists inside one another, as the marks at the beginning of a line open them. */
const nested = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/;
const maxLength = 12_000;
const maxEntities = 1000;
const maxColumns = 60;
/** Every row of a table gets the columns of its head, whatever it holds itself. */
const maxCells = 20_000;

const count = (text: string, mark: string): number => text.split(mark).length - 1;

/**
 * Whether a block of markdown can be read in reasonable time and depth. Hostile text (or a model in a loop) nests and repeats marks
 * until the reader runs out of stack or the window stands still; such a block is shown as it is written. Code in fences may be long.
 */
export function isTame(block: string): boolean {
  let open = '';
  let length = 0;
  let entities = 0;
  let rows = 0;
  let columns = 0;
  for (const line of block.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (open !== '') {
      if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length) open = '';
      continue;
    }
    if (mark !== undefined) {
      open = mark;
      continue;
    }
    length += line.length;
    entities += count(line, '&');
    if (line.includes('|')) rows += 1;
    if (/^[ \t|:-]+$/.test(line)) columns = Math.max(columns, count(line, '|'));
    if (length > maxLength || entities > maxEntities || columns > maxColumns || rows * columns > maxCells || nested.test(line))
      return false;
  }
  return true;
}
