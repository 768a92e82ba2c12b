import { isSecretName, type Redactor, struckOut, withoutLookalikes } from '../redact.ts';

/** Members of the protocol whose values let somebody else go on with what is ours, whatever they look like. */
const protocolSecrets = new Set(['requestState', 'taskId', 'sessionId']);
/** Only counts the steps of a call, though its name ends like a secret's. */
const harmless = new Set(['progressToken']);
/** What {@link withoutLookalikes} could find something in; everything else is spared the search. */
const maySecret =
  /bearer\s|authorization|private key|\b[spr]k[-_]|gh[pousr]_|github_pat|glpat|xox[a-z]-|aiza|akia|asia|npm_|hf_|eyj[\w-]{8}|:\/\/[^\s/@:]*:[^\s/@]*@|(?:key|token|secret|passw(?:or)?d)[\\"']{0,2}\s*[=:]/i;

/**
 * A message as it may be kept and shown: the text as it came, to the character, but for secrets. Values of members with a telling
 * name go, and the protocol's own handles (`requestState`, `taskId`, session ids); in every other string, what was told to the
 * redactor and what looks like a secret. Works on text, so that a message cut short or broken is treated alike. Linear in its length.
 */
export function redactMessage(text: string, redactor: Pick<Redactor, 'known'>): string {
  const input = redactor.known(text);
  if (!/^\s*[[{]/.test(input)) return withoutLookalikes(input);

  let output = '';
  let at = 0;
  let secretNext = false;
  while (at < input.length) {
    const quote = input.indexOf('"', at);
    const between = input.slice(at, quote === -1 ? input.length : quote);
    // A number is as good as a string; an object or a list is looked into.
    output += secretNext ? between.replace(/^(\s*)-?\d[\d.eE+-]*/, `$1"${struckOut}"`) : between;
    if (quote === -1) break;
    const end = endOfString(input, quote + 1);
    const content = input.slice(quote + 1, end);
    const isName = secretNext ? false : followedByColon(input, end + 1);
    const isValueOfSecret = secretNext && between.trim() === '';
    output += `"${isValueOfSecret ? struckOut : redactString(content, redactor)}${end < input.length ? '"' : ''}`;
    at = end + 1;
    secretNext = false;
    if (!isName) continue;
    const colon = input.indexOf(':', at);
    output += input.slice(at, colon + 1);
    at = colon + 1;
    const name = oddlyEscaped.test(content) ? (decodeString(content) ?? content) : content;
    secretNext = protocolSecrets.has(name) || (isSecretName(name) && !harmless.has(name));
  }
  return output;
}

/** The place of the quote that ends the string; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function followedByColon(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return text[at] === ':';
}

/** Escapes that JSON does not need: behind them, any character can stand in a text without being read there. */
const oddlyEscaped = /\\[u/]/;

/** `content` as it stands between the quotes. */
function redactString(content: string, redactor: Pick<Redactor, 'known'>): string {
  if (content.length < 6) return content;
  if (oddlyEscaped.test(content)) {
    const decoded = decodeString(content);
    const redacted = decoded === undefined ? undefined : withoutLookalikes(redactor.known(decoded));
    if (redacted !== undefined) return redacted === decoded ? content : JSON.stringify(redacted).slice(1, -1);
  }
  if (!maySecret.test(content)) return content;
  if (!content.includes('\\')) return withoutLookalikes(content);
  const decoded = decodeString(content);
  if (decoded === undefined) return withoutLookalikes(content);
  const redacted = withoutLookalikes(decoded);
  return redacted === decoded ? content : JSON.stringify(redacted).slice(1, -1);
}

function decodeString(content: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${content}"`);
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
