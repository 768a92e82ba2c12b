import type { CallId, ServerId } from '../../../preload/contract/ids.ts';
import type { StartedTask } from '../mcp/callTool.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import type { Secrets } from '../store/secrets.ts';
import { deleteTask, getTask, insertTask, listTasks, removeLostTaskIds } from '../store/taskRows.ts';

/** What finds a server's tasks again after a restart: rows, and their ids among the secrets. */
export interface KeptTasks {
  /** Returns at once: the keychain may be asking for its password. Without one the task is not found again after a restart. */
  keep(callId: CallId, serverId: ServerId, task: StartedTask): void;
  /** Undefined where its id cannot be read (any more). */
  find(callId: CallId): Promise<{ serverId: ServerId; task: StartedTask } | undefined>;
  /** Whether the call goes on at its server though nobody here waits for it. */
  has(callId: CallId): boolean;
  drop(callId: CallId): void;
  all(): CallId[];
}

const ownerOf = (callId: CallId): string => `task:${callId}`;
const idName = 'taskId';

export function createKeptTasks({ db, secrets, clock, log }: { db: Db; secrets: Secrets; clock: Clock; log: Log }): KeptTasks {
  removeLostTaskIds(db);
  /** Calls that ended while their task was being kept. */
  const dropped = new Set<CallId>();
  const keeping = new Set<CallId>();

  const keep = async (callId: CallId, serverId: ServerId, task: StartedTask): Promise<void> => {
    const place = await secrets.set(ownerOf(callId), idName, task.taskId);
    if (place !== 'stored' || dropped.has(callId)) return secrets.removeAll(ownerOf(callId));
    const { configHash, authorizationKey, era, expiresAt } = task;
    insertTask(db, { callId, serverId, configHash, authorizationKey, era, createdAt: clock.now(), expiresAt });
  };

  return {
    keep(callId, serverId, task) {
      keeping.add(callId);
      keep(callId, serverId, task)
        .catch((error: unknown) => log.error('A task of a server could not be kept.', { serverId, error: messageOf(error) }))
        .finally(() => {
          keeping.delete(callId);
          dropped.delete(callId);
        });
    },

    async find(callId) {
      const row = getTask(db, callId);
      const taskId = row && (await secrets.get(ownerOf(callId), idName));
      if (!row || taskId === undefined) return undefined;
      const { serverId, configHash, authorizationKey, era, expiresAt } = row;
      return { serverId, task: { taskId, configHash, authorizationKey, era, expiresAt } };
    },

    has: (callId) => getTask(db, callId) !== undefined,

    drop(callId) {
      if (keeping.has(callId)) dropped.add(callId);
      deleteTask(db, callId);
      secrets.removeAll(ownerOf(callId));
    },

    all: () => listTasks(db).map(({ callId }) => callId),
  };
}
