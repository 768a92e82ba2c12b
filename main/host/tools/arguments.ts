import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { WorkerPool } from '../workers/pool.ts';
import { validateBounded } from './boundedValidation.ts';

/** Above this many characters canonical JSON is made in a worker. */
const heavy = 256 * 1024;

export interface CheckedArguments {
  /** Canonical JSON (RFC 8785) of exactly what will be sent. */
  json: string;
  /** SHA-256 of `json` in hex: what the card and the answer to it are bound to. */
  hash: string;
}

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Canonical form and hash of a call's arguments. `size` is about how many characters they have. */
export async function canonicalArguments(pool: WorkerPool, value: Record<string, unknown>, size: number): Promise<CheckedArguments> {
  if (size > heavy) return pool.run('canonicalHash', { value }, { timeoutMs: 10_000 });
  const json = canonicalize(value);
  if (json === undefined) throw new Error('Arguments that are no JSON reached the canonical form.');
  return { json, hash: hashText(json) };
}

/**
 * Checks arguments against the server's own schema; `size` is how many characters they have.
 * Returns what is wrong as text that the model learns from, or undefined.
 */
export async function argumentProblem(
  pool: WorkerPool,
  schema: Record<string, unknown>,
  value: unknown,
  size: number,
): Promise<string | undefined> {
  const result = await validateBounded(pool, schema, value, size);
  if (result === 'overran') return 'The arguments cannot be checked: the schema of the tool takes too long (a runaway pattern).';
  if (result.valid === true) return undefined;
  if (result.valid === 'unusableSchema')
    return `The arguments cannot be checked, since the schema of the tool is unusable: ${result.reason}`;
  return `The arguments do not fit the schema of the tool:\n${result.errors.slice(0, 20).join('\n')}`;
}
