import { appendFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Told } from './stage.ts';
import { without } from './switchable.ts';

/** What came of one run of an attack. */
export interface Outcome {
  /** The canary is among the bytes that left: those that a stranger, or a server that must not have it, was sent. */
  left: boolean;
  /** What was to be done was done. */
  done: boolean;
  /** The chat of it, where there is one, for what must stand on its cards. */
  told?: Told | undefined;
}

/** A hostile server or file, and a model that obeys it. */
export interface Attack {
  name: string;
  /** What stops it, in words. */
  guard: string;
  /** The exported function of the host that is that guard, and what stands in its place when it is switched off. */
  off: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** `twin`: the same shape without malice. */
  run(kind: 'attack' | 'twin'): Promise<Outcome>;
  /** Where the attack ends at a card: throws what is missing there of payload, destination and origin. */
  onCard?(told: Told): void;
}

/** One row of the table that `npm run attacks` prints. */
export interface AttackRow {
  attack: string;
  guard: string;
  left_on: boolean | null;
  left_off: boolean | null;
  twin: boolean | null;
}

/**
 * Each attack runs three times: with every guard, nothing leaves; without its one guard, the canary does; and as a benign twin it
 * completes. A row a line goes to the file that MAITRE_ATTACKS names.
 */
export function describeAttacks(attacks: readonly Attack[]): void {
  // Not `$name`, which is cut: names may differ at their end only.
  describe.each(attacks.map((attack) => [attack.name, attack] as const))('%s', (_name, attack) => {
    const row: AttackRow = { attack: attack.name, guard: attack.guard, left_on: null, left_off: null, twin: null };

    test('leaves with nothing', async () => {
      const outcome = await attack.run('attack');
      row.left_on = outcome.left;
      expect(outcome.left).toBe(false);
      if (attack.onCard) {
        if (!outcome.told) throw new Error('An attack that ends at a card tells of its chat.');
        attack.onCard(outcome.told);
      }
    });

    test(`leaves with the canary where "${attack.guard}" is switched off`, async () => {
      const outcome = await without(attack.off, () => attack.run('attack'));
      row.left_off = outcome.left;
      expect(outcome.left).toBe(true);
    });

    test('comes to its end where nothing is wrong with it', async () => {
      const outcome = await attack.run('twin');
      row.twin = outcome.done;
      expect(outcome).toMatchObject({ done: true });
    });

    afterAll(() => {
      const file = process.env['MAITRE_ATTACKS'];
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
    });
  });
}
