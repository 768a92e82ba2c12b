import { expect, test } from 'vitest';
import { callClock } from '../../../main/host/mcp/callClock.ts';
import { handClock } from './handClock.ts';

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

test.each([
  ['forward', 86_400_000],
  ['back', -86_400_000],
])('a clock of the computer that is set %s takes no time from a call and gives it none', async (_where, ms) => {
  const { clock, ends, time } = started(1000, 3000);
  clock.set(ms);
  time.progress();
  time.pause();
  clock.set(ms);
  time.resume();
  await clock.pass(999);
  expect(ends).toEqual([]);
  time.progress();
  clock.set(ms);
  await clock.pass(999);
  time.progress();
  expect(ends).toEqual([]);
  await clock.pass(1000);
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

test('a call that has ended is not started again by progress or by the end of a pause', async () => {
  for (const after of [
    (time: ReturnType<typeof callClock>) => time.progress(),
    (time: ReturnType<typeof callClock>) => (time.pause(), time.resume()),
  ]) {
    const { clock, ends, time } = started(1000, 10_000);
    await clock.pass(1000);
    after(time);
    await clock.pass(100_000);
    expect(ends).toEqual(['idle']);
  }
});

test('a call that was stopped while it ran does not end; where both limits fall together it is the hard one', async () => {
  const stopped = started(1000, 10_000);
  stopped.time.stop();
  await stopped.clock.pass(100_000);
  expect(stopped.ends).toEqual([]);
  const both = started(1000, 1000);
  await both.clock.pass(1000);
  expect(both.ends).toEqual(['hard']);
});

test('progress during a pause gives the whole time-out afterwards, of the hard limit what was left', async () => {
  const { clock, ends, time } = started(1000, 1500);
  await clock.pass(900);
  time.pause();
  await clock.pass(50);
  time.progress();
  time.resume();
  await clock.pass(599);
  expect(ends).toEqual([]);
  await clock.pass(1);
  expect(ends).toEqual(['hard']);
});
