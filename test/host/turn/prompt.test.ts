import { expect, test } from 'vitest';
import { fitPrompt } from '../../../main/host/turn/prompt.ts';
import type { PromptMessage } from '../../../main/host/model/model.ts';

const user = (text: string): PromptMessage => ({ role: 'user', parts: [{ type: 'text', text }] });
const said = (text: string, callId?: string): PromptMessage => ({
  role: 'assistant',
  text,
  calls: callId === undefined ? [] : [{ modelCallId: callId, wireName: 'tool', arguments: {} }],
});
const result = (callId: string, text: string): PromptMessage => ({
  role: 'tool',
  results: [{ modelCallId: callId, wireName: 'tool', isError: false, parts: [{ type: 'text', text }] }],
});
const size = (messages: PromptMessage[]) => JSON.stringify(messages).length;

test('a prompt that fits is left alone', () => {
  const messages = [user('hi'), said('hello')];
  expect(fitPrompt(messages, 8000)).toEqual(messages);
});

test('the oldest results are shortened first, and each stays beside its call', () => {
  const messages = [
    user('one'),
    said('', 'a'),
    result('a', 'x'.repeat(20_000)),
    said('done'),
    user('two'),
    said('', 'b'),
    result('b', 'y'.repeat(5000)),
  ];
  const fitted = fitPrompt(messages, 6000);
  expect(fitted.map((message) => message.role)).toEqual(messages.map((message) => message.role));
  expect(JSON.stringify(fitted[2])).toContain('left out to save space');
  expect(fitted[6]).toEqual(messages[6]);
});

test('then whole old exchanges go, with a note, and the last question always stays', () => {
  const messages = [user('a'.repeat(9000)), said('b'.repeat(9000)), user('c'.repeat(3000)), said('d'), user('the question')];
  const fitted = fitPrompt(messages, 2500);
  expect(size(fitted)).toBeLessThan(7000);
  expect(fitted[0]?.role).toBe('user');
  expect(JSON.stringify(fitted[0])).toContain('left out');
  expect(fitted.at(-1)).toEqual(user('the question'));
});
