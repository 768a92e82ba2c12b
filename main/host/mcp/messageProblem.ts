import { type JSONRPCMessage, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isRecord } from './rawResults.ts';

/** `data` of the error that stands for an answer which is no message. */
export const noMessage = Symbol('no message');
/** `data` of the error that stands for an answer that never came, where an event of its stream was no message. */
export const noMessageInStream = Symbol('no message in the stream');

/** A message was longer than is taken, in bytes. */
export class MessageTooLong extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`The server sent a message of more than ${limit / 1_048_576} MiB.`);
    this.name = 'MessageTooLong';
    this.limit = limit;
  }
}

const Issues = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })));

/** `answers`: the id of the request that it seems to answer. */
export type ReadMessage = { message: JSONRPCMessage } | { problem: string; answers?: string | number };

/**
 * A parsed message as JSON-RPC 2.0 and MCP ("Messages") want it, or what is wrong with it, as a part of a sentence that begins with "it". What
 * can be meant in one way only is taken: members that nobody knows are left out, and so is the one of `result` and `error` that is null.
 */
export function readMessage(value: unknown): ReadMessage {
  if (!isRecord(value)) return { problem: 'it is no JSON object' };
  const { jsonrpc, id, method, params, result, error } = value;
  const isId = typeof id === 'string' || Number.isInteger(id);
  const answers = isId && method === undefined ? { answers: id as string | number } : {};
  const wrong = (problem: string): ReadMessage => ({ problem, ...answers });

  if (jsonrpc !== '2.0') return wrong('it does not say "jsonrpc": "2.0"');
  if (method !== undefined) {
    if (typeof method !== 'string') return wrong('its "method" is no text');
    if (id !== undefined && !isId) return wrong('its "id" is neither a text nor a whole number');
    if (params !== undefined && !isRecord(params)) return wrong('its "params" are no object');
    return {
      message: { jsonrpc, method, ...(id === undefined ? {} : { id }), ...(params === undefined ? {} : { params }) } as JSONRPCMessage,
    };
  }
  const hasResult = result !== undefined && (result !== null || error === undefined || error === null);
  const hasError = error !== undefined && error !== null;
  if (hasResult && hasError) return wrong('it has both a "result" and an "error"');
  if (hasError) {
    if (!isRecord(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string')
      return wrong('its "error" has no whole number as "code" or no text as "message"');
    const said = `${String(error['code'])}: ${error['message'].slice(0, 300)}`;
    if (!isId) return wrong(`it is an error that names no request (${said})`);
    return { message: { jsonrpc, id, error } as JSONRPCMessage };
  }
  if (!hasResult) return wrong('it has neither a "method", nor a "result", nor an "error"');
  if (!isId) return wrong('it is an answer without the "id" of its request');
  if (!isRecord(result)) return wrong('its "result" is no object');
  return { message: { jsonrpc, id, result } as JSONRPCMessage };
}

/** What is wrong with a text that should be one message, as a part of a sentence that begins with "it"; undefined: nothing. */
export function problemOfText(text: string): string | undefined {
  try {
    const read = readMessage(JSON.parse(text));
    return 'problem' in read ? read.problem : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return problemOfAnswer(error);
    throw error;
  }
}

/** The beginning of an answer up to its id, with nothing nested before it: an `id` further in may be anybody's. */
const beginningOfAnswer = /^\{(?=[^{}[\]]*"jsonrpc")(?![^{}[\]]*"method")[^{}[\]]*?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*,/;

/** A line that begins as an answer to a request and is no JSON: which request, and what is wrong. Undefined for any other line. */
export function brokenAnswer(line: string): { answers: string | number; problem: string } | undefined {
  const id = beginningOfAnswer.exec(line.slice(0, 1000))?.[1];
  if (id === undefined) return undefined;
  try {
    JSON.parse(line);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { answers: id.startsWith('"') ? id.slice(1, -1) : Number(id), problem: `it is no JSON (${error.message.slice(0, 200)})` };
  }
}

/**
 * What was wrong with an answer that the client could not take for a message (over HTTP), or for the result that it had asked for, as a part of a
 * sentence that begins with "it"; undefined where another thing went wrong.
 */
export function problemOfAnswer(thrown: unknown): string | undefined {
  if (thrown instanceof MessageTooLong) return `it is longer than ${thrown.limit / 1_048_576} MiB`;
  if (thrown instanceof SyntaxError) return `it is no JSON (${thrown.message.slice(0, 200)})`;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ClientHttpUnexpectedContent) {
    const type = isRecord(thrown.data) ? thrown.data['contentType'] : undefined;
    const named = typeof type === 'string' ? `is of the type ${JSON.stringify(type.slice(0, 100))}` : 'names no type';
    return `it ${named}, and only application/json and text/event-stream may come`;
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.InvalidResult) return problemOfResult(thrown.message);
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.UnsupportedResultType)
    return `its result is of a kind that the protocol does not have here (${thrown.message.slice(0, 200)})`;
  if (!(thrown instanceof z.core.$ZodError)) return undefined;
  const issue = closest(thrown.issues);
  return issue && `it is no message of JSON-RPC 2.0 (${[...issue.path.map(String), issue.message].join(': ').slice(0, 200)})`;
}

/** The client writes all that it has found behind the name of the method. */
function problemOfResult(message: string): string {
  const [, method = '', found = ''] = /^Invalid result for (\S+): (.*)$/s.exec(message) ?? [];
  const issues = Issues.safeParse(found);
  const first = issues.success ? issues.data[0] : undefined;
  const what = first ? [...first.path.map(String), first.message].join(': ') : found;
  return method === '' ? message.slice(0, 300) : `its result of ${method} is not as the protocol has it (${what.slice(0, 200)})`;
}

/** Of the forms that a message may have, the one that comes nearest tells what is wrong. */
function closest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [first] = issues;
  if (first?.code !== 'invalid_union' || first.errors.length === 0) return first;
  return closest(first.errors.reduce((best, each) => (each.length < best.length ? each : best)));
}
