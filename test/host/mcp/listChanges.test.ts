import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstDelayMs, listChanges } from '../../../main/host/mcp/listChanges.ts';
import { handClock } from './handClock.ts';

test('whenever notices come, the list is read again after the last of them, and never twice at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 3000 })), { minLength: 1, maxLength: 60 }),
      async (gaps) => {
        const clock = handClock();
        let version = 0;
        let seen = -1;
        let reading = 0;
        let reads = 0;
        const changes = listChanges({
          clock,
          async read() {
            reading += 1;
            reads += 1;
            expect(reading).toBe(1);
            // What the server answers is how things stood when it was asked.
            const asked = version;
            await new Promise<void>((resolve) => void clock.after(200, resolve));
            const changed = seen !== asked;
            seen = asked;
            reading -= 1;
            return changed;
          },
          onNoisy: () => undefined,
        });
        for (const gap of gaps) {
          version += 1;
          changes.notice();
          await clock.pass(gap);
        }
        await clock.pass(700_000);
        expect(seen).toBe(version);
        expect(reads).toBeLessThanOrEqual(gaps.length);
      },
    ),
    { seed: 7, numRuns: 60 },
  );
});

test('a server that answers every list with another notice is read a dozen times in the time in which it was read 1,742 times elsewhere', async () => {
  const clock = handClock();
  let reads = 0;
  let noisy = 0;
  const changes = listChanges({
    clock,
    read() {
      reads += 1;
      changes.notice();
      return Promise.resolve(false);
    },
    onNoisy: () => (noisy += 1),
  });
  changes.notice();
  await clock.pass(164_000);
  expect(reads).toBeLessThanOrEqual(12);
  expect(reads).toBeGreaterThan(5);
  expect(noisy).toBe(1);
});

test('after a quiet time the first notice is followed quickly again', async () => {
  const clock = handClock();
  let reads = 0;
  const changes = listChanges({ clock, read: () => Promise.resolve(++reads > 0), onNoisy: () => undefined });
  for (let each = 0; each < 5; each += 1) {
    changes.notice();
    await clock.pass(firstDelayMs * 2 ** each);
  }
  expect(reads).toBe(5);
  await clock.pass(3_600_000);
  changes.notice();
  await clock.pass(firstDelayMs);
  expect(reads).toBe(6);
});

test('the wait doubles with every read, up to five minutes, and starts anew after four such waits of quiet', async () => {
  const clock = handClock();
  const at: number[] = [];
  const changes = listChanges({ clock, read: async () => at.push(clock.now()) > 0, onNoisy: () => undefined });
  await clock.pass(60_000);
  const waited = async () => {
    const [noticed, reads] = [clock.now(), at.length];
    changes.notice();
    while (at.length === reads) await clock.pass(250);
    return (at.at(-1) ?? 0) - noticed;
  };
  const waits: number[] = [];
  for (let each = 0; each < 12; each += 1) waits.push(await waited());
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]);
  await clock.pass(1_200_000 - (clock.now() - (at.at(-1) ?? 0)));
  expect(await waited()).toBe(300_000);
  await clock.pass(1_200_001 - (clock.now() - (at.at(-1) ?? 0)));
  expect(await waited()).toBe(250);
  // Of short waits ten seconds of quiet are asked for.
  await clock.pass(10_000 - (clock.now() - (at.at(-1) ?? 0)));
  expect(await waited()).toBe(500);
  await clock.pass(10_001 - (clock.now() - (at.at(-1) ?? 0)));
  expect(await waited()).toBe(250);
});

test('a change between reads that find none makes a server no noisy one; four in a row do, and are told once', async () => {
  const clock = handClock();
  let noisy = 0;
  const found = [false, false, false, true, false, false, false, false, false, false];
  const told: number[] = [];
  const changes = listChanges({
    clock,
    read: async () => {
      told.push(noisy);
      return found.shift() ?? true;
    },
    onNoisy: () => (noisy += 1),
  });
  for (let each = 0; each < 10; each += 1) {
    changes.notice();
    await clock.pass(400_000);
  }
  expect(told).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  expect(noisy).toBe(1);
});

test('once stopped nothing is read any more, whether a read was planned, is under way, or is asked for', async () => {
  const clock = handClock();
  let reads = 0;
  const read = Promise.withResolvers<boolean>();
  const changes = listChanges({ clock, read: () => ((reads += 1), read.promise), onNoisy: () => undefined });
  changes.notice();
  changes.stop();
  await clock.pass(10_000);
  expect(reads).toBe(0);
  const under = listChanges({ clock, read: () => ((reads += 1), read.promise), onNoisy: () => undefined });
  under.notice();
  await clock.pass(10_000);
  under.notice();
  under.stop();
  read.resolve(true);
  await clock.pass(10_000);
  under.notice();
  await clock.pass(10_000);
  expect(reads).toBe(1);
});

test('a notice during a read that takes long is followed after it, by one read at a time', async () => {
  const clock = handClock();
  const reads: PromiseWithResolvers<boolean>[] = [];
  const changes = listChanges({
    clock,
    read() {
      const read = Promise.withResolvers<boolean>();
      reads.push(read);
      return read.promise;
    },
    onNoisy: () => undefined,
  });
  changes.notice();
  await clock.pass(250);
  changes.notice();
  await clock.pass(600_000);
  expect(reads).toHaveLength(1);
  reads[0]?.resolve(true);
  await clock.pass(0);
  await new Promise((resolve) => setImmediate(resolve));
  await clock.pass(500);
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(true);
  await new Promise((resolve) => setImmediate(resolve));
  await clock.pass(600_000);
  expect(reads).toHaveLength(2);
  changes.notice();
  await clock.pass(250);
  changes.stop();
  reads[2]?.resolve(true);
  await new Promise((resolve) => setImmediate(resolve));
  changes.notice();
  await clock.pass(600_000);
  expect(reads).toHaveLength(3);
});
