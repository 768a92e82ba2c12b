import { type Node, type ParseError, createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';

/** One-based place in a text; `column` counts UTF-16 units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

interface JsoncProblem {
  /** What is wrong, without the place: a clause that can follow "… cannot be read: ". */
  message: string;
  at: Place;
}

export type Jsonc = { ok: true; root: Node } | { ok: false; problem: JsoncProblem };

/** No configuration is nested deeper; the parser calls itself for each level, so a hostile text could exhaust the stack. */
const maxDepth = 64;

const words: Record<ReturnType<typeof printParseErrorCode>, string> = {
  InvalidSymbol: 'something stands here that is no JSON',
  InvalidNumberFormat: 'this is no number',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'the text goes on after the end of the JSON object; put everything into one object',
  InvalidCommentToken: 'a comment cannot stand here',
  UnexpectedEndOfComment: 'a comment is never closed',
  UnexpectedEndOfString: 'a text in quotes is never closed',
  UnexpectedEndOfNumber: 'a number breaks off',
  InvalidUnicode: 'an escape \\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this is no escape of JSON; write a backslash as \\\\',
  InvalidCharacter: 'a control character stands inside a text',
  '<unknown ParseErrorCode>': 'this cannot be read',
};

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** "line 3, column 7" */
export const placeInWords = (place: Place): string => `line ${place.line}, column ${place.column}`;

export const withoutBom = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/**
 * Reads JSON with comments and trailing commas. `text` has no byte order mark; all offsets count in it.
 * A name that stands twice in one object is an error too: readers differ in which of the two counts, so that the person
 * could agree to one command while another runs.
 */
export function parseJsonc(text: string): Jsonc {
  const problem = (message: string, offset: number): Jsonc => ({ ok: false, problem: { message, at: placeAt(text, offset) } });

  const tooDeep = deepOffset(text);
  if (tooDeep !== undefined) return problem(`more than ${maxDepth} levels are nested`, tooDeep);

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) return problem(words[printParseErrorCode(first.error)], first.offset);
  if (!root) return problem('there is nothing in it', 0);

  const twice = duplicate(root);
  return twice ? problem(`the name ${JSON.stringify(twice.value)} stands twice in the same object`, twice.offset) : { ok: true, root };
}

/** The members of an object node in the order of the text. Objects made of them have no prototype: `__proto__` is a name like any other. */
export function membersOf(node: Node | undefined): { name: string; key: Node; value: Node }[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((member) => {
    const [key, value] = member.children ?? [];
    return key && value && typeof key.value === 'string' ? [{ name: key.value, key, value }] : [];
  });
}

export const memberOf = (node: Node | undefined, name: string): Node | undefined =>
  membersOf(node).find((member) => member.name === name)?.value;

export const valueOf = (node: Node): unknown => getNodeValue(node);

function deepOffset(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    if (scanner.getTokenLength() !== 1) continue;
    const token = text[scanner.getTokenOffset()];
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return undefined;
}

function duplicate(node: Node): Node | undefined {
  const seen = new Set<string>();
  for (const { name, key, value } of membersOf(node)) {
    if (seen.has(name)) return key;
    seen.add(name);
    const inside = duplicate(value);
    if (inside) return inside;
  }
  if (node.type !== 'array') return undefined;
  for (const item of node.children ?? []) {
    const inside = duplicate(item);
    if (inside) return inside;
  }
  return undefined;
}
