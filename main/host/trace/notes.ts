import type { Clock } from '../ports.ts';
import type { WireTrace } from './wireTrace.ts';

/** What was told of the wire and is not described yet, of all servers, in its order. */
export interface Notes {
  /** The time at which that was told which is being described. */
  now(): number;
  add(work: () => void): void;
  /** Describes everything now: before anybody looks. */
  takeUp(): void;
}

/** So many wait at most. */
const maxNotes = 1000;

export function createNotes(clock: Pick<Clock, 'now'>): Notes {
  let notes: { at: number; work: () => void }[] = [];
  let at = 0;

  const takeUp = (): void => {
    const taken = notes;
    notes = [];
    for (const note of taken) {
      at = note.at;
      note.work();
    }
  };

  return {
    now: () => at,
    add(work) {
      if (notes.length === 0) setImmediate(takeUp);
      notes.push({ at: clock.now(), work });
      if (notes.length >= maxNotes) takeUp();
    },
    takeUp,
  };
}

/**
 * The same wire, heard of a moment later: to parse, describe and redact a message costs more than the rest of a small call, and no
 * message waits for that on its way. It is done while the server works, or before the loop looks for new input.
 */
export function takingNotes(wire: WireTrace, notes: Notes): WireTrace {
  return {
    sent: (text, exchange) => notes.add(() => wire.sent(text, exchange)),
    received: (text, from) => notes.add(() => wire.received(text, from)),
    answered: (exchange, problem) => notes.add(() => wire.answered(exchange, problem)),
    exchanged: (exchange, text, problem) => notes.add(() => wire.exchanged(exchange, text, problem)),
    noise: (text) => notes.add(() => wire.noise(text)),
    connection: (sentence) => notes.add(() => wire.connection(sentence)),
    belongs: (requestId, to) => notes.add(() => wire.belongs(requestId, to)),
    newestFromServer() {
      notes.takeUp();
      return wire.newestFromServer();
    },
  };
}
