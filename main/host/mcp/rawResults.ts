import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';

/**
 * The client checks whole results against its own schemas: one tool with a bad schema would lose the list, one unknown kind of
 * content the result. For the four requests below it gets a minimal result to check, which carries the server's own one along.
 */
const minimal = {
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'resources/list': { resources: [], ttlMs: 0, cacheScope: 'private' },
  'prompts/list': { prompts: [], ttlMs: 0, cacheScope: 'private' },
  'tools/call': { content: [] },
} as const;
type RawMethod = keyof typeof minimal;

const carried = Symbol('result of the server');
const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion';
/** Names the call in the params of a request. A symbol: it follows the params through all rounds of a call and is never sent. */
export const callOfRequest = Symbol('call');
/** Names the call in `_meta` of the input requests (2026-07-28) of its result; what the server wrote there is replaced. */
export const callMetaKey = 'app.maitre/call';
/** `data` of the error that stands for an answer that can no longer come, because its stream ended. */
export const lostAnswer = Symbol('lost answer');

/** To be given to `client.request` for one of the four methods. */
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
 * To be called before the client connects.
 */
export function keepRawResults(transport: Transport): void {
  const pending = new Map<string | number, { method: RawMethod; modern: boolean; call: string }>();

  const received = (message: JSONRPCMessage): JSONRPCMessage => {
    if (!('id' in message) || message.id === undefined || 'method' in message) return message;
    const request = pending.get(message.id);
    if (!request) return message;
    pending.delete(message.id);
    if (!('result' in message) || !isRecord(message.result)) return message;
    const { result } = message;
    if (result['resultType'] === 'input_required') return { ...message, result: markInputRequests(result, request.call) };
    if (result['resultType'] !== undefined && result['resultType'] !== 'complete') return message;
    const stand = { ...minimal[request.method], ...(request.modern ? { resultType: 'complete' } : {}), [carried]: result };
    return { ...message, result: stand };
  };

  let handler = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set: (next: Transport['onmessage']) => {
      handler = next && ((message, extra) => next(received(message) as typeof message, extra));
    },
  });

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
    pending.set(id, {
      method,
      modern: message.params?._meta?.[protocolVersionKey] !== undefined,
      call: String(params[callOfRequest] ?? ''),
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
}

function isRawMethod(method: string): method is RawMethod {
  return Object.hasOwn(minimal, method);
}

function markInputRequests(result: Record<string, unknown>, call: string): Record<string, unknown> {
  const { inputRequests } = result;
  if (!isRecord(inputRequests)) return result;
  const marked = Object.entries(inputRequests).map(([key, entry]) => {
    if (!isRecord(entry)) return [key, entry];
    const params = isRecord(entry['params']) ? entry['params'] : {};
    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    return [key, { ...entry, params: { ...params, _meta: { ...meta, [callMetaKey]: call } } }];
  });
  return { ...result, inputRequests: Object.fromEntries(marked) };
}
