/**
 * Characters that a person does not see but a model reads: controls, zero-width and bidirectional marks, tags, variation selectors.
 * Line breaks and tabs stay. Joiners between emoji go too: a tool's definition does not need them.
 */
export const invisibleCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\u2800\uffa0\ufff0-\ufffb\u{13430}-\u{13455}\u{1d159}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const loneSurrogate = /\p{Surrogate}/gu;

/** A server's word as a model may read it: without invisible characters, at most `maxLength` UTF-16 units long, never cut inside a character. */
export function plainText(text: string, maxLength: number): string {
  // Nearly every definition is plain ASCII, which needs none of the searching.
  const visible = /^[\x20-\x7e\n\t]*$/.test(text) ? text.trim() : cleaned(text);
  return visible.length <= maxLength ? visible : `${visible.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function cleaned(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(invisibleCharacters, '').replace(loneSurrogate, '').trim();
}

/** A name in a place that shows it as it is, such as a notification of the system: one line, and short. */
export const inOneLine = (name: string): string => plainText(name.replace(/\s+/g, ' '), 80);
