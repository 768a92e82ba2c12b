import { expect, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { createStartPlaces } from '../../../main/host/servers/startPlaces.ts';
import { handClock } from '../../doubles/hostParts.ts';

function setUp() {
  const clock = handClock();
  const places = createStartPlaces(clock);
  const started: string[] = [];
  const ask = (name: string) => void places.take(name as ServerId).then(() => started.push(name));
  const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { clock, places, started, ask, settled };
}

test('nothing starts before the window is there, then three at once, then one for each that is through', async () => {
  const { places, started, ask, settled } = setUp();
  for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name);
  await settled();
  expect(started).toEqual([]);
  places.open();
  await settled();
  expect(started).toEqual(['a', 'b', 'c']);
  places.leave('b' as ServerId);
  places.leave('b' as ServerId);
  await settled();
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('a silent start keeps its place for a while only', async () => {
  const { clock, places, started, ask, settled } = setUp();
  places.open();
  for (const name of ['a', 'b', 'c', 'd']) ask(name);
  await settled();
  expect(started).toHaveLength(3);
  clock.forward(1500);
  await settled();
  expect(started).toHaveLength(4);
});

test('what somebody waits for starts at once, even before the window is there', async () => {
  const { places, started, ask, settled } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) ask(name);
  places.hurry('d' as ServerId);
  await settled();
  expect(started).toEqual(['d']);
});
