import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isNestedTooDeep } from '../nesting.ts';
import { mapReceived } from './mapReceived.ts';

/**
 * The client checks whole results against its own schemas: one tool with a bad schema would lose the list, one unknown kind of
 * content the result. For the requests below it gets a minimal result to check, which carries the server's own one along.
 */
const minimal = {
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'resources/list': { resources: [], ttlMs: 0, cacheScope: 'private' },
  'resources/templates/list': { resourceTemplates: [], ttlMs: 0, cacheScope: 'private' },
  'prompts/list': { prompts: [], ttlMs: 0, cacheScope: 'private' },
  'tools/call': { content: [] },
  'resources/read': { contents: [], ttlMs: 0, cacheScope: 'private' },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
  'tasks/get': {},
  'tasks/result': {},
  'tasks/update': {},
  'tasks/cancel': {},
} as const;
type RawMethod = keyof typeof minimal;

/** The only methods that may be answered with `input_required` (2026-07-28). */
const asksForInput: ReadonlySet<RawMethod> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const carried = Symbol('result of the server');
/** On a result into which answers of the person have gone. */
export const afterInput = Symbol('after input');
const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion';
/** Names the call in the params of a request. A symbol: it follows the params through all rounds of a call and is never sent. */
export const callOfRequest = Symbol('call');
/** Names the call in `_meta` of the input requests (2026-07-28) of its result; what the server wrote there is replaced. */
export const callMetaKey = 'app.maitre/call';
/** Names in `_meta` of each input request all methods of its round: a round with one that was not offered is not shown in part. */
export const methodsMetaKey = 'app.maitre/methods';
/**
 * Carries a task's input requests in the params of a `tools/call` that is never sent: the client is to have them answered as it does
 * with those of a call, and what the server gets (`tasks/update`) is another message.
 */
export const inputsOfTask = Symbol('input requests of a task');
/** `data` of the error that stands for a result that is nested too deep to be handed on. */
export const tooDeep = Symbol('nested too deep');
/** `data` of the error that stands for an answer that can no longer come, because its stream ended. */
export const lostAnswer = Symbol('lost answer');

/** To be given to `client.request` for one of these methods. */
export const rawResultSchema = z.custom<Record<PropertyKey, unknown>>((value) => typeof value === 'object' && value !== null);

/** The result as the server sent it. */
export function rawResultOf(result: Record<PropertyKey, unknown>): Record<string, unknown> {
  const raw = result[carried];
  return isRecord(raw) ? raw : result;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Makes `transport` hand on results as described above, and answer requests whose stream ended without an answer.
 * To be called before the client connects. `callOf` names the call that a request which waits for its answer belongs to.
 */
export function keepRawResults(transport: Transport): { callOf(id: string | number): string | undefined } {
  const pending = new Map<string | number, { method: RawMethod; modern: boolean; call: string; answers: boolean }>();

  const received = (written: JSONRPCMessage): JSONRPCMessage => {
    if (!('id' in written) || written.id === undefined || 'method' in written) return written;
    // Some write the number of a request as a text: the client takes that, and the trace says so.
    const id = pending.has(written.id) ? written.id : Number(written.id);
    const request = pending.get(id);
    if (!request) return written;
    const message = id === written.id ? written : { ...written, id };
    pending.delete(id);
    if (!('result' in message) || !isRecord(message.result)) return message;
    const { result } = message;
    // A list is looked through entry by entry: one of them must not cost the others.
    if (!request.method.endsWith('/list') && isNestedTooDeep(result)) {
      return { jsonrpc: '2.0', id, error: { code: -32603, message: 'The result is nested too deep.', data: tooDeep } };
    }
    const type = result['resultType'];
    if (type === 'input_required') {
      // Elsewhere it breaks the protocol: without its requests the client takes it for the error that it is.
      return {
        ...message,
        result: asksForInput.has(request.method) ? markInputRequests(result, request.call) : { resultType: type },
      };
    }
    // Both are declared: a call that became a task, and examples of the extension that answer about a task under that name.
    const isTask = type === 'task' && request.modern && (request.method === 'tools/call' || request.method.startsWith('tasks/'));
    if (type !== undefined && type !== 'complete' && !isTask) return message;
    const stand = {
      ...minimal[request.method],
      ...(request.modern ? { resultType: 'complete' } : {}),
      [carried]: result,
      [afterInput]: request.answers,
    };
    return { ...message, result: stand };
  };

  mapReceived(transport, received);

  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if (!('method' in message)) return send(message, options);
    if (message.method === 'notifications/cancelled' && !('id' in message)) {
      const id = message.params?.['requestId'];
      if (typeof id === 'number' || typeof id === 'string') pending.delete(id);
    }
    if (!('id' in message) || !isRawMethod(message.method)) return send(message, options);
    const { id, method } = message;
    const params: Record<PropertyKey, unknown> = message.params ?? {};
    const inputs = params[inputsOfTask];
    if (isRecord(inputs)) {
      const { inputResponses } = params;
      const result =
        inputResponses === undefined
          ? markInputRequests({ resultType: 'input_required', inputRequests: inputs }, String(params[callOfRequest] ?? ''))
          : { ...minimal['tools/call'], resultType: 'complete', [carried]: { inputResponses } };
      return void queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id, result }));
    }
    pending.set(id, {
      method,
      modern: message.params?._meta?.[protocolVersionKey] !== undefined,
      call: String(params[callOfRequest] ?? ''),
      answers: params['inputResponses'] !== undefined,
    });
    options?.requestSignal?.addEventListener('abort', () => pending.delete(id), { once: true });
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        if (!pending.delete(id)) return;
        transport.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: -32000, message: 'The stream ended before the answer came.', data: lostAnswer },
        });
      },
    });
  };
  return { callOf: (id) => pending.get(id)?.call };
}

function isRawMethod(method: string): method is RawMethod {
  return Object.hasOwn(minimal, method);
}

function markInputRequests(result: Record<string, unknown>, call: string): Record<string, unknown> {
  const { inputRequests } = result;
  if (!isRecord(inputRequests)) return result;
  const methods = Object.values(inputRequests).map((entry) => (isRecord(entry) ? entry['method'] : undefined));
  const marked = Object.entries(inputRequests).map(([key, entry]) => {
    if (!isRecord(entry)) return [key, entry];
    const params = isRecord(entry['params']) ? entry['params'] : {};
    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    return [key, { ...entry, params: { ...params, _meta: { ...meta, [callMetaKey]: call, [methodsMetaKey]: methods } } }];
  });
  return { ...result, inputRequests: Object.fromEntries(marked) };
}
