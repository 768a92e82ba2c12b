import { Worker } from 'node:worker_threads';
import type { Log } from '../ports.ts';
import type { Jobs } from './jobs.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/** A job was killed because it overran its time. */
export class JobOverran extends Error {
  constructor(job: string, timeoutMs: number) {
    super(`The job ${job} was stopped after ${timeoutMs} ms.`);
    this.name = 'JobOverran';
  }
}

/** Threads for work that is heavy (over 256 kB) or hostile (other people's patterns and schemas). */
export interface WorkerPool {
  /**
   * Rejects with {@link JobOverran} when the job's worker had to be killed, with `signal.reason` when aborted.
   * The time counts from when a worker runs the job; waiting for a free one is not part of it.
   */
  run<Job extends keyof Jobs>(
    job: Job,
    input: Jobs[Job]['input'],
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<Jobs[Job]['output']>;
  close(): Promise<void>;
}

interface Task {
  request: ToWorker;
  timeoutMs: number;
  done(output: unknown): void;
  failed(reason: unknown): void;
}

interface Thread {
  worker: Worker;
  ready: boolean;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A worker whose code cannot be loaded would else be started without end. */
const maxFailedStarts = 3;

/** At most `size` threads, started when they are needed and kept. A killed one is replaced with the next job. */
export function createWorkerPool({ size, log }: { size: number; log: Log }): WorkerPool {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  const ending = new Set<Promise<unknown>>();
  let closed = false;
  let failedStarts = 0;

  const schedule = (): void => {
    if (closed) return;
    for (const thread of threads) {
      if (waiting.length === 0) return;
      if (thread.ready && !thread.task) give(thread);
    }
    const starting = [...threads].filter((thread) => !thread.ready).length;
    for (let wanted = Math.min(waiting.length - starting, size - threads.size); wanted > 0; wanted -= 1) start();
  };

  const give = (thread: Thread): void => {
    const task = waiting.shift();
    if (!task) return;
    thread.task = task;
    thread.worker.ref();
    try {
      thread.worker.postMessage(task.request);
    } catch (error) {
      // What cannot be cloned never left: the worker is still free.
      finish(thread);
      task.failed(error);
      schedule();
    }
  };

  const finish = (thread: Thread): Task | undefined => {
    const { task } = thread;
    clearTimeout(thread.timer);
    thread.task = undefined;
    // An idle worker must not keep the process alive.
    thread.worker.unref();
    return task;
  };

  const kill = (thread: Thread): void => {
    threads.delete(thread);
    finish(thread);
    const ended = thread.worker.terminate().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const start = (): void => {
    // The name stands in a variable so that no bundler takes the file for an asset: worker.js is an entry of its own, beside this code.
    const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
    const worker = new Worker(new URL(entry, import.meta.url), { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } });
    const thread: Thread = { worker, ready: false, task: undefined, timer: undefined };
    threads.add(thread);

    worker.on('message', (message: FromWorker) => {
      if (!threads.has(thread)) return;
      if (message.kind === 'ready') {
        thread.ready = true;
        failedStarts = 0;
        worker.unref();
      } else if (message.kind === 'started') {
        const { task } = thread;
        if (!task) return;
        thread.timer = setTimeout(() => {
          kill(thread);
          log.warn('A job overran its time and was stopped.', { job: task.request.job, timeoutMs: task.timeoutMs });
          task.failed(new JobOverran(task.request.job, task.timeoutMs));
          schedule();
        }, task.timeoutMs);
        return;
      } else {
        const task = finish(thread);
        if (message.kind === 'done') task?.done(message.output);
        else task?.failed(Object.assign(new Error(message.message), { name: message.name }));
      }
      schedule();
    });

    // Out of memory, or code that cannot be loaded. The thread has ended or is about to.
    worker.on('error', (error) => {
      if (!threads.has(thread)) return;
      log.error('A worker thread failed.', { error: error.message, job: thread.task?.request.job });
      const { task } = thread;
      if (!thread.ready) failedStarts += 1;
      kill(thread);
      task?.failed(error);
      if (failedStarts >= maxFailedStarts) for (const left of waiting.splice(0)) left.failed(error);
      schedule();
    });
  };

  return {
    run<Job extends keyof Jobs>(job: Job, input: Jobs[Job]['input'], { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }) {
      return new Promise<Jobs[Job]['output']>((resolve, reject) => {
        if (closed) return reject(new Error('The worker pool is closed.'));
        if (signal?.aborted) return reject(signal.reason);
        const abort = (): void => {
          const thread = [...threads].find((candidate) => candidate.task === task);
          if (thread) kill(thread);
          else waiting.splice(waiting.indexOf(task), 1);
          task.failed(signal?.reason);
          schedule();
        };
        const task: Task = {
          // `job` and `input` belong together by the signature, which the union cannot express.
          request: { job, input } as ToWorker,
          timeoutMs,
          done(output) {
            signal?.removeEventListener('abort', abort);
            resolve(output as Jobs[Job]['output']);
          },
          failed(reason) {
            signal?.removeEventListener('abort', abort);
            reject(reason);
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        waiting.push(task);
        schedule();
      });
    },

    async close() {
      closed = true;
      const reason = new Error('The worker pool was closed.');
      for (const task of waiting.splice(0)) task.failed(reason);
      for (const thread of [...threads]) {
        const { task } = thread;
        kill(thread);
        task?.failed(reason);
      }
      await Promise.all(ending);
    },
  };
}
