import type { Clock } from '../ports.ts';

/** A list is read this long after the first notice of a burst, in milliseconds; each further time waits twice as long. */
export const firstDelayMs = 250;
const maxDelayMs = 300_000;
/** A server that was quiet for this many times its present delay (and 10 s at least) starts again with the first one. */
const quietTimes = 4;
const minQuietMs = 10_000;
/** So many reads in a row that found nothing new make a server noisy. */
const noisyAfter = 4;

/** Turns the change notices of one list into reads of it: few, never two at a time, and always one after the last notice. */
interface ListChanges {
  notice(): void;
  stop(): void;
}

/**
 * `read` reads the list again and says whether it differs. A server that sends notices without changes, even one that does so
 * from inside the read, is read ever more rarely; `onNoisy` is told once.
 */
export function listChanges(options: { clock: Clock; read(): Promise<boolean>; onNoisy(): void }): ListChanges {
  const { clock } = options;
  let delay = firstDelayMs;
  let dirty = false;
  let reading = false;
  let stopped = false;
  let lastRead = 0;
  let unchanged = 0;
  let cancel: (() => void) | undefined;

  const plan = () => {
    if (stopped || reading || cancel) return;
    cancel = clock.after(delay, () => void run());
  };
  const run = async () => {
    cancel = undefined;
    dirty = false;
    reading = true;
    const changed = await options.read();
    reading = false;
    lastRead = clock.elapsed();
    delay = Math.min(delay * 2, maxDelayMs);
    unchanged = changed ? 0 : unchanged + 1;
    if (unchanged === noisyAfter) options.onNoisy();
    if (dirty) plan();
  };

  return {
    notice() {
      if (clock.elapsed() - lastRead > Math.max(minQuietMs, delay * quietTimes)) delay = firstDelayMs;
      dirty = true;
      plan();
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
