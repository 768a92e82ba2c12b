import type { CallId, ServerId } from '../../../preload/contract/ids.ts';
import type { StartedTask } from '../mcp/callTool.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from '../store/database.ts';
import type { Secrets } from '../store/secrets.ts';
import { deleteTask, getTask, insertTask, listTasks, removeLostTaskIds, setTaskTold, type TaskTold } from '../store/taskRows.ts';

/** What finds a server's tasks again after a restart: rows, and their ids among the secrets. */
export interface KeptTasks {
  /** Returns at once: the keychain may be asking for its password. Without one the task is not found again after a restart. */
  keep(callId: CallId, serverId: ServerId, task: StartedTask): void;
  /** Keeps what the server tells of the task. */
  tell(callId: CallId, told: TaskTold): void;
  /** What it has told last, from an earlier run of the host too. */
  told(callId: CallId): TaskTold;
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
  /** What is told of a task while its id is being sealed. */
  const keeping = new Map<CallId, TaskTold>();

  const keep = async (callId: CallId, serverId: ServerId, task: StartedTask): Promise<void> => {
    const place = await secrets.set(ownerOf(callId), idName, task.taskId);
    if (place !== 'stored' || dropped.has(callId)) return secrets.removeAll(ownerOf(callId));
    const { configHash, authorizationKey, era, expiresAt } = task;
    const told = keeping.get(callId) ?? {};
    insertTask(db, { callId, serverId, configHash, authorizationKey, era, createdAt: clock.now(), expiresAt, told });
  };

  return {
    keep(callId, serverId, task) {
      keeping.set(callId, {});
      keep(callId, serverId, task)
        .catch((error: unknown) => log.error('A task of a server could not be kept.', { serverId, error: messageOf(error) }))
        .finally(() => {
          keeping.delete(callId);
          dropped.delete(callId);
        });
    },

    tell(callId, told) {
      const early = keeping.get(callId);
      if (early) Object.assign(early, told);
      setTaskTold(db, callId, told);
    },

    told: (callId) => getTask(db, callId)?.told ?? {},

    async find(callId) {
      const row = getTask(db, callId);
      const taskId = row && (await secrets.get(ownerOf(callId), idName));
      if (!row || taskId === undefined) return undefined;
      const { serverId, configHash, authorizationKey, era, expiresAt, told } = row;
      return { serverId, task: { taskId, configHash, authorizationKey, era, expiresAt, state: told.state } };
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
