import { expect, onTestFinished, test } from 'vitest';
import type { StartedTask } from '../../../main/host/mcp/callTool.ts';
import { createServerCalls } from '../../../main/host/servers/serverCalls.ts';
import { CallId, ConversationId } from '../../../preload/contract/ids.ts';
import { startEveryMethod } from '../../servers/everyMethod.ts';
import { clock, http, open } from './harness.ts';

test.each([
  ['the account and the configuration that it was begun under', 'ada', 'hash', true],
  ['another account', 'bob', 'hash', false],
  ['nobody signed in any more', '', 'hash', false],
  ['another configuration', 'ada', 'other', false],
])(
  'S22: with %s, a task is followed only where it is the same, and its id goes to nobody else',
  async (_what, account, configHash, follows) => {
    const { url, heard, close } = await startEveryMethod('json');
    onTestFinished(close);
    const { connection } = await open(http(url));
    const calls = createServerCalls({
      name: () => 'Odd',
      clock,
      connected: () => Promise.resolve(connection),
      configHash: () => configHash,
      authorizationKey: () => account,
      timeoutMs: () => 1000,
    });
    const task: StartedTask = { taskId: 'canary-task', era: 'modern', configHash: 'hash', authorizationKey: 'ada' };
    const of = { callId: CallId.parse('call-1'), conversationId: ConversationId.parse('chat-1'), signal: new AbortController().signal };
    const outcome = await calls.followTask(task, of);
    expect(outcome.kind).toBe(follows ? 'result' : 'unavailable');
    expect(JSON.stringify(heard).includes('canary-task')).toBe(follows);
  },
);
