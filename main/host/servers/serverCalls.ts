import type { StartedTask, ToolCallOutcome, ToolCallRequest } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { Clock } from '../ports.ts';
import { followTask } from './followTask.ts';

/** A call that runs as a task, as far as following it needs. */
export type FollowedCall = Pick<ToolCallRequest, 'callId' | 'conversationId' | 'signal' | 'onTaskState'>;

/** No connection to be had. `final`: nor will there be one. */
export interface NoConnection {
  message: string;
  detail?: string | undefined;
  final: boolean;
}

/** Calls of one configured server, over whatever connections they take. Neither throws. */
export interface ServerCalls {
  /** Undefined when it is connected; else what a call would come to. */
  reach(signal: AbortSignal): Promise<ToolCallOutcome | undefined>;
  callTool(request: Omit<ToolCallRequest, 'serverId'>): Promise<ToolCallOutcome>;
  /** Takes up a call that the server runs as a task, from an earlier run of the host. */
  followTask(task: StartedTask, call: FollowedCall): Promise<ToolCallOutcome>;
}

/** A call that proves not to have begun waits this long for its connection to be seen as ended, in milliseconds. */
const endSeenMs = 2000;

export function createServerCalls(options: {
  name(): string;
  clock: Clock;
  connected(signal: AbortSignal): Promise<Connection | NoConnection>;
  configHash(): string | undefined;
  authorizationKey(): string;
  timeoutMs(): number;
}): ServerCalls {
  const { clock, connected, authorizationKey } = options;

  const follow = (task: StartedTask, { callId, conversationId, signal, onTaskState }: FollowedCall): Promise<ToolCallOutcome> =>
    followTask({
      name: options.name,
      clock,
      async connected(stop) {
        // Who is signed in is known for certain once there is a connection.
        const ready = await connected(stop);
        const isAnothers = task.configHash !== options.configHash() || ('tasks' in ready && task.authorizationKey !== authorizationKey());
        if (!isAnothers) return ready;
        return { message: `"${options.name()}" was set up or signed in to anew while it ran a call as a task.`, final: true };
      },
      task,
      call: { callId, conversationId },
      signal,
      onState: (state) => onTaskState?.(state),
    });

  return {
    followTask: follow,

    async reach(signal) {
      const connection = await connected(signal);
      return 'callTool' in connection ? undefined : outOfReach(connection);
    },

    async callTool(request) {
      for (let isRepeat = false; ; isRepeat = true) {
        const connection = await connected(request.signal);
        if (request.signal.aborted) return { kind: 'cancelled' };
        if (!('callTool' in connection)) return outOfReach(connection);
        const answer = await connection.callTool(request, options.timeoutMs());
        if (answer.kind === 'task') {
          const task: StartedTask = { ...answer.task, configHash: options.configHash() ?? '', authorizationKey: authorizationKey() };
          request.onTask?.(task);
          return follow(task, request);
        }
        if (answer.kind !== 'unavailable' || !answer.notRun || isRepeat) return answer;
        await Promise.race([connection.ended, new Promise<void>((resolve) => void clock.after(endSeenMs, resolve))]);
      }
    },
  };
}

const outOfReach = ({ message, detail }: NoConnection): ToolCallOutcome => ({
  kind: 'unavailable',
  message,
  ...(detail === undefined ? {} : { detail }),
});
