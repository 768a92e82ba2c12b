import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputAnswer } from '../../preload/contract/policy.ts';
import type { Approval, InputRequest } from '../../preload/contract/policy.ts';
import { messageOf, refuse } from '../host/refusal.ts';

const ToolAnswer = z.strictObject({
  server: z.string().min(1),
  tool: z.string().min(1),
  decision: z.enum(['allow', 'deny']),
});
const inputNames = { server: z.string().min(1), kind: z.enum(['elicitation', 'sampling', 'roots', 'modelGuard']) };
const RequestAnswer = z.discriminatedUnion('action', [
  z.strictObject({ ...inputNames, ...InputAnswer.options[0].shape }),
  z.strictObject({ ...inputNames, ...InputAnswer.options[1].shape }),
  z.strictObject({ ...inputNames, ...InputAnswer.options[2].shape }),
]);

/** The answers that a person gave beforehand. The first that fits is taken, as often as it is asked for. */
export type Answers = { tools: z.infer<typeof ToolAnswer>[]; requests: z.infer<typeof RequestAnswer>[] };

export const noAnswers: Answers = { tools: [], requests: [] };

/** Reads an answers file. Refuses with `invalidInput`: a misspelt answer must not silently become a denial. */
export function readAnswers(file: string): Answers {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse('invalidInput', `The answers file ${file} cannot be read: ${messageOf(error)}`);
  }
  return parseAnswers(value, file);
}

export function parseAnswers(value: unknown, file: string): Answers {
  if (!Array.isArray(value)) return refuse('invalidInput', `The answers file ${file} must hold a list of answers.`);
  const answers: Answers = { tools: [], requests: [] };
  for (const [index, entry] of value.entries()) {
    const isRequest = typeof entry === 'object' && entry !== null && 'kind' in entry;
    if (isRequest) answers.requests.push(parseEntry(RequestAnswer, entry, index, file));
    else answers.tools.push(parseEntry(ToolAnswer, entry, index, file));
  }
  return answers;
}

function parseEntry<Schema extends z.ZodType>(schema: Schema, entry: unknown, index: number, file: string): z.output<Schema> {
  const parsed = schema.safeParse(entry);
  if (parsed.success) return parsed.data;
  return refuse('invalidInput', `Answer ${index + 1} of ${file} cannot be used.`, { detail: z.prettifyError(parsed.error) });
}

/** Whether a call may be made: only where an answer says so. */
export function mayCall(answers: Answers, approval: Pick<Approval, 'serverName' | 'tool'>): boolean {
  return answers.tools.find((answer) => answer.server === approval.serverName && answer.tool === approval.tool)?.decision === 'allow';
}

/** What a server's request is answered with: declined where no answer is listed. */
export function answerTo(answers: Answers, request: Pick<InputRequest, 'serverName' | 'kind'>): InputAnswer {
  const found = answers.requests.find((answer) => answer.server === request.serverName && answer.kind === request.kind);
  if (found === undefined) return { action: 'decline' };
  const { server: _server, kind: _kind, ...answer } = found;
  return answer;
}
