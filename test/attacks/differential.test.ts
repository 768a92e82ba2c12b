import { expect, test } from 'vitest';
import { comparePairs } from '../soak/pairs.ts';

/** A fixed slice of what MAITRE_PAIRS=1000 runs whole, and `npm run soak` from other seeds. */
const pairs = Number(process.env['MAITRE_PAIRS'] ?? 60);

test(
  'servers that differ only in text, annotations, icons, errors or instructions get the same verdicts for the same calls, or stricter ones',
  async () => {
    const { verdicts, permissions } = await comparePairs(20_261_130, pairs);
    // Every verdict was among them, and all that a story can hold came to the gate.
    expect(verdicts.allow).toBeGreaterThan(pairs / 15);
    expect(verdicts.ask).toBeGreaterThan(pairs);
    expect(verdicts.deny).toBeGreaterThan(pairs / 20);
    expect(verdicts.none).toBe(0);
    expect(permissions.taken).toBeGreaterThan(pairs / 10);
    expect(permissions.refused).toBeGreaterThan(pairs / 10);
  },
  pairs * 2000 + 60_000,
);
