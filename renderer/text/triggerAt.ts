/** What is being picked in a message: `@` anywhere at the beginning of a word, `/` at the very beginning. */
export interface Trigger {
  kind: 'resource' | 'prompt';
  /** What stands after the sign, up to the caret. */
  query: string;
  /** Where the sign stands. */
  start: number;
  /** The caret, which is the end of the query. */
  end: number;
}

const longestQuery = 100;

/** The pick that the caret stands in, or null. An address such as `a@b.example` and a path in the middle of a text are none. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(Math.max(0, caret - longestQuery), caret);
  const found = /(?:^|\s)([@/])(\S*)$/u.exec(before);
  const sign = found?.[1];
  const query = found?.[2];
  if (sign === undefined || query === undefined) return null;
  const start = caret - query.length - 1;
  if (sign === '@') return { kind: 'resource', query, start, end: caret };
  // Two slashes begin a comment or an address without a scheme, never the name of a prompt.
  return start === 0 && !query.includes('/') ? { kind: 'prompt', query, start, end: caret } : null;
}

/** The text without the sign and its query, and where the caret stands then. */
export const withoutTrigger = (text: string, { start, end }: Trigger): { text: string; caret: number } => ({
  text: text.slice(0, start) + text.slice(end),
  caret: start,
});
