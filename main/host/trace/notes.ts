import type { Clock } from '../ports.ts';
import type { WireTrace } from './wireTrace.ts';

/** What was told of the wire and is not described yet, of all servers, in its order. */
export interface Notes {
  /** The time at which that was told which is being described. */
  now(): number;
  /** `characters`: how many the note keeps in memory until then. */
  add(work: () => void, characters?: number): void;
  /** Describes everything now: before anybody looks. */
  takeUp(): void;
}

/** Notes wait so long, in milliseconds: longer than a small call takes, and nobody who looks has to wait for them. */
const restMs = 25;
/** What waits at most, so that describing it never holds the loop up. */
const maxNotes = 200;
const maxCharacters = 1_048_576;

export function createNotes(clock: Clock): Notes {
  let notes: { at: number; work: () => void }[] = [];
  let held = 0;
  let at = 0;
  let cancelRest: () => void = () => undefined;

  const takeUp = (): void => {
    cancelRest();
    const taken = notes;
    notes = [];
    held = 0;
    for (const note of taken) {
      at = note.at;
      note.work();
    }
  };

  return {
    now: () => at,
    add(work, characters = 0) {
      if (notes.length === 0) cancelRest = clock.after(restMs, takeUp);
      notes.push({ at: clock.now(), work });
      held += characters;
      if (notes.length >= maxNotes || held >= maxCharacters) takeUp();
    },
    takeUp,
  };
}

/**
 * The same wire, heard of a moment later: to parse, describe and redact a message costs more than the rest of a small call, and no
 * message waits for that on its way.
 */
export function takingNotes(wire: WireTrace, notes: Notes): WireTrace {
  return {
    sent: (text, exchange) => notes.add(() => wire.sent(text, exchange), text.length),
    received: (text, from) => notes.add(() => wire.received(text, from), text.length),
    answered: (exchange, problem) => notes.add(() => wire.answered(exchange, problem)),
    exchanged: (exchange, text, problem) => notes.add(() => wire.exchanged(exchange, text, problem), text.length),
    noise: (text) => notes.add(() => wire.noise(text), text.length),
    connection: (sentence) => notes.add(() => wire.connection(sentence)),
    belongs: (requestId, to) => notes.add(() => wire.belongs(requestId, to)),
    newestFromServer() {
      notes.takeUp();
      return wire.newestFromServer();
    },
  };
}
