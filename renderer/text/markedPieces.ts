/** A stretch of a text, in UTF-16 offsets, with what is to be said of it. */
export interface TextMark {
  from: number;
  to: number;
  label: string;
  tone: 'write' | 'danger';
}

export interface MarkedPiece {
  text: string;
  mark?: TextMark;
}

/**
 * Cuts a text at the borders of its marks; the pieces in order are the text. `offset` is where the text begins in the one that the marks
 * count in. Of marks that overlap the earlier one is shown.
 */
export function markedPieces(text: string, marks: readonly TextMark[], offset = 0): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let at = 0;
  for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
    const from = Math.max(at, mark.from - offset);
    const to = Math.min(text.length, mark.to - offset);
    if (to <= from) continue;
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ text: text.slice(from, to), mark });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}
