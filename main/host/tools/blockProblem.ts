import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What in a block of a result does not fit the protocol, as a sentence. `issues`: what the schema of MCP's `ContentBlock` finds wrong with it. */
export function blockProblem(raw: unknown, issues: readonly Issue[]): string {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return 'A block of the content is no JSON object.';
  const type: unknown = 'type' in raw ? raw.type : undefined;
  if (typeof type !== 'string') return 'A block has no "type".';
  const shown = type.length > 100 ? `${type.slice(0, 100)}…` : type;
  const issue = issueOf(issues);
  if (issue === undefined) return `A block has the type ${JSON.stringify(shown)}, which the protocol does not know.`;
  const where = issue.path.length === 0 ? '' : ` at "${issue.path.map(String).join('.').slice(0, 100)}"`;
  return `A block of type ${shown} does not fit the protocol${where}: ${issue.message.replace(/^Invalid input: /, '').slice(0, 200)}.`;
}

/** What is wrong for the form that the block's type names: every other form finds fault with the type itself. Undefined: no form has that type. */
function issueOf(issues: readonly Issue[]): Issue | undefined {
  const [first] = issues;
  if (first?.code !== 'invalid_union') return first;
  const form = first.errors.find((each) => !each.some(({ path }) => path.length === 1 && path[0] === 'type'));
  return form && innermost(form);
}

/** Of the forms that a part may have, the one that comes nearest tells what is wrong. */
function innermost(issues: readonly Issue[]): Issue | undefined {
  const [first] = issues;
  if (first?.code !== 'invalid_union' || first.errors.length === 0) return first;
  const inner = innermost(first.errors.reduce((best, each) => (each.length < best.length ? each : best)));
  return inner && { ...inner, path: [...first.path, ...inner.path] };
}
