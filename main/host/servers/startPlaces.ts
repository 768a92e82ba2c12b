import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Clock } from '../ports.ts';

/**
 * Places for programs that start: only so many at once, and none before the window is there, so that 25 servers do not take
 * the processor from the person. Waiting for a place is part of starting.
 */
export interface StartPlaces {
  /** Resolves when the program may start. A program that is asked for a second time keeps its place. */
  take(id: ServerId): Promise<void>;
  /** The start is over, well or badly. */
  leave(id: ServerId): void;
  /** Somebody waits for this one: it starts now, whatever else does. */
  hurry(id: ServerId): void;
  /** The window is there. */
  open(): void;
}

/** Starts at once. */
const atOnce = 3;
/** A start that takes longer, in milliseconds, keeps nobody else waiting: it is silent rather than busy. */
const longestMs = 1500;

export function createStartPlaces(clock: Clock): StartPlaces {
  const waiting = new Map<ServerId, () => void>();
  const taken = new Map<ServerId, () => void>();
  let isOpen = false;

  function admit(id: ServerId, go: () => void): void {
    waiting.delete(id);
    taken.get(id)?.();
    taken.set(
      id,
      clock.after(longestMs, () => leave(id)),
    );
    go();
  }

  function next(): void {
    for (const [id, go] of waiting) {
      if (!isOpen || taken.size >= atOnce) return;
      admit(id, go);
    }
  }

  function leave(id: ServerId): void {
    taken.get(id)?.();
    if (taken.delete(id)) next();
  }

  return {
    take: (id) =>
      new Promise((go) => {
        // One that is replaced was given up by its start; it must not wait for ever.
        waiting.get(id)?.();
        waiting.set(id, go);
        next();
      }),
    leave,
    hurry(id) {
      const go = waiting.get(id);
      if (go) admit(id, go);
    },
    open() {
      isOpen = true;
      next();
    },
  };
}
