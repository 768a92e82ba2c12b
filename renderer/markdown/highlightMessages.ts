/** A stretch of code and its colour, the value of a custom property of the theme; empty for none. */
export type Token = readonly [text: string, color: string];
export interface HighlightRequest {
  id: number;
  code: string;
  language: string;
}
/** `lines` is null where there is no grammar. */
export interface HighlightAnswer {
  id: number;
  lines: Token[][] | null;
}
