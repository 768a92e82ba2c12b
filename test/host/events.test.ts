import { expect, test } from 'vitest';
import type { ConversationId, MessageId, PartId, StartId } from '../../preload/contract/ids.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import { createEvents } from '../../main/host/events.ts';
import { handClock, rememberingLog } from '../doubles/hostParts.ts';

const chat = 'c1' as ConversationId;
const delta = (offset: number, text: string, partId = 'p1') => ({ messageId: 'm1' as MessageId, partId: partId as PartId, offset, text });

function setUp() {
  const clock = handClock();
  const events = createEvents({ startId: 'start' as StartId, clock, log: rememberingLog() });
  const heard: EventMessage[] = [];
  return { clock, events, heard };
}

test('deltas of one part are merged, and go out before any later event of the chat', () => {
  const { clock, events, heard } = setUp();
  events.on((message) => heard.push(message));
  events.textDelta(chat, delta(0, 'Hel'));
  events.textDelta(chat, delta(3, 'lo'));
  expect(heard).toEqual([]);
  clock.forward(30);
  expect(heard).toMatchObject([{ revision: 1, event: { type: 'text.delta', offset: 0, text: 'Hello' } }]);
  events.textDelta(chat, delta(5, '!'));
  events.textDelta(chat, delta(0, 'New part', 'p2'));
  events.conversation(chat, { type: 'branch.changed' });
  expect(heard.slice(1)).toMatchObject([
    { revision: 2, event: { offset: 5, text: '!' } },
    { revision: 3, event: { partId: 'p2' } },
    { revision: 4, event: { type: 'branch.changed' } },
  ]);
});

test('a snapshot taken now has all text before its revision: no delta comes twice', () => {
  const { events, heard } = setUp();
  events.on((message) => heard.push(message));
  events.textDelta(chat, delta(0, 'text'));
  expect(events.revision(chat)).toBe(1);
  expect(heard).toHaveLength(1);
});

test('revisions rise by one within a topic', () => {
  const { events, heard } = setUp();
  events.on((message) => heard.push(message));
  events.servers({ type: 'file.changed' });
  events.conversation(chat, { type: 'branch.changed' });
  events.servers({ type: 'file.changed' });
  expect(heard.map((message) => ('revision' in message ? [message.topic, message.revision] : []))).toEqual([
    ['servers', 1],
    ['conversation', 1],
    ['servers', 2],
  ]);
});

test('a receiver 4 MiB behind loses its queue and is told to load again; the others hear everything', () => {
  const { clock, events, heard } = setUp();
  let queued = 0;
  const slow: EventMessage[] = [];
  events.on(
    (message) => slow.push(message),
    () => queued,
  );
  events.on((message) => heard.push(message));
  events.servers({ type: 'file.changed' });
  queued = 5 * 1024 * 1024;
  events.servers({ type: 'file.changed' });
  events.servers({ type: 'file.changed' });
  expect(slow).toHaveLength(1);
  clock.forward(250);
  expect(slow).toHaveLength(1);
  queued = 0;
  clock.forward(250);
  expect(slow.at(-1)).toEqual({ startId: 'start', topic: 'resync' });
  events.servers({ type: 'file.changed' });
  expect(slow.at(-1)).toMatchObject({ topic: 'servers', revision: 4 });
  expect(heard).toHaveLength(4);
});

test('one shell that throws does not keep events from the next', () => {
  const { events, heard } = setUp();
  events.on(() => {
    throw new Error('broken socket');
  });
  events.on((message) => heard.push(message));
  events.servers({ type: 'file.changed' });
  expect(heard).toHaveLength(1);
});
