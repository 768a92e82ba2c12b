import { SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/client';
import { mapReceived } from './mapReceived.ts';

/**
 * Notices that name a subscription (2026-07-28 "Subscriptions") are handed on while it is one of ours and open, and dropped otherwise: the
 * client library looks at the id of the first message of a stream only. An id is compared with its type, as it was sent. To be called before
 * the client connects.
 */
export function dropStrangeNotices(transport: Transport): void {
  const open = new Set<unknown>();

  mapReceived(transport, (message) => {
    if (!('method' in message)) {
      open.delete(message.id);
      return message;
    }
    const id = message.params?._meta?.[SUBSCRIPTION_ID_META_KEY];
    return id === undefined || 'id' in message || open.has(id) ? message : undefined;
  });

  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'subscriptions/listen') {
      open.add(message.id);
      options?.requestSignal?.addEventListener('abort', () => open.delete(message.id), { once: true });
    }
    return send(message, options);
  };
}
