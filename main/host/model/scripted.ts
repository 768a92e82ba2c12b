import { readFile } from 'node:fs/promises';
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { z } from 'zod';
import { messageOf } from '../refusal.ts';
import { ModelFailure } from './model.ts';
import type { Model, ModelEvent, ModelTool, PromptMessage, StepRequest } from './model.ts';

const Call = z.union([
  z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
  /** Goes out as the model's own text, whether it is JSON or not. */
  z.strictObject({ tool: z.string().min(1), argumentsText: z.string() }),
]);

const Step = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  calls: z.array(Call).optional(),
  /** The request fails, after text and reasoning were given out. */
  error: z
    .strictObject({
      code: z.enum([
        'rateLimited',
        'quota',
        'keyWrong',
        'modelGone',
        'contextTooLong',
        'refusedRequest',
        'offline',
        'disconnected',
        'timedOut',
        'providerError',
      ]),
      message: z.string(),
    })
    .optional(),
});

const Script = z.strictObject({ steps: z.array(Step) });
type Script = z.infer<typeof Script>;

const noMoreSteps = 'The script has no more steps.';
/** Text goes out in pieces of this many characters, as a real model's does. */
const pieceLength = 24;

/**
 * A model that says what a JSON file says: one step of the script a model request, counted anew in each turn. A call's `tool` is a server's name, a dot
 * and the server's own tool name, resolved by the longest matching server name; one that no server has goes out under the name as written.
 * @param file absolute path; read at each request, so that it may be edited between turns.
 */
export function createScriptedModel(file: string): Model {
  return {
    ref: `scripted:${file}`,
    provider: 'scripted',
    limits: { maxTools: Number.MAX_SAFE_INTEGER, contextTokens: Number.MAX_SAFE_INTEGER, images: false, dialect: 'plain' },
    leavesComputer: false,
    async *stream(request: StepRequest): AsyncGenerator<ModelEvent> {
      request.signal.throwIfAborted();
      const script = await readScript(file);
      const index = stepIndex(request.messages);
      const step = script.steps[index] ?? { text: noMoreSteps };
      if (step.reasoning !== undefined && step.reasoning !== '') {
        yield { type: 'reasoning.start' };
        for (const text of pieces(step.reasoning)) yield { type: 'reasoning.delta', text };
        yield { type: 'reasoning.end' };
      }
      if (step.text !== undefined && step.text !== '') {
        yield { type: 'text.start' };
        for (const text of pieces(step.text)) {
          request.signal.throwIfAborted();
          yield { type: 'text.delta', text };
        }
        yield { type: 'text.end' };
      }
      if (step.error !== undefined) {
        throw new ModelFailure(step.error.code, step.error.message, {
          retryable: retryable.has(step.error.code),
          detail: `Step ${index + 1} of ${file}`,
        });
      }
      const calls = step.calls ?? [];
      const turn = request.messages.filter((message) => message.role === 'user').length;
      for (const [position, call] of calls.entries()) {
        const argumentsText = 'argumentsText' in call ? call.argumentsText : JSON.stringify(call.arguments);
        yield {
          type: 'call',
          modelCallId: `scripted_${turn}_${index}_${position}`,
          wireName: resolveTool(call.tool, request.tools),
          arguments: 'argumentsText' in call ? objectIn(call.argumentsText) : call.arguments,
          argumentsText,
        };
      }
      yield { type: 'finish', reason: calls.length > 0 ? 'calls' : 'stop' };
    },
  };
}

const retryable: ReadonlySet<string> = new Set(['rateLimited', 'offline', 'disconnected', 'timedOut', 'providerError']);

/** The wire name of `server.tool`; names of servers and of tools may hold dots, so the longest server that has the tool wins. */
export function resolveTool(name: string, tools: readonly ModelTool[]): string {
  const matching = tools
    .filter(({ origin, wireName }) => (origin === undefined ? wireName === name : `${origin.serverName}.${origin.tool}` === name))
    .sort((a, b) => (b.origin?.serverName.length ?? 0) - (a.origin?.serverName.length ?? 0));
  return matching[0]?.wireName ?? name;
}

/** How many answers this turn has had: assistant messages after the last user message. */
function stepIndex(messages: readonly PromptMessage[]): number {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).filter(({ role }) => role === 'assistant').length;
}

async function readScript(file: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ModelFailure('badScript', `The script ${file} cannot be read.`, { detail: messageOf(error) });
  }
  return parseScript(file, text);
}

/** Throws a ModelFailure `badScript` that names line, column and what is wrong there. */
export function parseScript(file: string, text: string): Script {
  const errors: ParseError[] = [];
  const plain = text.replace(/^\ufeff/, '');
  const tree = parseTree(plain, errors, { disallowComments: true });
  const first = errors[0];
  if (first !== undefined || tree === undefined) {
    const what = first === undefined ? 'it is empty' : words(printParseErrorCode(first.error));
    throw new ModelFailure('badScript', `The script ${file} is no JSON: ${what} at ${place(plain, first?.offset ?? 0)}.`);
  }
  const parsed = Script.safeParse(getNodeValue(tree));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).map((step) => (typeof step === 'symbol' ? String(step) : step));
  const at = nearest(tree, path);
  throw new ModelFailure(
    'badScript',
    `The script ${file} does not fit: ${path.length === 0 ? 'at the top' : path.join('.')}: ${issue?.message ?? 'unknown'} (${place(plain, at.offset)}).`,
    { detail: parsed.error.message },
  );
}

function nearest(tree: Node, path: (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  return errors.length === 0 && tree?.type === 'object' ? z.record(z.string(), z.unknown()).parse(JSON.parse(text)) : undefined;
}

function pieces(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / pieceLength) }, (_, index) =>
    characters.slice(index * pieceLength, (index + 1) * pieceLength).join(''),
  );
}
