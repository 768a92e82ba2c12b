import { expect, test } from 'vitest';
import { callClock } from '../../../main/host/mcp/callClock.ts';
import { handClock } from './harness.ts';

function started(idleMs: number, hardMs: number) {
  const clock = handClock();
  const ends: string[] = [];
  return { clock, ends, time: callClock(clock, idleMs, hardMs, (which) => ends.push(which)) };
}

test('without progress a call ends after its time-out', async () => {
  const { clock, ends } = started(1000, 10_000);
  await clock.pass(999);
  expect(ends).toEqual([]);
  await clock.pass(1);
  expect(ends).toEqual(['idle']);
});

test('progress starts the time-out again, but never moves the hard limit', async () => {
  const { clock, ends, time } = started(1000, 10_000);
  for (let each = 0; each < 11; each += 1) {
    await clock.pass(900);
    time.progress();
  }
  expect(ends).toEqual([]);
  await clock.pass(100);
  expect(ends).toEqual(['hard']);
});

test('while it is paused time stands still, whatever progress comes; afterwards the rest is left', async () => {
  const { clock, ends, time } = started(1000, 10_000);
  await clock.pass(600);
  time.pause();
  time.pause();
  await clock.pass(3_600_000);
  time.resume();
  await clock.pass(3_600_000);
  time.resume();
  await clock.pass(399);
  expect(ends).toEqual([]);
  await clock.pass(1);
  expect(ends).toEqual(['idle']);
});

test('a call that is over never ends again', async () => {
  const { clock, ends, time } = started(1000, 10_000);
  time.pause();
  time.stop();
  time.resume();
  time.progress();
  await clock.pass(100_000);
  expect(ends).toEqual([]);
});
