import { type JSONRPCMessage, SERVER_INFO_META_KEY, type Transport } from '@modelcontextprotocol/client';
import { mapReceived } from './mapReceived.ts';
import { isRecord } from './rawResults.ts';
import { tidyIntroduction } from './tidyIntroduction.ts';

const introductions = ['initialize', 'server/discover'];

/** What a server has said of itself beside what the client keeps: its icons as it wrote them, and what was left out of the rest, with the reason. */
export interface Introduction {
  icons: unknown;
  problems: string[];
}

/**
 * Takes out of what a server says of itself when it is connected what the client would not bear: it checks that as a whole, so that a picture in
 * a form of its own (sizes as one string, as early drafts had it), or a null among the capabilities, would cost the connection.
 */
export function takeIntroduction(transport: Transport): { introduction(): Introduction } {
  const asked = new Set<string | number>();
  let icons: unknown;
  let problems: string[] = [];

  const withoutIcons = (info: Record<string, unknown>): Record<string, unknown> => {
    const { icons: declared, ...rest } = info;
    icons = declared ?? icons;
    return rest;
  };
  mapReceived(transport, (message): JSONRPCMessage => {
    if (!('result' in message) || !asked.delete(message.id)) return message;
    const tidy = tidyIntroduction(message.result);
    const { result } = tidy;
    problems = tidy.problems;
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
  return { introduction: () => ({ icons, problems }) };
}
