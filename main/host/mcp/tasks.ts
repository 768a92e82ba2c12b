import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import { outcomeOf } from './callResult.ts';
import type { TaskHandle, ToolCallOutcome } from './callTool.ts';
import { inputsOfTask, isRecord } from './rawResults.ts';
import { type RequestContext, type RequestOutcome, runRequest } from './runRequest.ts';
import type { TaskNotices } from './taskNotices.ts';

/** How a task stands. `lost`: the server cannot be asked now; `gone`: it does not know the task (any more). */
export type TaskReport =
  | { status: 'working'; message?: string | undefined; pollMs?: number | undefined; expiresAt?: number | undefined }
  /** `requests` by their keys, which are unique for the life of the task; absent in legacy, where they come as requests of their own. */
  | { status: 'inputRequired'; requests?: Record<string, unknown>; message?: string | undefined; pollMs?: number | undefined }
  /** Legacy: the outcome has to be fetched with {@link Tasks.result}. */
  | { status: 'finished' }
  | { status: 'ended'; outcome: ToolCallOutcome }
  | { status: 'gone'; message: string }
  | { status: 'lost'; message: string };

export interface TaskCall {
  callId: CallId;
  conversationId: ConversationId;
}

/** The tasks of one server over one connection (extension `io.modelcontextprotocol/tasks`; 2025-11-25 "Tasks"). Never throws. */
export interface Tasks {
  get(task: TaskHandle, call: TaskCall, signal: AbortSignal): Promise<TaskReport>;
  /** Legacy: waits for the end; questions of the task come meanwhile. */
  result(task: TaskHandle, call: TaskCall, signal: AbortSignal): Promise<TaskReport>;
  /** Modern: has the requests answered by the person and sends the answers. Resolves with undefined when that is done. */
  answer(task: TaskHandle, call: TaskCall, requests: Record<string, unknown>, signal: AbortSignal): Promise<TaskReport | undefined>;
  cancel(task: TaskHandle, call: TaskCall, signal: AbortSignal): Promise<void>;
  /**
   * Hears what the server tells of the task by itself; `undefined` means: ask it. What is returned ends that. A server need not tell
   * anything.
   */
  listen(task: TaskHandle, onNotice: (report: TaskReport | undefined) => void): () => void;
}

/** Milliseconds for one question about a task. */
const askMs = 30_000;
/** Waiting for the person or for a task's end has no time-out of its own: a task has its own limit. In milliseconds. */
const patientMs = 7 * 24 * 60 * 60 * 1000;
const unknownTask = -32602;
const maxMessage = 500;

/** The task that a result of `tools/call` names, if it names one. */
export function taskOf(era: 'legacy' | 'modern', result: Record<string, unknown>, now: number): TaskHandle | undefined {
  const task = era === 'modern' ? (result['resultType'] === 'task' ? result : undefined) : result['task'];
  if (!isRecord(task) || typeof task['taskId'] !== 'string') return undefined;
  const begun = { state: { status: 'working' as const, ...messageOfTask(task) }, isNew: true as const };
  return { taskId: task['taskId'], era, ...timesOf(task, now), ...(task['status'] === 'working' ? begun : {}) };
}

function timesOf(task: Record<string, unknown>, now: number): { expiresAt?: number; pollMs?: number } {
  const ttl = task['ttlMs'] ?? task['ttl'];
  const poll = task['pollIntervalMs'] ?? task['pollInterval'];
  return {
    ...(typeof ttl === 'number' && ttl >= 0 ? { expiresAt: now + ttl } : {}),
    ...(typeof poll === 'number' && poll >= 0 ? { pollMs: poll } : {}),
  };
}

function messageOfTask(task: Record<string, unknown>): { message?: string } {
  const said = task['statusMessage'];
  return typeof said === 'string' && said !== '' ? { message: said.slice(0, maxMessage).toWellFormed() } : {};
}

export function createTasks(context: () => RequestContext & { era: 'legacy' | 'modern' }, notices: TaskNotices): Tasks {
  const ask = (
    method: string,
    params: Record<PropertyKey, unknown>,
    signal: AbortSignal,
    more: { call?: TaskCall & { taskId?: string }; partOf?: CallId; timeoutMs?: number },
  ) => {
    const { timeoutMs = askMs, ...of } = more;
    return runRequest(context(), { method, params, signal, mayHaveEffect: false, ...of }, timeoutMs);
  };

  const failureOf = (outcome: Exclude<RequestOutcome, { kind: 'answer' }>): TaskReport => {
    const { name } = context();
    if (outcome.kind === 'protocolError' && outcome.code === unknownTask) {
      return { status: 'gone', message: `"${name}" no longer knows the task of this call. Whether it took effect is not known.` };
    }
    const isAnswer = outcome.kind === 'invalidResult' && outcome.isNoMessage !== true;
    if (outcome.kind === 'protocolError' || isAnswer) return { status: 'ended', outcome };
    return { status: 'lost', message: outcome.kind === 'cancelled' ? 'It was stopped.' : outcome.message };
  };

  return {
    async get(task, { callId }, signal) {
      const outcome = await ask('tasks/get', { taskId: task.taskId }, signal, { partOf: callId });
      return outcome.kind === 'answer' ? reportOf(context(), outcome.result) : failureOf(outcome);
    },

    async result(task, call, signal) {
      const { taskId } = task;
      const outcome = await ask('tasks/result', { taskId }, signal, { call: { ...call, taskId }, timeoutMs: patientMs });
      return outcome.kind === 'answer' ? { status: 'ended', outcome: outcomeOf(context(), outcome.result) } : failureOf(outcome);
    },

    async answer(task, call, requests, signal) {
      const asked = await ask('tools/call', { name: '', [inputsOfTask]: requests }, signal, { call, timeoutMs: patientMs });
      if (asked.kind !== 'answer') return failureOf(asked);
      const sent = await ask('tasks/update', { taskId: task.taskId, inputResponses: asked.result['inputResponses'] }, signal, {
        partOf: call.callId,
      });
      return sent.kind === 'answer' ? undefined : failureOf(sent);
    },

    async cancel(task, { callId }, signal) {
      await ask('tasks/cancel', { taskId: task.taskId }, signal, { partOf: callId });
    },

    listen: (task, onNotice) => notices.follow(task.taskId, (whole) => onNotice(whole && reportOf(context(), whole))),
  };
}

/** What `tasks/get` says: parsed by `status`, since its `resultType` is not the same everywhere. */
function reportOf(context: RequestContext & { era: 'legacy' | 'modern' }, answer: Record<string, unknown>): TaskReport {
  const { name, era } = context;
  const message = messageOfTask(answer);
  const created = typeof answer['createdAt'] === 'string' ? Date.parse(answer['createdAt']) : Number.NaN;
  const { pollMs, expiresAt } = timesOf(answer, Number.isNaN(created) ? context.clock.now() : created);
  const times = { ...(pollMs === undefined ? {} : { pollMs }), ...(expiresAt === undefined ? {} : { expiresAt }) };
  switch (answer['status']) {
    case 'working':
      return { status: 'working', ...message, ...times };
    case 'input_required': {
      const requests = answer['inputRequests'];
      if (era === 'legacy') return { status: 'inputRequired', ...message, ...times };
      return { status: 'inputRequired', requests: isRecord(requests) ? requests : {}, ...message, ...times };
    }
    case 'completed':
      if (era === 'legacy') return { status: 'finished' };
      return {
        status: 'ended',
        outcome: isRecord(answer['result']) ? outcomeOf(context, answer['result']) : unreadable(name),
      };
    case 'failed': {
      if (era === 'legacy') return { status: 'finished' };
      const error = isRecord(answer['error']) ? answer['error'] : {};
      const code = typeof error['code'] === 'number' ? error['code'] : -32603;
      const text = typeof error['message'] === 'string' ? error['message'] : (message.message ?? '');
      return {
        status: 'ended',
        outcome: {
          kind: 'protocolError',
          code,
          rpcMessage: text.slice(0, 2000),
          message: `"${name}" could not finish the call that it ran as a task (code ${code}).`,
        },
      };
    }
    case 'cancelled':
      return {
        status: 'ended',
        outcome: {
          kind: 'unavailable',
          message: `"${name}" cancelled the call that it ran as a task. What it had done until then is not known.`,
        },
      };
    default:
      return { status: 'ended', outcome: unreadable(name) };
  }
}

const unreadable = (name: string): ToolCallOutcome => ({
  kind: 'invalidResult',
  message: `"${name}" said of the call that it ran as a task what cannot be read.`,
});
