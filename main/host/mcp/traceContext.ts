import { createHmac, randomBytes } from 'node:crypto';
import { type Client, TRACEPARENT_META_KEY } from '@modelcontextprotocol/client';

/** Names, in the params of a request, what it is part of: all rounds of it share a trace id. A symbol: it is never sent. */
export const operationOfRequest = Symbol('operation');

/** The trace id for a request of this operation, 32 hexadecimal digits; undefined where its server gets none now. */
export type TraceIdOf = (operation: string | undefined) => string | undefined;

/**
 * Gives what belongs together one trace id, and everything else one of its own. They mean nothing outside this run of the host: an id
 * that came back another day would tell servers that it is the same person.
 */
export function createTraceIds(): (group: string | undefined) => string {
  const key = randomBytes(32);
  return (group) =>
    (group === undefined ? randomBytes(16) : createHmac('sha256', key).update(group).digest().subarray(0, 16)).toString('hex');
}

/**
 * Makes every request carry `traceparent` (W3C Trace Context; 2026-07-28 "Trace context"), each with a span id of its own, the rounds
 * of a call and its tasks included. No `tracestate` and no `baggage`: they could only hold data. To be called before the client connects.
 */
export function carryTraceContext(client: Client, traceIdOf: TraceIdOf): void {
  const connect = client.connect.bind(client);
  client.connect = (transport, ...rest) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!('method' in message && 'id' in message)) return send(message, options);
      const params: Record<PropertyKey, unknown> = message.params ?? {};
      const operation = params[operationOfRequest];
      const traceId = traceIdOf(typeof operation === 'string' ? operation : undefined);
      if (traceId === undefined) return send(message, options);
      // "Sampled": what is sent is recorded here, and a server that follows the flag would record nothing otherwise.
      const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
      const meta = { ...message.params?._meta, [TRACEPARENT_META_KEY]: traceparent };
      return send({ ...message, params: { ...message.params, _meta: meta } }, options);
    };
    return connect(transport, ...rest);
  };
}
