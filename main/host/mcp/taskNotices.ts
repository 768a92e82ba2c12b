import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isNestedTooDeep } from '../nesting.ts';
import type { Clock } from '../ports.ts';
import { createListenStream } from './listenStream.ts';
import { isRecord } from './rawResults.ts';
import type { ServerLog } from './serverLog.ts';

/** Declared to every modern server: it may answer a call with a task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** What a server tells of its tasks by itself. Nothing of it is relied on: whoever follows a task asks for it all the same. */
export interface TaskNotices {
  /** `onNotice` gets the whole task, as from `tasks/get`; undefined where it is to be asked for. What is returned ends that. */
  follow(taskId: string, onNotice: (task: Record<string, unknown> | undefined) => void): () => void;
  stop(): void;
}

const Named = z.looseObject({ taskId: z.string() });

/**
 * Modern servers that have tasks are asked to tell of those that are followed (`subscriptions/listen` with `taskIds`), over a stream of
 * their own: a server that refuses them still tells of its lists. Legacy ones tell unasked that a status has changed
 * (`notifications/tasks/status`). Notices of tasks that nobody follows are dropped.
 */
export function createTaskNotices({ client, clock, log }: { client: Client; clock: Clock; log: ServerLog }): TaskNotices {
  const followed = new Map<string, Set<(task: Record<string, unknown> | undefined) => void>>();
  const tell = (taskId: string, task: Record<string, unknown> | undefined): void => {
    for (const onNotice of followed.get(taskId) ?? []) onNotice(task);
  };

  client.setNotificationHandler('notifications/tasks', { params: Named }, (task) => tell(task.taskId, isWhole(task) ? task : undefined));
  client.setNotificationHandler('notifications/tasks/status', { params: Named }, ({ taskId }) => tell(taskId, undefined));

  const hasTasks = client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.extensions?.[tasksExtension] !== undefined;
  const stream = createListenStream({
    client,
    clock,
    log,
    filter: () => (followed.size === 0 ? undefined : { taskIds: [...followed.keys()] }),
    // What happened until now was not told.
    onOpen: (_granted, { taskIds = [] }) => taskIds.forEach((taskId) => tell(taskId, undefined)),
    onEnd: () => undefined,
  });

  return {
    follow(taskId, onNotice) {
      const others = followed.get(taskId);
      if (others) others.add(onNotice);
      else {
        followed.set(taskId, new Set([onNotice]));
        if (hasTasks) void stream.reopen();
      }
      return () => {
        const left = followed.get(taskId);
        if (!left?.delete(onNotice) || left.size > 0) return;
        followed.delete(taskId);
        if (hasTasks) void stream.reopen();
      };
    },
    stop: stream.stop,
  };
}

/** Whether a notice says all that there is to know. What it leaves out is asked for, as is what nobody can read. */
function isWhole(task: Record<string, unknown>): boolean {
  if (isNestedTooDeep(task)) return false;
  switch (task['status']) {
    case 'working':
    case 'cancelled':
      return true;
    case 'completed':
      return isRecord(task['result']);
    case 'failed':
      return isRecord(task['error']);
    case 'input_required':
      return isRecord(task['inputRequests']);
    default:
      return false;
  }
}
