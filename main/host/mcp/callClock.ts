import type { Clock } from '../ports.ts';

/** The client's own time-outs are not used: it must wait as long as we do. */
export const neverMs = 2_147_483_647;

/** The time of one call. It ends after `idleMs` without progress, and after `hardMs` in any case; while paused it stands still. */
export interface CallClock {
  progress(): void;
  /** May be nested: it goes on when every pause was ended. */
  pause(): void;
  resume(): void;
  stop(): void;
}

export function callClock(clock: Clock, idleMs: number, hardMs: number, onEnd: (which: 'idle' | 'hard') => void): CallClock {
  let idleLeft = idleMs;
  let hardLeft = hardMs;
  let pauses = 0;
  let stopped = false;
  let since = clock.elapsed();
  let cancel: () => void = () => undefined;

  const run = () => {
    since = clock.elapsed();
    cancel = clock.after(Math.max(0, Math.min(idleLeft, hardLeft)), () => {
      stopped = true;
      onEnd(hardLeft <= idleLeft ? 'hard' : 'idle');
    });
  };
  const halt = () => {
    cancel();
    const passed = Math.max(0, clock.elapsed() - since);
    idleLeft -= passed;
    hardLeft -= passed;
  };

  run();
  return {
    progress() {
      if (stopped) return;
      if (pauses === 0) halt();
      idleLeft = idleMs;
      if (pauses === 0) run();
    },
    pause() {
      pauses += 1;
      if (pauses === 1 && !stopped) halt();
    },
    resume() {
      pauses -= 1;
      if (pauses === 0 && !stopped) run();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
