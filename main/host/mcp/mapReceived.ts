import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Puts `map` between a transport and its client, before the client connects. Of several the first one sees a message first; one that it gives
 * undefined for goes no further.
 */
export function mapReceived(transport: Transport, map: (message: JSONRPCMessage) => JSONRPCMessage | undefined): void {
  const earlier = Object.getOwnPropertyDescriptor(transport, 'onmessage');
  let handler = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: earlier?.get ?? (() => handler),
    set: (next: Transport['onmessage']) => {
      handler =
        next &&
        ((message, extra) => {
          const mapped = map(message);
          if (mapped !== undefined) next(mapped as typeof message, extra);
        });
      earlier?.set?.call(transport, handler);
    },
  });
}
