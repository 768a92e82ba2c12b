import type { SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { AnswerServerRequest } from '../mcp/callTool.ts';
import type { RunningCall } from '../mcp/serverRequests.ts';
import type { WaitingCall } from './serverAuth.ts';

/** Lets a running call wait for a sign-in as it waits for any question of its server: with its clock standing, on a card of its own. */
export function waitingCalls(options: {
  serverId: ServerId;
  serverName(): string;
  answer: AnswerServerRequest;
  running: ReadonlyMap<string, RunningCall>;
}): (callId: string) => WaitingCall | undefined {
  return (callId) => {
    const call = options.running.get(callId);
    if (!call) return undefined;
    return {
      signal: call.signal,
      async hold(work) {
        call.clock.pause();
        try {
          return await work();
        } finally {
          call.clock.resume();
        }
      },
      async ask(signIn: SignInRequest, signal) {
        const { serverId } = options;
        const { callId: id, conversationId } = call;
        const answer = await options.answer({
          kind: 'signIn',
          signIn,
          serverId,
          serverName: options.serverName(),
          callId: id,
          conversationId,
          signal,
        });
        return answer.kind === 'result';
      },
    };
  };
}

/** The id of the JSON-RPC request that a body of HTTP holds; undefined for batches, answers and what is no JSON-RPC. */
export function requestIdOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return undefined;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined;
}
