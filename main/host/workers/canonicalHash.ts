import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Jobs } from './jobs.ts';

/** Canonical JSON (RFC 8785) and the SHA-256 of its UTF-8, in hex. Throws for what JSON cannot hold. */
export function canonicalHash({ value }: Jobs['canonicalHash']['input']): Jobs['canonicalHash']['output'] {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError('This value cannot be written as JSON.');
  return { json, hash: createHash('sha256').update(json, 'utf8').digest('hex') };
}
