import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import type { Clock } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { ServerLog } from './serverLog.ts';

const firstRetryMs = 1000;
const maxRetryMs = 300_000;

type GrantedFilter = McpSubscription['honoredFilter'];
/** What is listened for. `taskIds` is of the extension `io.modelcontextprotocol/tasks`, which the client does not know: it passes it on. */
export type ListenFilter = GrantedFilter & { taskIds?: string[] };

/** One stream of `subscriptions/listen` (2026-07-28), kept open for as long as something is listened for. */
export interface ListenStream {
  /**
   * Listens for what {@link filter} says now: the new stream is open before the one of before is closed. Resolves when it was tried.
   * Never throws.
   */
  reopen(): Promise<void>;
  stop(): void;
}

/** A stream that ended, or could not be opened, is opened again after a while, ever more rarely. */
export function createListenStream(options: {
  client: Client;
  clock: Clock;
  log: ServerLog;
  /** Undefined: nothing is listened for now. */
  filter(): ListenFilter | undefined;
  /** `mayHaveMissed`: there was no stream for a while. */
  onOpen(granted: GrantedFilter, asked: ListenFilter, mayHaveMissed: boolean): void;
  onEnd(): void;
}): ListenStream {
  const { client, clock, log } = options;
  const stopped = new AbortController();
  let stream: McpSubscription | undefined;
  let delay = firstRetryMs;
  let cancel: () => void = () => undefined;
  /** One change of the stream at a time. */
  let work: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;

  const open = async (mayHaveMissed: boolean): Promise<void> => {
    cancel();
    if (stopped.signal.aborted) return;
    const before = stream;
    const filter = options.filter();
    if (filter === undefined) {
      stream = undefined;
      await before?.close();
      return;
    }
    try {
      const opened = await client.listen(filter, { signal: stopped.signal });
      stream = opened;
      const openedAt = clock.elapsed();
      options.onOpen(opened.honoredFilter, filter, mayHaveMissed);
      void opened.closed.then((how) => {
        if (stopped.signal.aborted || how === 'local' || stream !== opened) return;
        stream = undefined;
        options.onEnd();
        // A stream that held for a while may be opened again at once; one that breaks at once is left more and more time.
        if (clock.elapsed() - openedAt > delay) delay = firstRetryMs;
        again();
      });
    } catch (error) {
      if (stopped.signal.aborted) return;
      log.add('host', `It could not be asked to tell of changes: ${messageOf(error).slice(0, 300)}`);
      again();
    }
    // Only now: between the two streams nothing is missed.
    if (before !== undefined && before !== stream) await before.close();
  };

  const again = () => {
    if (client.transport === undefined) return;
    const wait = delay * (0.75 + Math.random() / 2);
    delay = Math.min(delay * 2, maxRetryMs);
    cancel = clock.after(wait, () => void (work = work.then(() => open(true))));
  };

  return {
    reopen() {
      // What changes before its turn comes goes into one and the same stream.
      queued ??= work = work.then(() => {
        queued = undefined;
        return open(false);
      });
      return queued;
    },
    stop() {
      stopped.abort();
      cancel();
    },
  };
}
