import type { CallId, ServerId } from '../../../preload/contract/ids.ts';
import type { CallProgress, TaskState } from '../../../preload/contract/tasks.ts';
import { type Db, prepared } from './database.ts';

/** A call that its server runs as a task. The id of the task stands among the secrets. */
export interface TaskRow {
  callId: CallId;
  serverId: ServerId;
  configHash: string;
  authorizationKey: string;
  era: 'legacy' | 'modern';
  createdAt: number;
  expiresAt: number | undefined;
  told: TaskTold;
}

/** What the server has told of a task last. */
export interface TaskTold {
  state?: TaskState | undefined;
  progress?: CallProgress | undefined;
}

interface Row {
  call_id: string;
  server_id: string;
  config_hash: string;
  authorization_key: string;
  era: TaskRow['era'];
  created_at: number;
  expires_at: number | null;
  state: string | null;
  progress: string | null;
}

const fromRow = (row: Row): TaskRow => ({
  callId: row.call_id as CallId,
  serverId: row.server_id as ServerId,
  configHash: row.config_hash,
  authorizationKey: row.authorization_key,
  era: row.era,
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  told: {
    ...(row.state === null ? {} : { state: JSON.parse(row.state) as TaskState }),
    ...(row.progress === null ? {} : { progress: JSON.parse(row.progress) as CallProgress }),
  },
});

/** The call must stand already. */
export function insertTask(db: Db, task: TaskRow): void {
  prepared(
    db,
    `INSERT INTO tasks (call_id, server_id, config_hash, authorization_key, era, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(task.callId, task.serverId, task.configHash, task.authorizationKey, task.era, task.createdAt, task.expiresAt ?? null);
  setTaskTold(db, task.callId, task.told);
}

/** Sets what is given and leaves the rest. No row, no effect. */
export function setTaskTold(db: Db, callId: CallId, { state, progress }: TaskTold): void {
  prepared(db, 'UPDATE tasks SET state = coalesce(?, state), progress = coalesce(?, progress) WHERE call_id = ?').run(
    state === undefined ? null : JSON.stringify(state),
    progress === undefined ? null : JSON.stringify(progress),
    callId,
  );
}

export function getTask(db: Db, callId: CallId): TaskRow | undefined {
  const row = prepared<[string], Row>(db, 'SELECT * FROM tasks WHERE call_id = ?').get(callId);
  return row && fromRow(row);
}

/** Oldest first. */
export function listTasks(db: Db): TaskRow[] {
  return prepared<[], Row>(db, 'SELECT * FROM tasks ORDER BY created_at, call_id').all().map(fromRow);
}

/** Removes the sealed ids of tasks whose rows are gone, with their chat or their server. */
export function removeLostTaskIds(db: Db): void {
  db.prepare("DELETE FROM secrets WHERE owner LIKE 'task:%' AND substr(owner, 6) NOT IN (SELECT call_id FROM tasks)").run();
}

export function deleteTask(db: Db, callId: CallId): void {
  prepared(db, 'DELETE FROM tasks WHERE call_id = ?').run(callId);
}
