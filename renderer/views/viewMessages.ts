/** A JSON-RPC message of a view. Everything in it is the server's word. */
export type ViewMessage =
  | { kind: 'request'; id: string | number; method: string; params: Record<string, unknown> }
  | { kind: 'notification'; method: string; params: Record<string, unknown> }
  | { kind: 'response'; id: string | number };

/** As the host's own bound on what a view sends, in characters of JSON. */
const longest = 400_000;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null: it is none, or longer than anything that a view has to say. */
export function readViewMessage(data: unknown): ViewMessage | null {
  if (!isObject(data) || data['jsonrpc'] !== '2.0') return null;
  const { id, method, params = {} } = data;
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if (typeof method !== 'string') return isId && ('result' in data || 'error' in data) ? { kind: 'response', id } : null;
  if (!isObject(params) || !isShort(params)) return null;
  if (id === undefined) return { kind: 'notification', method, params };
  return isId ? { kind: 'request', id, method, params } : null;
}

/** What structured cloning lets through need not be JSON: a cycle or a big integer. */
function isShort(params: Record<string, unknown>): boolean {
  try {
    return JSON.stringify(params).length <= longest;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

/** Codes of JSON-RPC that a view is answered with. */
export const rpcCodes = { invalidRequest: -32600, methodNotFound: -32601, invalidParams: -32602, refused: -32000 } as const;
