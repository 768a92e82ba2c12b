const fence = /^ {0,3}(`{3,}|~{3,})/;
/** A line that may go on with what stands before the blank line: an item, something indented, a quotation. */
const goesOn = /^(?:\s|[-*+>]|\d{1,9}[.)])/;
const definition = /^ {0,3}\[[^\]]+\]:\s/;

/**
 * Cuts markdown at blank lines between top-level blocks, so that only the last block of a streamed answer is read again.
 * Lists, quotations and fences stay whole. Link definitions are added to every block, since they hold in all of them.
 */
export function splitBlocks(markdown: string): string[] {
  const blocks: string[] = [];
  const definitions: string[] = [];
  let block: string[] = [];
  let open = '';
  let blankBefore = false;
  const end = () => {
    if (block.some((line) => line.trim() !== '')) blocks.push(block.join('\n'));
    block = [];
  };
  for (const line of markdown.split('\n')) {
    if (open === '' && blankBefore && line.trim() !== '' && !goesOn.test(line)) end();
    block.push(line);
    const mark = fence.exec(line)?.[1];
    if (open === '') {
      if (mark !== undefined) open = mark;
      else if (definition.test(line)) definitions.push(line);
    } else if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = '';
    blankBefore = line.trim() === '';
  }
  end();
  if (definitions.length === 0) return blocks;
  const all = definitions.join('\n');
  return blocks.map((text) => `${text}\n\n${all}`);
}
