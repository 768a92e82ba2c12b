import { expect, onTestFinished, test } from 'vitest';
import type { ToolCallOutcome } from '../../../main/host/mcp/callTool.ts';
import { outputProblem } from '../../../main/host/tools/outputProblem.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import { rememberingLog } from '../../doubles/hostParts.ts';

const pool = () => {
  const made = createWorkerPool({ size: 1, log: rememberingLog() });
  onTestFinished(() => made.close());
  return made;
};
const result = (structuredContent?: unknown, more: Partial<Extract<ToolCallOutcome, { kind: 'result' }>> = {}) => ({
  kind: 'result' as const,
  content: [],
  hasStructuredContent: structuredContent !== undefined,
  ...(structuredContent === undefined ? {} : { structuredContent }),
  isError: false,
  ...more,
});

test.each([
  [{ type: 'array', items: { type: 'number' } }, [1, 2]],
  [{ type: 'null' }, null],
  [{ const: false }, false],
  [{ type: 'string' }, ''],
  [{ type: 'integer' }, 0],
])('any kind of JSON may be structured content: %j fits %j', async (schema, value) => {
  expect(await outputProblem(pool(), schema, result(value))).toBeUndefined();
});

test('what does not fit is named, up to a few places; an error of the tool need not fit', async () => {
  const schema = { type: 'object', properties: { status: { enum: ['open'] } }, required: ['status'] };
  expect(await outputProblem(pool(), schema, result({ status: 'lost' }))).toMatch(/does not fit what the server had announced: .*status/);
  expect(await outputProblem(pool(), schema, result())).toContain('lacks the structured part');
  expect(await outputProblem(pool(), schema, result(undefined, { isError: true }))).toBeUndefined();
  expect(await outputProblem(pool(), undefined, result('anything'))).toBeUndefined();
});

test('a schema whose pattern runs away is stopped, and an unusable one is said to be one', async () => {
  const runaway = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  expect(await outputProblem(pool(), runaway, result({ a: `${'a'.repeat(40)}!` }))).toContain('takes too long');
  expect(await outputProblem(pool(), { $ref: 'https://elsewhere.example/schema' }, result({}))).toMatch(/unusable.*never fetched/);
});

test('before 2026-07-28 only an object may stand there', async () => {
  const problem = 'it must be an object in this revision of the protocol';
  expect(await outputProblem(pool(), undefined, result([], { structuredProblem: problem }))).toContain(problem);
});
