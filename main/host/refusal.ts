import type { Failure, ResultCode } from '../../preload/contract/result.ts';

/**
 * An expected failure on its way from deep inside to `commands.ts`, which turns it into a Result.
 * Everything else that is thrown is a bug.
 */
export class Refusal extends Error {
  readonly failure: Failure;

  constructor(code: ResultCode, message: string, more: Omit<Failure, 'code' | 'message'> = {}) {
    super(message);
    this.name = 'Refusal';
    this.failure = { code, message, ...more };
  }
}

/** Throws a {@link Refusal}. `message` is a sentence for the person: what failed, why, what to do. */
export function refuse(code: ResultCode, message: string, more: Omit<Failure, 'code' | 'message'> = {}): never {
  throw new Refusal(code, message, more);
}

/** The text of anything that was thrown, for logs and details; never for decisions. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
