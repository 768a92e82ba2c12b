import type { ToolCallOutcome } from './callTool.ts';
import { detailOf } from './failures.ts';
import { isRecord } from './rawResults.ts';

/** What a result of `tools/call` says, wherever it came from. */
export function outcomeOf(context: { name: string; era: 'legacy' | 'modern' }, result: Record<string, unknown>): ToolCallOutcome {
  const { content, structuredContent, isError, _meta: meta } = result;
  const { name } = context;
  if (content !== undefined && !Array.isArray(content)) {
    return { kind: 'invalidResult', message: `"${name}" answered with a result that cannot be read: its content is no list.` };
  }
  const hasStructuredContent = Object.hasOwn(result, 'structuredContent');
  if (content === undefined && !hasStructuredContent) {
    return {
      kind: 'invalidResult',
      message: `"${name}" answered with a result that has no "content".`,
      ...detailOf(JSON.stringify(result).slice(0, 1000)),
    };
  }
  // Before 2026-07-28 only an object may stand there; what stands there is shown all the same.
  const problem = hasStructuredContent && context.era === 'legacy' && !isRecord(structuredContent);
  return {
    kind: 'result',
    content: content ?? [],
    ...(hasStructuredContent ? { structuredContent } : {}),
    hasStructuredContent,
    isError: isError === true,
    ...(isRecord(meta) ? { meta } : {}),
    ...(problem ? { structuredProblem: 'it must be an object in this revision of the protocol' } : {}),
  };
}
