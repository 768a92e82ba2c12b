import { describe, expect, test } from 'vitest';
import { ToolCall, type ToolCallState } from '../../../preload/contract/calls.ts';
import type { ApprovalId, InputId } from '../../../preload/contract/ids.ts';
import type { DecisionReason } from '../../../preload/contract/policy.ts';
import * as state from '../../../main/host/turn/toolCallState.ts';

const reason: DecisionReason = { verdict: 'ask', code: 'noRule', text: 'You are asked.' };
const proposed = ToolCall.parse({
  id: 'call',
  turnId: 'turn',
  messageId: 'message',
  step: 0,
  serverId: 'server',
  serverName: 'files',
  tool: 'read',
  arguments: { text: '{}', length: 2 },
  argumentsHash: 'hash',
  effects: { set: ['reads'], source: 'user' },
  createdAt: 1,
  state: 'proposed',
});
const waiting = state.awaitApproval(proposed, 'approval' as ApprovalId, reason);
const running = state.run(waiting, reason, 10);
const asking = state.awaitInput(running, 'input' as InputId, 15);
const inState: Record<ToolCallState, ToolCall> = {
  proposed,
  awaitingApproval: waiting,
  running,
  awaitingInput: asking,
  succeeded: state.succeed(running, [], 30),
  failed: state.failCall(running, { code: 'timedOut', message: 'Too late.' }, [], 30),
  denied: state.deny(waiting, 'user', { reason, message: 'no' }, 30),
  cancelled: state.cancel(running, 30),
  interrupted: state.interrupt(waiting, 30),
};
const move: Record<string, (call: ToolCall) => ToolCall> = {
  awaitingApproval: (call) => state.awaitApproval(call, 'again' as ApprovalId, reason),
  running: (call) => state.run(call, reason, 40),
  awaitingInput: (call) => state.awaitInput(call, 'again' as InputId, 40),
  succeeded: (call) => state.succeed(call, [], 40),
  failed: (call) => state.failCall(call, { code: 'toolError', message: 'x' }, [], 40),
  denied: (call) => state.deny(call, 'rule', { reason }, 40),
  cancelled: (call) => state.cancel(call, 40),
};
const allowed: Record<ToolCallState, string[]> = {
  proposed: ['awaitingApproval', 'running', 'failed', 'denied', 'cancelled'],
  awaitingApproval: ['awaitingApproval', 'running', 'failed', 'denied', 'cancelled'],
  running: ['awaitingInput', 'succeeded', 'failed', 'cancelled'],
  awaitingInput: ['running', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  denied: [],
  cancelled: [],
  interrupted: [],
};

describe('every move of the table, and no other', () => {
  for (const from of Object.keys(inState) as ToolCallState[])
    for (const [to, go] of Object.entries(move))
      test(`${from} to ${to}: ${allowed[from].includes(to) ? 'goes' : 'throws'}`, () => {
        if (!allowed[from].includes(to)) return expect(() => go(inState[from])).toThrow(from);
        const next = go(inState[from]);
        expect(next.state).toBe(to);
        expect(ToolCall.parse(next)).toEqual(next);
        return expect([next.id, next.argumentsHash, next.arguments]).toEqual(['call', 'hash', proposed.arguments]);
      });
});

test('a crash interrupts what is open and leaves what has ended', () => {
  expect(state.interrupt(running, 50)).toMatchObject({ state: 'interrupted', was: 'running', durationMs: 40 });
  expect(state.interrupt(waiting, 50)).toMatchObject({ state: 'interrupted', was: 'awaitingApproval' });
  expect(state.interrupt(inState.succeeded, 50)).toBe(inState.succeeded);
});

test('only a call that never ran is asked again', () => {
  expect(state.askAgain(state.interrupt(waiting, 5))).toEqual(proposed);
  expect(() => state.askAgain(state.interrupt(running, 5))).toThrow();
  expect(() => state.askAgain(inState.denied)).toThrow();
});

test('what a call took is the time of its server: how long the person thought, once or twice, is no part of it', () => {
  const wentOn = state.goOn(asking, 25);
  expect(state.succeed(wentOn, [], 30)).toMatchObject({ endedAt: 30, durationMs: 10 });
  const askedTwice = state.awaitInput(wentOn, 'second' as InputId, 27);
  expect(state.succeed(state.goOn(askedTwice, 100), [], 101)).toMatchObject({ durationMs: 8 });
  expect(state.cancel(askedTwice, 100)).toMatchObject({ endedAt: 100, durationMs: 7 });
  expect(ToolCall.parse(askedTwice)).toEqual(askedTwice);
});
