import type { Failure } from '../../preload/contract/result.ts';
import { Refusal, messageOf } from '../host/refusal.ts';

/** Writes one line of JSON to stdout. Nothing else goes there, but for the usage where somebody asks for it. */
export type Print = (line: object) => void;

/** What JSON lets stand as it is and a terminal obeys: the control characters from U+007F on, and marks of direction. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of JSON. Text of a server moves no cursor, writes to no clipboard and turns nothing around in the terminal that shows it. */
export const lineOf = (value: object): string =>
  JSON.stringify(value).replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What the last line says, without its `type`. */
export type Outcome = { status: string } & Record<string, unknown>;

/**
 * How the process ends.
 * 0: done. 1: the turn or the call ended otherwise, or the activity log is not whole. 2: wrong usage, nothing was started. 3: the host
 * could not start or something failed outside the turn. 4: not every row of the log could be checked. 130: stopped by Ctrl+C.
 */
export const exitCodes = { done: 0, notDone: 1, usage: 2, failed: 3, unchecked: 4, interrupted: 130 } as const;

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Refusal) return thrown.failure;
  return { code: 'internal', message: 'Something went wrong inside Maitre.', detail: messageOf(thrown) };
}
