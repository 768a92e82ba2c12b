import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventMessage, ServersEvent } from '../../preload/contract/events.ts';
import type { CallId } from '../../preload/contract/ids.ts';
import type { CallProgress, Task } from '../../preload/contract/tasks.ts';
import type { Failure, Result } from '../../preload/contract/result.ts';
import type { Bridge } from '../../preload/contract/bridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { Mirror } from './mirror.ts';

export interface TasksState {
  /** Calls that their servers run as tasks, oldest first. */
  tasks: readonly Task[];
  /** How far each is, as far as its server has told since the window opened. */
  progress: Readonly<Partial<Record<CallId, CallProgress>>>;
  /** Why the list could not be read. */
  failure: Failure | undefined;
}

export function reduceTasks(tasks: readonly Task[], event: ServersEvent): readonly Task[] {
  switch (event.type) {
    case 'task.changed': {
      const known = tasks.some(({ callId }) => callId === event.task.callId);
      return known ? tasks.map((task) => (task.callId === event.task.callId ? event.task : task)) : [...tasks, event.task];
    }
    case 'task.ended':
      return tasks.filter(({ callId }) => callId !== event.callId);
    default:
      return tasks;
  }
}

export interface TasksStore extends Mirror {
  /** Gets the messages of all conversations too. */
  apply(message: EventMessage): void;
  store: StoreApi<TasksState>;
  cancel(task: Task): Promise<Result<unknown>>;
}

/** The tasks of all chats. The list is read when the window opens; events that come meanwhile are applied to it when it is there. */
export function createTasksStore(bridge: Bridge): TasksStore {
  const store = createStore<TasksState>(() => ({ tasks: [], progress: {}, failure: undefined }));
  let reading = 0;
  /** Events since the reading began; null while none is under way. To apply one that the list knows already changes nothing. */
  let waiting: ServersEvent[] | null = null;

  const read = async () => {
    reading += 1;
    const mine = reading;
    waiting = [];
    const result = await bridge.invoke('task.list', {});
    if (mine !== reading) return;
    const missed = waiting;
    waiting = null;
    if (!result.ok) {
      store.setState({ failure: result.error });
      return;
    }
    store.setState({ failure: undefined, tasks: missed.reduce(reduceTasks, result.value.tasks) });
  };

  return {
    store,
    load: () => void read(),
    apply(message) {
      if (message.topic === 'conversation' && message.event.type === 'call.progress') {
        const { callId, progress } = message.event;
        if (store.getState().tasks.some((task) => task.callId === callId))
          store.setState((state) => ({ progress: { ...state.progress, [callId]: progress } }));
      }
      if (message.topic !== 'servers') return;
      if (waiting !== null) waiting.push(message.event);
      else {
        const { tasks } = store.getState();
        const next = reduceTasks(tasks, message.event);
        if (next !== tasks) store.setState({ tasks: next });
      }
    },
    cancel: (task) => bridge.invoke('task.cancel', { commandId: newCommandId(), callId: task.callId }),
  };
}
