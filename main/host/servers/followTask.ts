import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import { Detached, type TaskHandle, type TaskState, type ToolCallOutcome } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { TaskReport } from '../mcp/tasks.ts';
import type { Clock } from '../ports.ts';

/** How often a server is asked that has no wish: this after the start, then ever more rarely. In milliseconds. */
const firstPollMs = 1000;
const maxPollMs = 30_000;
/** No wish of a server makes it more often than this, in milliseconds. */
const minPollMs = 50;
/** Between two tries to reach a server that cannot be reached, in milliseconds. */
const firstRetryMs = 1000;
const maxRetryMs = 60_000;
/** A farewell to a task may take this long, and this long a server is waited for that is not connected. In milliseconds. */
const cancelMs = 5000;
const reachMs = 60_000;

/**
 * Follows a task of a server to its end, over as many connections as it takes. What the server asks meanwhile goes the same way as the
 * questions of a call, each once. Aborting `signal` cancels the task, unless the reason is {@link Detached}: then it goes on there.
 * Never throws.
 */
export async function followTask(options: {
  name(): string;
  clock: Clock;
  /** `final`: the server may not be asked any more. */
  connected(signal: AbortSignal): Promise<Connection | { message: string; final: boolean }>;
  task: TaskHandle;
  call: { callId: CallId; conversationId: ConversationId };
  signal: AbortSignal;
  onState(state: TaskState): void;
}): Promise<ToolCallOutcome> {
  const { clock, task, call, signal } = options;
  let { expiresAt } = task;
  let poll = task.pollMs;
  let ownPoll = firstPollMs;
  let retry = firstRetryMs;
  const asked = new Set<string>();
  const inputs = new AbortController();
  let told = '';

  const tell = (state: TaskState): void => {
    const text = JSON.stringify(state);
    if (text === told) return;
    told = text;
    options.onState(state);
  };
  const end = async (connection: Connection | undefined): Promise<ToolCallOutcome> => {
    if (signal.reason instanceof Detached) return { kind: 'detached' };
    const bound = new AbortController();
    const cancelBound = clock.after(connection ? cancelMs : reachMs, () => bound.abort());
    const farewell = async () => {
      const reached = connection ?? (await options.connected(bound.signal));
      if ('tasks' in reached) await reached.tasks.cancel(task, call, bound.signal);
      cancelBound();
    };
    // A server that is not reached now hears of it when it is: nobody waits for that.
    if (connection) await farewell();
    else void farewell();
    return { kind: 'cancelled' };
  };
  /** The keys of a task's questions stay the same for its life: each is asked once, though it may stand in many answers. */
  const answer = (connection: Connection, requests: Record<string, unknown>): Promise<TaskReport | undefined> | undefined => {
    const fresh = Object.entries(requests).filter(([key]) => !asked.has(key));
    if (fresh.length === 0) return undefined;
    for (const [key] of fresh) asked.add(key);
    return connection.tasks.answer(task, call, Object.fromEntries(fresh), AbortSignal.any([signal, inputs.signal]));
  };
  /** What came of the questions, when nothing else has ended the task before. */
  let refused: ToolCallOutcome | undefined;

  tell({ status: 'working', ...(expiresAt === undefined ? {} : { expiresAt }) });
  try {
    for (;;) {
      const connection = await options.connected(signal);
      if (signal.aborted) return await end('tasks' in connection ? connection : undefined);
      if (expiresAt !== undefined && clock.now() > expiresAt) {
        return {
          kind: 'unavailable',
          message: `"${options.name()}" had a limited time for this call and has let it pass. What it had done until then is not known.`,
        };
      }
      if (!('tasks' in connection)) {
        if (connection.final) return { kind: 'unavailable', message: `${connection.message} What came of the call is not known.` };
        await pause(clock, retry, signal);
        retry = Math.min(retry * 2, maxRetryMs);
        continue;
      }
      let report = await connection.tasks.get(task, call, signal);
      if (signal.aborted) return await end(connection);
      if (refused) {
        await end(connection);
        return refused;
      }
      if (report.status === 'finished' || (report.status === 'inputRequired' && report.requests === undefined)) {
        if (report.status === 'inputRequired') tell({ status: 'inputRequired', message: report.message, expiresAt });
        report = await connection.tasks.result(task, call, signal);
        if (signal.aborted) return await end(connection);
      }
      switch (report.status) {
        case 'ended':
          return report.outcome;
        case 'gone':
          return { kind: 'unavailable', message: report.message };
        case 'lost':
          await pause(clock, retry, signal);
          retry = Math.min(retry * 2, maxRetryMs);
          continue;
        case 'inputRequired':
          tell({ status: 'inputRequired', message: report.message, expiresAt });
          void answer(connection, report.requests ?? {})?.then((failure) => {
            if (failure?.status === 'ended') refused = failure.outcome;
            // Its answer may not have come through: it is asked for again, if the server still wants it.
            else if (failure?.status === 'lost' && report.status === 'inputRequired')
              for (const key of Object.keys(report.requests ?? {})) asked.delete(key);
          });
          break;
        case 'working':
          expiresAt = report.expiresAt ?? expiresAt;
          tell({ status: 'working', message: report.message, expiresAt });
      }
      retry = firstRetryMs;
      if ('pollMs' in report && report.pollMs !== undefined) poll = report.pollMs;
      await pause(clock, poll === undefined ? ownPoll : Math.min(Math.max(poll, minPollMs), maxRetryMs), signal);
      ownPoll = Math.min(ownPoll * 1.5, maxPollMs);
    }
  } finally {
    // Nobody waits for what a task that has ended still asks.
    inputs.abort(new Error('The task has ended.'));
  }
}

/** Ends early with the signal. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
