import type { EventMessage } from '../../preload/contract/events.ts';
import { StartId } from '../../preload/contract/ids.ts';
import { fail, ok } from '../../preload/contract/result.ts';
import type { Result } from '../../preload/contract/result.ts';
import { defaultSettings } from '../../preload/contract/settings.ts';
import type { Host } from '../../main/host/createHost.ts';

export interface FakeHost extends Host {
  /** What was invoked, in order. */
  invoked: { name: string; input: unknown }[];
  /** Sends an event to whoever listens. */
  emit(message: EventMessage): void;
  /** How many listen now. */
  listeners(): number;
  /** What the listeners say of their queues. */
  queuedBytes(): number[];
  isClosed(): boolean;
}

/** A host without anything behind it, for tests of what a shell does before and after it: `echo` answers its input. */
export function createFakeHost(): FakeHost {
  const listeners = new Map<(message: EventMessage) => void, () => number>();
  const invoked: FakeHost['invoked'] = [];
  let closed = false;
  return {
    invoked,
    views: {
      showIn: () => undefined,
      answer: () => ({ status: 404, headers: {}, body: '' }),
    },
    async invoke(name, input): Promise<Result<unknown>> {
      invoked.push({ name, input });
      if (name === 'echo') return ok(input);
      return fail('unknownCommand', `There is no command “${name}”.`);
    },
    on(listener, queuedBytes = () => 0) {
      listeners.set(listener, queuedBytes);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
    },
    emit(message) {
      for (const listener of listeners.keys()) listener(message);
    },
    listeners: () => listeners.size,
    queuedBytes: () => [...listeners.values()].map((bytes) => bytes()),
    isClosed: () => closed,
  };
}

/** An event of the settings topic: the smallest there is. */
export const settingsEvent = (revision: number, settings = defaultSettings): EventMessage => ({
  startId: StartId.parse('start-1'),
  topic: 'settings',
  revision,
  event: { type: 'settings.changed', settings },
});
