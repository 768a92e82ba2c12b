import type { CallId, ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { CallProgress, Task, TaskState } from '../../../preload/contract/tasks.ts';
import type { Events } from '../events.ts';
import { Detached, type TaskState as ReportedState, type ToolCallOutcome } from '../mcp/callTool.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import type { Servers } from '../servers/servers.ts';
import { getCall, type StoredCall } from '../store/calls.ts';
import type { Db } from '../store/database.ts';
import { chatOfView } from '../store/views.ts';
import type { KeptTasks } from './keptTasks.ts';
import * as state from './toolCallState.ts';

/** A call that is under way. `task`: how it stands, where its server runs it as one. */
export interface CallUnderWay {
  stored: StoredCall;
  conversationId: ConversationId;
  stop: AbortController;
  task?: TaskState | undefined;
  progress?: CallProgress | undefined;
}

/** Calls that servers run as tasks: those of running turns, and those that go on though their turn was interrupted. */
export interface FollowedTasks {
  /** Saves and tells how the task of a call stands. */
  tell(stored: StoredCall, conversationId: ConversationId, reported: ReportedState): void;
  /** Saves how far a call is, where its server runs it as a task. */
  progressed(callId: CallId, progress: CallProgress): void;
  /** Takes up what servers ran as tasks when the host ended last. To be called once, when servers may run. */
  followKept(): void;
  /** For a turn that goes on: resolves when the followed call has ended; stopping the turn cancels it. Undefined: it is not followed. */
  join(callId: CallId, signal: AbortSignal): Promise<void> | undefined;
  /** Oldest first. */
  list(): Task[];
  /** Refuses with `wrongState` when the call does not run as a task (any more). */
  cancel(callId: CallId): void;
  cancelOf(conversationId: ConversationId): void;
  /** Leaves tasks to their servers; resolves when nothing is followed any more. */
  close(): Promise<void>;
}

export function createFollowedTasks(
  deps: {
    db: Db;
    events: Events;
    clock: Clock;
    tasks: KeptTasks;
    servers: Servers;
    log: Log;
    conversationOf(messageId: MessageId): ConversationId | undefined;
  },
  calls: {
    running: Map<CallId, CallUnderWay>;
    change(stored: StoredCall, conversationId: ConversationId, call: ToolCall): void;
    finish(stored: StoredCall, conversationId: ConversationId, outcome: ToolCallOutcome): Promise<void>;
  },
): FollowedTasks {
  const { db, events, tasks } = deps;
  const { running, change } = calls;
  /** Those that no turn has waited for from the start. */
  const followed = new Map<CallId, Promise<void>>();

  /** Where a person finds it: calls of views stand in conversations of their own. */
  const chatOf = (id: ConversationId): ConversationId => chatOfView(db, id) ?? id;

  function tell(stored: StoredCall, conversationId: ConversationId, { status, message, expiresAt }: ReportedState): void {
    const task: TaskState = {
      status,
      ...(message === undefined ? {} : { message: message.slice(0, 500) }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const entry = running.get(stored.call.id);
    if (entry) entry.task = task;
    tasks.tell(stored.call.id, { state: task });
    if (stored.call.state === 'running') change(stored, conversationId, state.asTask(stored.call, task));
    const view = viewOf({ stored, conversationId: chatOf(conversationId), task, progress: entry?.progress });
    if (view) events.servers({ type: 'task.changed', task: view });
  }

  /** To its end, under the approval that the call went out with. */
  async function toItsEnd(stored: StoredCall, conversationId: ConversationId, signal: AbortSignal): Promise<void> {
    const callId = stored.call.id;
    if (stored.call.state === 'awaitingInput') stored.call = state.goOn(stored.call, deps.clock.now());
    const kept = await tasks.find(callId);
    const outcome: ToolCallOutcome = kept
      ? await deps.servers.followTask(kept.serverId, kept.task, {
          callId,
          conversationId,
          signal,
          onTaskState: (reported) => tell(stored, conversationId, reported),
        })
      : {
          kind: 'unavailable',
          message: 'The server ran this call as a task, and what finds it again could not be read. What came of it is not known.',
        };
    if (!kept) tasks.drop(callId);
    await calls.finish(stored, conversationId, outcome);
  }

  function follow(callId: CallId): void {
    const stored = getCall(db, callId);
    const conversationId = stored && deps.conversationOf(stored.call.messageId);
    if (!stored || !conversationId || state.isEnded(stored.call)) return tasks.drop(callId);
    const stop = new AbortController();
    const { state: task, progress } = tasks.told(callId);
    running.set(callId, { stored, conversationId, stop, task, progress });
    const ended = toItsEnd(stored, conversationId, stop.signal)
      .catch((error: unknown) => deps.log.error('A task of a server could not be followed.', { callId, error: messageOf(error) }))
      .finally(() => {
        running.delete(callId);
        followed.delete(callId);
      });
    followed.set(callId, ended);
  }

  return {
    tell,
    progressed(callId, progress) {
      const entry = running.get(callId);
      if (!entry?.task) return;
      entry.progress = progress;
      tasks.tell(callId, { progress });
    },
    followKept: () => tasks.all().forEach(follow),

    join(callId, signal) {
      const ended = followed.get(callId);
      if (!ended) return undefined;
      const stop = () => running.get(callId)?.stop.abort(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      return ended.finally(() => signal.removeEventListener('abort', stop));
    },

    list: () =>
      [...running.values()]
        .flatMap((entry) => viewOf({ ...entry, conversationId: chatOf(entry.conversationId) }) ?? [])
        .sort((one, other) => one.startedAt - other.startedAt),

    cancel(callId) {
      const entry = running.get(callId);
      if (!entry?.task) return refuse('wrongState', 'This call does not run as a task any more.');
      entry.stop.abort(new Error('The user cancelled the task.'));
    },

    cancelOf(conversationId) {
      for (const entry of running.values())
        if (chatOf(entry.conversationId) === conversationId) entry.stop.abort(new Error('The conversation is deleted.'));
    },

    async close() {
      for (const callId of followed.keys()) running.get(callId)?.stop.abort(new Detached('Maitre is closing.'));
      await Promise.all(followed.values());
    },
  };
}

function viewOf({ stored: { call }, conversationId, task, progress }: Omit<CallUnderWay, 'stop'>): Task | undefined {
  if (!task || call.serverId === undefined) return undefined;
  const { id: callId, serverId, serverName, tool } = call;
  const startedAt = 'startedAt' in call ? call.startedAt : call.createdAt;
  return { callId, conversationId, serverId, serverName, tool, startedAt, state: task, ...(progress && { progress }) };
}
