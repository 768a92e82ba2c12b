import { existsSync, readFileSync } from 'node:fs';

const everyMs = 5;
/** Linux tells here how long the main thread has waited for a processor in all: its second number, in nanoseconds. */
const schedule = '/proc/self/schedstat';
const isTold = existsSync(schedule);

function waitedForProcessorMs(): number {
  if (!isTold) return 0;
  return Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6;
}

/**
 * Watches the event loop of this process. `end` returns the longest time for which it did not turn, in milliseconds. Time in which the
 * process waited for a processor, because other programs had all of them, is not the host's and does not count where the system tells it.
 */
export function startLoopWatch(): { end(): number } {
  let longest = 0;
  let at = performance.now();
  let waited = waitedForProcessorMs();
  const look = (): void => {
    const stood = performance.now() - at - everyMs - (waitedForProcessorMs() - waited);
    longest = Math.max(longest, stood);
    at = performance.now();
    waited = waitedForProcessorMs();
  };
  const timer = setInterval(look, everyMs).unref();
  return {
    end() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
