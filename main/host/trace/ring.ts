import type { HttpEnvelope, TraceEntry, TraceEntryId } from '../../../preload/contract/trace.ts';

/** An entry as it is kept. `servedId` is what a call, or a request sent by hand, is known by. Everything in it is free of secrets. */
export interface KeptEntry {
  entry: Omit<TraceEntry, 'purpose' | 'httpStatus'>;
  servedId?: string | undefined;
  http?: HttpEnvelope | undefined;
  text: string;
  isCut: boolean;
}

/** The newest entries of one server, oldest first, bounded in number and in characters of their texts. */
export interface Ring {
  add(kept: KeptEntry): void;
  all(): KeptEntry[];
  find(id: TraceEntryId): KeptEntry | undefined;
  clear(): void;
}

/** What an entry takes besides its text, roughly. */
const entryCharacters = 500;

export function createRing(limits: { entries: number; characters: number }): Ring {
  // A map keeps the order of its making, and gives away its oldest as easily as it finds any.
  const kept = new Map<TraceEntryId, KeptEntry>();
  let characters = 0;
  const sizeOf = (each: KeptEntry): number => each.text.length + entryCharacters;

  return {
    add(each) {
      kept.set(each.entry.id, each);
      characters += sizeOf(each);
      for (const [id, oldest] of kept) {
        if (kept.size <= limits.entries && (characters <= limits.characters || kept.size === 1)) break;
        kept.delete(id);
        characters -= sizeOf(oldest);
      }
    },
    all: () => [...kept.values()],
    find: (id) => kept.get(id),
    clear() {
      kept.clear();
      characters = 0;
    },
  };
}
