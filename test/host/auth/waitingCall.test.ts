import { expect, test } from 'vitest';
import { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import { requestIdOf, waitingCalls } from '../../../main/host/auth/waitingCall.ts';
import { callClock } from '../../../main/host/mcp/callClock.ts';
import type { ServerRequest, ServerRequestAnswer } from '../../../main/host/mcp/callTool.ts';
import { handClock } from '../../doubles/hostParts.ts';

const request = { issuer: 'https://auth.example.com', scopes: [], words: 'words' };

function world(answer: (asked: ServerRequest) => Promise<ServerRequestAnswer>) {
  const clock = handClock();
  const ends: string[] = [];
  const call = {
    callId: CallId.parse('call-1'),
    conversationId: ConversationId.parse('chat-1'),
    clock: callClock(clock, 1000, 5000, (which) => ends.push(which)),
    signal: new AbortController().signal,
  };
  const waiting = waitingCalls({
    serverId: ServerId.parse('server-1'),
    serverName: () => 'Server',
    answer,
    running: new Map([['call-1', call]]),
  });
  return { clock, ends, waiting };
}

test('the clock of a call stands while its sign-in lasts, however that ends, and goes on after it', async () => {
  const { clock, ends, waiting } = world(async () => ({ kind: 'declined' }));
  const { promise, reject } = Promise.withResolvers<void>();
  const held = waiting('call-1')?.hold(() => promise);
  clock.forward(60_000);
  expect(ends).toEqual([]);
  reject(new Error('failed'));
  await expect(held).rejects.toThrow('failed');
  clock.forward(1001);
  expect(ends).toEqual(['idle']);
});

test('the question names the call, and only an agreement opens the browser', async () => {
  const asked: ServerRequest[] = [];
  const signal = new AbortController().signal;
  const agreed = world(async (each) => (asked.push(each), { kind: 'result', result: {} }));
  expect(await agreed.waiting('call-1')?.ask(request, signal)).toBe(true);
  expect(asked).toMatchObject([{ kind: 'signIn', callId: 'call-1', conversationId: 'chat-1', serverId: 'server-1', signIn: request }]);
  for (const kind of ['declined', 'refused'] as const) {
    const other = world(async () => (kind === 'refused' ? { kind, message: 'no' } : { kind }));
    expect(await other.waiting('call-1')?.ask(request, signal)).toBe(false);
  }
  expect(agreed.waiting('another')).toBeUndefined();
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7],
  ['{"jsonrpc":"2.0","id":"a","method":"tools/call"}', 'a'],
  ['{"jsonrpc":"2.0","method":"notifications/x"}', undefined],
  ['{"jsonrpc":"2.0","id":7,"result":{}}', undefined],
  ['[{"jsonrpc":"2.0","id":7,"method":"x"}]', undefined],
  ['null', undefined],
  [undefined, undefined],
])('the request of %s is %s', (body, id) => {
  expect(requestIdOf(body)).toBe(id);
});
