import type { Clock } from '../../../main/host/ports.ts';

/** A clock whose time passes only when told. `set` moves the time of day alone, as a person does who sets the computer's clock. */
export function handClock(): Clock & { pass(ms: number): Promise<void>; set(ms: number): void } {
  let now = 1_000_000;
  let moved = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now + moved,
    elapsed: () => now,
    set: (ms) => void (moved += ms),
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = next.at;
        timers = timers.filter((each) => each !== next);
        next.run();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = end;
    },
  };
}
