import type { Transport } from '@modelcontextprotocol/client';
import { callOfRequest } from '../mcp/rawResults.ts';
import type { WireTrace } from './wireTrace.ts';

/** Tells the trace which call a request serves, before it is sent: on the wire nothing says so. To be called before the client connects. */
export function traceServed(transport: Transport, trace: WireTrace | undefined): void {
  if (!trace) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message) {
      const params: Record<PropertyKey, unknown> = message.params ?? {};
      const served = params[callOfRequest];
      if (typeof served === 'string' && served !== '') trace.belongs(message.id, served);
    }
    return send(message, options);
  };
}
