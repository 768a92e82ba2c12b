import { type Client, LOG_LEVEL_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import type { LogLevel } from '../../../preload/contract/servers.ts';
import { messageOf } from '../refusal.ts';
import { isRecord } from './rawResults.ts';
import type { ServerLog } from './serverLog.ts';

/** A server's log messages (`notifications/message`), and how much of them it is asked for. */
export interface ServerMessages {
  /** Undefined: nothing is asked for. A legacy server may log all the same, which is kept. Never throws. */
  setLevel(level: LogLevel | undefined): Promise<void>;
}

/** To be called before the client connects: messages may come at once. */
export function keepServerMessages(client: Client, log: ServerLog): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    log.add('message', logger === undefined ? text : `${logger}: ${text}`, level);
  });
}

/**
 * Legacy servers are told once, with `logging/setLevel`. Modern ones keep nothing between requests (2026-07-28): each request says
 * so in its `_meta`, and without that they must not log.
 */
export function createServerMessages(client: Client, log: ServerLog): ServerMessages {
  if (client.getProtocolEra() === 'modern') {
    let wanted: LogLevel | undefined;
    const transport = client.transport;
    const send = transport?.send.bind(transport);
    if (transport && send) {
      transport.send = (message, options) => {
        if (wanted === undefined || !('method' in message) || !('id' in message)) return send(message, options);
        const meta = message.params?._meta;
        // In place: others know the request by the object that the client made.
        if (isRecord(meta) && meta[PROTOCOL_VERSION_META_KEY] !== undefined) Object.assign(meta, { [LOG_LEVEL_META_KEY]: wanted });
        return send(message, options);
      };
    }
    return {
      setLevel(level) {
        wanted = level;
        return Promise.resolve();
      },
    };
  }
  return {
    async setLevel(level) {
      if (level === undefined || client.getServerCapabilities()?.logging === undefined) return;
      try {
        await client.request({ method: 'logging/setLevel', params: { level } });
      } catch (error) {
        if (client.transport !== undefined) log.add('host', `It did not take the level of its log messages: ${messageOf(error)}`);
      }
    },
  };
}
