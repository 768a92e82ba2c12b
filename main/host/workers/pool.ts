import type { Jobs } from './jobs.ts';

/** A job was killed because it overran its time. */
export class JobOverran extends Error {
  constructor(job: string, timeoutMs: number) {
    super(`The job ${job} was stopped after ${timeoutMs} ms.`);
    this.name = 'JobOverran';
  }
}

/** Threads for work that is heavy (over 256 kB) or hostile (other people's patterns and schemas). */
export interface WorkerPool {
  /** Rejects with {@link JobOverran} when the job's worker had to be killed, with `signal.reason` when aborted. */
  run<Job extends keyof Jobs>(
    job: Job,
    input: Jobs[Job]['input'],
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<Jobs[Job]['output']>;
  close(): Promise<void>;
}
