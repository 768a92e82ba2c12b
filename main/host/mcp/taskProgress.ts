import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import { mapReceived } from './mapReceived.ts';
import { isRecord } from './rawResults.ts';

type OnProgress = (progress: CallProgress) => void;

/**
 * In the params of a `tools/call` that asks for a task (2025-11-25): hears how far the task is. A symbol: it follows the params and is
 * never sent.
 */
export const progressOfTask = Symbol('progress of a task');

/** Tasks that are listened to over one connection; of more the oldest fall silent. */
const maxTasks = 200;

/**
 * The token of a call stays good for the life of the task that it became (2025-11-25 "Tasks"), while the client forgets it with the
 * answer. To be called before the client connects.
 */
export function keepTaskProgress(transport: Transport): void {
  const asked = new Map<string | number, { token: unknown; onProgress: OnProgress }>();
  const running = new Map<unknown, OnProgress>();

  mapReceived(transport, (message) => {
    if (!('method' in message)) {
      const request = message.id === undefined ? undefined : asked.get(message.id);
      if (!request || message.id === undefined) return message;
      asked.delete(message.id);
      if ('result' in message && isRecord(message.result['task'])) running.set(request.token, request.onProgress);
      for (const oldest of running.keys()) {
        if (running.size <= maxTasks) break;
        running.delete(oldest);
      }
    } else if (message.method === 'notifications/progress') {
      const progress = progressOf(message.params);
      if (progress) running.get(message.params?.['progressToken'])?.(progress);
    }
    return message;
  });

  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if ('method' in message && 'id' in message) {
      const params: Record<PropertyKey, unknown> = message.params ?? {};
      const onProgress = params[progressOfTask];
      const token = message.params?._meta?.progressToken;
      if (isOnProgress(onProgress) && token !== undefined) asked.set(message.id, { token, onProgress });
    }
    return send(message, options);
  };
}

const isOnProgress = (value: unknown): value is OnProgress => typeof value === 'function';

function progressOf(params: Record<string, unknown> | undefined): CallProgress | undefined {
  const { progress, total, message } = params ?? {};
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, 2000).toWellFormed() } : {}),
  };
}
