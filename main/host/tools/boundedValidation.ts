import type { Jobs } from '../workers/jobs.ts';
import { JobOverran, type WorkerPool } from '../workers/pool.ts';
import { validate } from '../workers/validate.ts';
import { isTame } from './tameSchema.ts';

/** Milliseconds that a server's schema may take: its patterns are other people's. */
const validationMs = 250;
/** Up to this many characters a value is checked at once where the schema is tame. */
const small = 16 * 1024;

/**
 * Holds a value against a server's own schema: in a worker that is killed when a pattern runs away (`overran`), or at once where neither
 * schema nor value can take long. `size` is how many characters the value has as JSON.
 */
export async function validateBounded(
  pool: WorkerPool,
  schema: Record<string, unknown>,
  value: unknown,
  size: number,
): Promise<Jobs['validate']['output'] | 'overran'> {
  const input = { schema, value };
  if (size <= small && isTame(schema)) return validate(input);
  try {
    return await pool.run('validate', input, { timeoutMs: validationMs });
  } catch (error) {
    if (error instanceof JobOverran) return 'overran';
    throw error;
  }
}
