/** Numbers that look random and follow from a seed, so that what was seen can be seen again. */
export interface Random {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
}

/** Mulberry32: short, and good enough to choose moments. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    below(bound) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
    },
  };
}
