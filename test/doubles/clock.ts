import type { Clock, Log } from '../../main/host/ports.ts';

export interface ManualClock extends Clock {
  /** Moves time on and runs the timers that are due, in order. */
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function manualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers = timers.filter((timer) => timer !== due);
        now = Math.max(now, due.at);
        due.run();
      }
      now = end;
    },
  };
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };
