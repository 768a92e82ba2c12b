/** Longest stretch that one row of a virtual list shows, in characters: a line of a megabyte must not become one element. */
const longestRow = 2000;

/** The lines of a text, long ones cut into rows. `endsLine` is false where a row was cut inside a line. */
export function rowsOfText(text: string): { text: string; endsLine: boolean }[] {
  const rows: { text: string; endsLine: boolean }[] = [];
  for (const line of text.split('\n')) {
    let from = 0;
    while (line.length - from > longestRow) {
      // A cut between the halves of a surrogate pair would show two broken characters.
      const code = line.charCodeAt(from + longestRow - 1);
      const size = code >= 0xd800 && code <= 0xdbff ? longestRow - 1 : longestRow;
      rows.push({ text: line.slice(from, from + size), endsLine: false });
      from += size;
    }
    rows.push({ text: line.slice(from), endsLine: true });
  }
  return rows;
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.endsWith('\n') ? lines - 1 : lines;
}
