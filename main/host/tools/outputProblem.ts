import type { ToolCallOutcome } from '../mcp/callTool.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { validateBounded } from './boundedValidation.ts';

const maxErrors = 5;

/**
 * What is wrong with the structured part of a result, as a sentence, or undefined. A result that breaks what its own server announced
 * is kept and marked: it may hold what the person needs. Errors of a tool need not fit.
 */
export async function outputProblem(
  pool: WorkerPool,
  schema: Record<string, unknown> | undefined,
  result: Extract<ToolCallOutcome, { kind: 'result' }>,
): Promise<string | undefined> {
  if (result.isError) return undefined;
  if (result.structuredProblem !== undefined) return `The structured part of this result is not allowed: ${result.structuredProblem}.`;
  if (schema === undefined) return undefined;
  if (!result.hasStructuredContent) return 'This result lacks the structured part that the server had announced.';
  const size = JSON.stringify(result.structuredContent).length;
  const checked = await validateBounded(pool, schema, result.structuredContent, size);
  if (checked === 'overran') return "The structured part of this result could not be checked: the server's schema of it takes too long.";
  if (checked.valid === true) return undefined;
  if (checked.valid === 'unusableSchema')
    return `The structured part of this result could not be checked, since the server's schema of it is unusable: ${checked.reason}`;
  return `The structured part of this result does not fit what the server had announced: ${checked.errors.slice(0, maxErrors).join('; ')}`;
}
