import { describe, expect, it } from 'vitest';
import type { Message, Part, Turn } from '../../preload/contract/conversations.ts';
import type { ConversationEvent } from '../../preload/contract/events.ts';
import type { ConversationId, MessageId, PartId, StartId, TurnId } from '../../preload/contract/ids.ts';
import { ok } from '../../preload/contract/result.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { applyConversationEvent, type Branch, createConversationStore } from '../../renderer/state/conversation.ts';

const chat = 'chat' as ConversationId;
const text = (id: string, words: string, open = true): Extract<Part, { kind: 'text' }> => ({
  id: id as PartId,
  kind: 'text',
  text: { text: words, length: words.length },
  labels: { source: { kind: 'model' }, untrusted: true, private: true },
  open,
});
const message = (id: string, parentId?: string, parts: Part[] = []): Message => ({
  id: id as MessageId,
  conversationId: chat,
  ...(parentId === undefined ? {} : { parentId: parentId as MessageId }),
  role: 'assistant',
  createdAt: 0,
  parts,
  siblings: [id as MessageId],
});
const branch = (...messages: Message[]): Branch => ({ messages, revision: 0 });
const delta = (offset: number, words: string): ConversationEvent => ({
  type: 'text.delta',
  messageId: 'a' as MessageId,
  partId: 'p' as PartId,
  offset,
  text: words,
});
const textOf = (result: Branch | 'reload') => {
  const part = result === 'reload' ? undefined : result.messages.at(-1)?.parts[0];
  return part?.kind === 'text' ? part.text : result;
};

describe('a branch after an event', () => {
  it('grows a text by what begins where it ends, and asks for all again when it does not', () => {
    const known = branch(message('a', undefined, [text('p', 'Hel')]));
    expect(textOf(applyConversationEvent(known, delta(3, 'lo')))).toEqual({ text: 'Hello', length: 5 });
    expect(applyConversationEvent(known, delta(4, 'o'))).toBe('reload');
    expect(applyConversationEvent(known, delta(2, 'l'))).toBe('reload');
  });

  it('knows only the length of a text whose middle it never had', () => {
    const part = text('p', 'head');
    const known = branch(message('a', undefined, [{ ...part, text: { text: 'head', length: 90_000 } }]));
    expect(textOf(applyConversationEvent(known, delta(90_000, 'tail')))).toEqual({ text: 'head', length: 90_004 });
  });

  it('keeps a streamed text whole when its end comes with the head alone', () => {
    const whole = 'x'.repeat(70_000);
    const known = branch(message('a', undefined, [text('p', whole)]));
    const closed = { ...text('p', '', false), text: { text: whole.slice(0, 65_536), length: 70_000 } };
    expect(textOf(applyConversationEvent(known, { type: 'part.changed', messageId: 'a' as MessageId, part: closed }))).toMatchObject({
      text: whole,
    });
    const other = { ...closed, text: { text: `y${whole.slice(1, 65_536)}`, length: 70_000 } };
    expect(textOf(applyConversationEvent(known, { type: 'part.changed', messageId: 'a' as MessageId, part: other }))).toEqual(other.text);
  });

  it('shows a second version in place of what followed the same parent', () => {
    const known = branch(message('u'), message('a', 'u'), message('v', 'a'), message('b', 'v'));
    const next = applyConversationEvent(known, { type: 'message.added', message: message('w', 'a') });
    expect(next === 'reload' ? next : next.messages.map(({ id }) => id)).toEqual(['u', 'a', 'w']);
  });

  it('asks for all again for a message whose parent it does not know', () => {
    expect(applyConversationEvent(branch(message('u')), { type: 'message.added', message: message('x', 'elsewhere') })).toBe('reload');
  });

  it('puts a turn on its answer', () => {
    const turn = { id: 't' as TurnId, assistantMessageId: 'a' as MessageId, state: 'done' } as Turn;
    const next = applyConversationEvent(branch(message('u'), message('a', 'u')), { type: 'turn.changed', turn });
    expect(next === 'reload' ? next : next.messages.at(-1)?.turn).toBe(turn);
  });
});

describe('the open conversation', () => {
  const opened = (words: string, revision: number) =>
    ok({
      conversation: { id: chat, title: '', titledByUser: false, createdAt: 0, updatedAt: 0, activity: 'idle' as const },
      messages: [message('a', undefined, [text('p', words)])],
      revision,
    });
  const event = (revision: number, each: ConversationEvent) => ({
    startId: 's' as StartId,
    topic: 'conversation' as const,
    conversationId: chat,
    revision,
    event: each,
  });

  it('applies events that came while it loaded, and none that the answer held already', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof opened>>();
    const store = createConversationStore(fakeBridge({ 'conversation.open': () => answer.promise }));
    const opening = store.open(chat);
    store.apply(event(4, delta(0, 'Hel')));
    store.apply(event(5, delta(3, 'lo')));
    answer.resolve(opened('Hel', 4));
    await opening;
    expect(textOf(store.store.getState().branch)).toEqual({ text: 'Hello', length: 5 });
  });

  it('loads again after a gap', async () => {
    const answers = [opened('Hel', 1), opened('Hello you', 7)];
    const bridge = fakeBridge({ 'conversation.open': () => answers.shift() ?? opened('too often', 99) });
    const store = createConversationStore(bridge);
    await store.open(chat);
    store.apply(event(3, delta(5, ' you')));
    await expect.poll(() => textOf(store.store.getState().branch)).toEqual({ text: 'Hello you', length: 9 });
    expect(bridge.sent).toHaveLength(2);
  });
});

describe('a message that is looked for', () => {
  const id = (n: number) => `m${n}` as MessageId;
  const line = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => message(id(from + n), from + n === 0 ? undefined : id(from + n - 1)));
  const other = message('other', 'm0');
  const conversation = { id: chat, title: 'Chat', titledByUser: false, createdAt: 0, updatedAt: 0, activity: 'idle' as const };

  const openBridge = () => {
    let turned = false;
    const bridge = fakeBridge({
      'conversation.open': () =>
        turned
          ? ok({ conversation, messages: [message('m0'), other], revision: 1 })
          : ok({ conversation, messages: line(20, 30), before: id(19), revision: 0 }),
      'conversation.messages': ({ before }) => {
        const end = Number(before.slice(1)) + 1;
        return ok({ messages: line(end - 10, end), ...(end > 10 ? { before: id(end - 11) } : {}) });
      },
      'conversation.showBranch': () => {
        turned = true;
        return ok({});
      },
    });
    return { bridge, conversation: createConversationStore(bridge) };
  };

  it('is found pages back, whatever loads at the same time, and marked until the chat goes on', async () => {
    const { bridge, conversation: opened } = openBridge();
    // The page that shows the chat opens it too, and its list asks for older messages when it comes to its top.
    const looking = opened.find(chat, id(3));
    void opened.open(chat);
    void opened.loadOlder();
    await looking;
    const { branch: found, found: marked } = opened.store.getState();
    expect(marked).toBe('m3');
    expect(found.messages.map((each) => each.id)).toEqual(line(0, 30).map((each) => each.id));
    expect(bridge.sent.map(({ name }) => name)).toEqual(['conversation.open', 'conversation.messages', 'conversation.messages']);

    opened.apply({
      startId: 's' as StartId,
      topic: 'conversation',
      conversationId: chat,
      revision: 1,
      event: { type: 'message.added', message: message('new', 'm29') },
    });
    expect(opened.store.getState().found).toBe(null);
  });

  it('on another version of the chat turns to that version', async () => {
    const { conversation: opened } = openBridge();
    await opened.open(chat);
    await opened.find(chat, other.id);
    expect(opened.store.getState().found).toBe('other');
    expect(opened.store.getState().branch.messages.map((each) => each.id)).toEqual(['m0', 'other']);
  });
});
