import { type ParseError, parse } from 'jsonc-parser';

/** What is wrong with arguments that a person wrote, and where. */
export interface EditProblem {
  kind: 'json' | 'notObject';
  /** One-based. */
  line: number;
  column: number;
}

/** The first thing that keeps a text from being the arguments of a call, or undefined. What the tool's schema wants the host says. */
export function editProblem(text: string): EditProblem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'json', ...placeOfError(text) };
  }
  return typeof value !== 'object' || value === null || Array.isArray(value) ? { kind: 'notObject', line: 1, column: 1 } : undefined;
}

/** `JSON.parse` does not always say where it stopped. */
function placeOfError(text: string): { line: number; column: number } {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const before = text.slice(0, errors[0]?.offset ?? text.length).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
