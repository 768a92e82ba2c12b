import { type JSONRPCMessage, SERVER_INFO_META_KEY, type Transport } from '@modelcontextprotocol/client';
import { mapReceived } from './mapReceived.ts';
import { isRecord } from './rawResults.ts';

const introductions = ['initialize', 'server/discover'];

/**
 * Takes the icons out of what a server says of itself when it is connected: the client checks that as a whole, so that a picture in a
 * form of its own (sizes as one string, as early drafts had it) would cost the name or the connection. `icons` gives them as written.
 */
export function takeServerIcons(transport: Transport): { icons(): unknown } {
  const asked = new Set<string | number>();
  let icons: unknown;

  const withoutIcons = (info: Record<string, unknown>): Record<string, unknown> => {
    const { icons: declared, ...rest } = info;
    icons = declared ?? icons;
    return rest;
  };
  mapReceived(transport, (message): JSONRPCMessage => {
    if (!('result' in message) || !asked.delete(message.id)) return message;
    const result: Record<string, unknown> = message.result;
    const { serverInfo, _meta: meta } = result;
    const info = isRecord(meta) ? meta[SERVER_INFO_META_KEY] : undefined;
    const cleaned: Record<string, unknown> = {
      ...result,
      ...(isRecord(serverInfo) ? { serverInfo: withoutIcons(serverInfo) } : {}),
      ...(isRecord(meta) && isRecord(info) ? { _meta: { ...meta, [SERVER_INFO_META_KEY]: withoutIcons(info) } } : {}),
    };
    return { ...message, result: cleaned };
  });

  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && introductions.includes(message.method)) asked.add(message.id);
    return send(message, options);
  };
  return { icons: () => icons };
}
