import type { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import { Detached, type TaskHandle, type TaskState, type ToolCallOutcome } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { TaskReport } from '../mcp/tasks.ts';
import type { Clock } from '../ports.ts';

/** How often a server is asked that has no wish: this after the start, then ever more rarely. In milliseconds. */
const firstPollMs = 1000;
const maxPollMs = 30_000;
/** No wish of a server, and no storm of its notices, makes it more often than this, nor more rarely than that. In milliseconds. */
const minPollMs = 50;
const maxWishMs = 60 * 60 * 1000;
/** Tasks of one server are not all asked for in the same moment: a wait is up to this share longer. */
const jitter = 0.1;
/** Between two tries to reach a server that cannot be reached, in milliseconds. */
const firstRetryMs = 1000;
const maxRetryMs = 60_000;
/** How long the open request for the result of a task that has ended may take until it is asked for anew, in milliseconds. */
const openResultMs = 2000;
/** A farewell to a task may take this long, and this long a server is waited for that is not connected. In milliseconds. */
const cancelMs = 5000;
const reachMs = 60_000;

/**
 * Follows a task of a server to its end, over as many connections as it takes: by asking for it, as rarely as the server wishes, and by
 * what the server tells of it itself, which may come at any time or never. What the server asks meanwhile goes the same way as the
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

  const notices = createNotices(clock, signal);
  let listening: { connection: Connection; stop: () => void } | undefined;
  const listenTo = (connection: Connection): void => {
    if (listening?.connection === connection) return;
    listening?.stop();
    listening = { connection, stop: connection.tasks.listen(task, notices.add) };
    void connection.ended.then(() => notices.add(undefined));
    if (connection.protocol.era === 'legacy') void resultOver(connection);
  };
  /**
   * The result in legacy: one request that stays open until there is one, and over which the task's questions come. It is there from
   * the start, so that a quick call is no slower for being a task.
   */
  let waited: { connection: Connection; result: Promise<TaskReport> } | undefined;
  const resultOver = (connection: Connection): Promise<TaskReport> => {
    if (waited?.connection === connection) return waited.result;
    const result = connection.tasks.result(task, call, AbortSignal.any([signal, inputs.signal]));
    const entry = { connection, result };
    waited = entry;
    void result.then((report) => {
      if (waited === entry) waited = undefined;
      // Whatever else came of it is believed when the task says that it has ended.
      if (report.status === 'ended' && report.outcome.kind === 'result') notices.add(report);
    });
    return result;
  };
  const pollWait = (): number => {
    const wish = poll === undefined ? ownPoll : Math.min(Math.max(poll, minPollMs), maxWishMs);
    const left = expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.max(expiresAt - clock.now(), 0) + 1;
    return Math.min(wish * (1 + Math.random() * jitter), left);
  };

  tell({ status: 'working', ...task.state, ...(expiresAt === undefined ? {} : { expiresAt }) });
  try {
    for (let first = true; ; first = false) {
      const connection = await options.connected(signal);
      if (signal.aborted) return await end('tasks' in connection ? connection : undefined);
      if (expiresAt !== undefined && clock.now() > expiresAt) {
        return {
          kind: 'unavailable',
          message: `"${options.name()}" had a limited time for this call and has let it pass. What it had done until then is not known.`,
        };
      }
      if (!('tasks' in connection)) {
        const late = notices.take();
        if (late?.status === 'ended') return late.outcome;
        if (connection.final) return { kind: 'unavailable', message: `${connection.message} What came of the call is not known.` };
        await notices.wait(retry);
        retry = Math.min(retry * 2, maxRetryMs);
        continue;
      }
      listenTo(connection);
      if (first && task.isNew && poll !== undefined) await notices.wait(pollWait());
      let report = signal.aborted ? undefined : (notices.take() ?? (await connection.tasks.get(task, call, signal)));
      if (report === undefined || signal.aborted) return await end(connection);
      if (refused) {
        await end(connection);
        return refused;
      }
      if (report.status === 'finished' || (report.status === 'inputRequired' && report.requests === undefined)) {
        if (report.status === 'inputRequired') tell({ status: 'inputRequired', message: report.message, expiresAt });
        const open = report.status === 'finished' ? await soon(clock, resultOver(connection), openResultMs) : resultOver(connection);
        report = (await open) ?? (await connection.tasks.result(task, call, signal));
        if (signal.aborted) return await end(connection);
      }
      switch (report.status) {
        case 'ended':
          return report.outcome;
        case 'gone':
          return { kind: 'unavailable', message: report.message };
        case 'lost':
          await notices.wait(retry);
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
      await notices.wait(pollWait());
      ownPoll = Math.min(ownPoll * 1.5, maxPollMs);
    }
  } finally {
    listening?.stop();
    // Nobody waits for what a task that has ended still asks.
    inputs.abort(new Error('The task has ended.'));
  }
}

/** The value, where it comes within so many milliseconds. */
function soon<Value>(clock: Clock, value: Promise<Value>, ms: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined));
    value.then(resolve, reject).finally(cancel);
  });
}

/** What a server tells between two questions about a task: of several notices the newest counts, and the end counts for good. */
function createNotices(clock: Clock, signal: AbortSignal) {
  let newest: { report: TaskReport | undefined } | undefined;
  let wake: () => void = () => undefined;

  const pause = (ms: number, hears: boolean): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted || (hears && newest !== undefined)) return resolve();
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        wake = () => undefined;
        resolve();
      };
      const cancel = clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
      if (hears) wake = done;
    });

  return {
    /** `undefined`: the task is to be asked for. */
    add(report: TaskReport | undefined): void {
      if (newest?.report?.status === 'ended') return;
      newest = { report };
      wake();
    },
    /** The newest notice, once; undefined where the task is to be asked for. */
    take(): TaskReport | undefined {
      const taken = newest?.report;
      newest = undefined;
      return taken;
    },
    /** Ends early with the signal, and with a notice as soon as {@link minPollMs} are over. */
    async wait(ms: number): Promise<void> {
      const quiet = Math.min(ms, minPollMs);
      await pause(quiet, false);
      if (ms > quiet) await pause(ms - quiet, true);
    },
  };
}
