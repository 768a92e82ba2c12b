/**
 * The offset of a one-based line and column in a text as a text area holds it, for putting the caret at an error.
 * A place beyond its line is the line's end, one beyond the text is the text's end. Columns count UTF-16 units.
 */
export const offsetOf = (text: string, at: { line: number; column: number }): number => {
  let start = 0;
  for (let line = 1; line < at.line; line += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return Math.min(start + Math.max(0, at.column - 1), end === -1 ? text.length : end);
};

/** The line at an error, for showing it beside the sentence. */
export const lineAt = (text: string, line: number): string => text.split('\n')[line - 1]?.replace(/\r$/, '') ?? '';
