import { readMessage } from '../mcp/messageProblem.ts';
import { isRecord } from '../mcp/rawResults.ts';
import { isNestedTooDeep } from '../nesting.ts';
import type { TraceEntry } from '../../../preload/contract/trace.ts';

/** What the trace says of one message besides its text. */
export interface MessageFacts extends Pick<TraceEntry, 'method' | 'subject' | 'rpcId' | 'era' | 'problem'> {
  kind: 'request' | 'response' | 'error' | 'notification' | 'noise';
  /** The request that a notification is about (its progress token, or the one that is cancelled), as JSON text. */
  aboutRequest?: string | undefined;
  /** A result without a `resultType`, as those before 2026-07-28 are. */
  isUntyped?: true;
  /** This message alone. */
  text: string;
}

/** Of a name or id as the server wrote it: secrets are struck out of it, and then it is cut to what is shown. In characters. */
const maxName = 4096;
/** Above this the text is not parsed here: only what stands in its head and tail is read. In characters. */
const maxParsed = 262_144;

/**
 * What stands on the wire, as messages: one, or those of a batch (2025-03-26). `parsed` is the text's own value, where it is known
 * already. Never throws: what is no message is one entry that says so.
 */
export function describeMessage(text: string, parsed?: unknown): [MessageFacts, ...MessageFacts[]] {
  const value = parsed ?? (text.length > maxParsed ? undefined : parse(text));
  if (value === undefined && text.length > maxParsed) return [describeLong(text)];
  if (Array.isArray(value) && value.length > 0 && !isNestedTooDeep(value)) {
    const [first, ...rest] = value.map((each) => describe(each, JSON.stringify(each)));
    return first ? [first, ...rest] : [describe(value, text)];
  }
  return [describe(value, text)];
}

function describe(value: unknown, text: string): MessageFacts {
  if (!isRecord(value)) return { kind: 'noise', text, problem: 'It is no JSON-RPC message.' };
  const id = value['id'];
  const rpcId = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id).slice(0, maxName) : undefined;
  const { method, params } = value;
  if (typeof method === 'string') {
    const about = isRecord(params) ? (params['progressToken'] ?? params['requestId']) : undefined;
    const subject = subjectOf(params);
    return {
      kind: id === undefined ? 'notification' : 'request',
      text,
      method: method.slice(0, maxName),
      ...(rpcId === undefined ? {} : { rpcId }),
      ...(subject === undefined ? {} : { subject }),
      ...(id === undefined ? {} : { era: eraOf(method, params) }),
      ...(typeof about === 'string' || typeof about === 'number' ? { aboutRequest: JSON.stringify(about) } : {}),
    };
  }
  const { error, result } = value;
  if (error !== undefined) {
    const code = isRecord(error) && typeof error['code'] === 'number' ? error['code'] : undefined;
    return {
      kind: 'error',
      text,
      ...(rpcId === undefined ? {} : { rpcId }),
      problem: code === undefined ? 'An error of the protocol.' : `An error of the protocol, code ${code}.`,
    };
  }
  const isError = isRecord(result) && result['isError'] === true;
  const problem =
    result === undefined
      ? 'It has neither a method, nor a result, nor an error.'
      : isError
        ? 'The tool reports an error.'
        : rpcId === undefined
          ? 'It is an answer without the id of its request.'
          : brokenRule(value);
  return {
    kind: 'response',
    text,
    ...(rpcId === undefined ? {} : { rpcId }),
    ...(problem === undefined ? {} : { problem }),
    ...(isRecord(result) && result['resultType'] === undefined ? { isUntyped: true as const } : {}),
  };
}

/** What else keeps a message from being taken. */
function brokenRule(value: unknown): string | undefined {
  const read = readMessage(value);
  return 'problem' in read ? `It is no message of the protocol: ${read.problem}.` : undefined;
}

function subjectOf(params: unknown): string | undefined {
  if (!isRecord(params)) return undefined;
  const named = params['name'] ?? params['uri'];
  return typeof named === 'string' ? named.slice(0, maxName) : undefined;
}

/** Requests of 2026-07-28 name their version each; those before named it once. */
function eraOf(method: string, params: unknown): 'modern' | 'legacy' {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return method === 'server/discover' || (isRecord(meta) && 'io.modelcontextprotocol/protocolVersion' in meta) ? 'modern' : 'legacy';
}

/** A long message is judged by its ends: the members beside its content stand before or behind it. */
function describeLong(text: string): MessageFacts {
  const head = text.slice(0, 400);
  const id = '"id"\\s*:\\s*("(?:[^"\\\\]|\\\\.){0,200}"|-?\\d+)';
  const rpcId =
    new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?(?:"method"\\s*:\\s*"[^"]{1,200}"\\s*,\\s*)?${id}`).exec(head)?.[1] ??
    new RegExp(`${id}\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$`).exec(text.slice(-400))?.[1];
  const method = /^[^{]*\{[^{]*?"method"\s*:\s*"([^"\\]{1,200})"/.exec(head)?.[1];
  const isError = /^[^{]*\{[^{]*?"error"\s*:\s*\{/.test(head);
  const kind = method !== undefined ? (rpcId === undefined ? 'notification' : 'request') : isError ? 'error' : 'response';
  return {
    kind,
    text,
    ...(rpcId === undefined ? {} : { rpcId }),
    ...(method === undefined ? {} : { method }),
    ...(kind === 'error' ? { problem: 'An error of the protocol.' } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
