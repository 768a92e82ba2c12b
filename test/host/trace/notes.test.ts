import { expect, test } from 'vitest';
import { createNotes, takingNotes } from '../../../main/host/trace/notes.ts';
import type { WireTrace } from '../../../main/host/trace/wireTrace.ts';
import { handClock } from '../../doubles/hostParts.ts';

function world() {
  const clock = handClock(0);
  const notes = createNotes(clock);
  const heard: [number, string][] = [];
  const hear = (text: string) => void heard.push([notes.now(), text]);
  const wire: WireTrace = {
    sent: hear,
    received: hear,
    noise: hear,
    connection: hear,
    answered: () => hear('answered'),
    exchanged: (_exchange, text) => hear(text),
    belongs: (id) => hear(`belongs ${id}`),
    newestFromServer: () => heard.length,
  };
  return { clock, notes, heard, told: takingNotes(wire, notes) };
}

test('what was told is described a moment later, in its order, with the time at which it was told', () => {
  const { clock, heard, told } = world();
  told.belongs(7, 'a call');
  told.sent('one');
  clock.forward(5);
  told.received('two');
  expect(heard).toEqual([]);
  clock.forward(19);
  expect(heard).toEqual([]);
  clock.forward(1);
  expect(heard).toEqual([
    [0, 'belongs 7'],
    [0, 'one'],
    [5, 'two'],
  ]);
});

test('whoever looks sees everything that was told before', () => {
  const { told } = world();
  told.received('one');
  told.received('two');
  expect(told.newestFromServer()).toBe(2);
});

test('a flood does not pile up, neither in messages nor in characters', () => {
  const { heard, told } = world();
  for (let n = 0; n < 2500; n += 1) told.noise(String(n));
  expect(heard.length).toBeGreaterThanOrEqual(2300);
  for (let n = 0; n < 3; n += 1) told.received('x'.repeat(600_000));
  expect(heard.filter(([, text]) => text.length === 600_000).length).toBeGreaterThanOrEqual(2);
});
