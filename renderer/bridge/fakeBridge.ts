import type { CommandInput, CommandName, CommandOutput } from '../../preload/contract/commands.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import { fail, type Result } from '../../preload/contract/result.ts';
import type { ConnectedBridge, ConnectionState } from './connectedBridge.ts';

/** What a test or a fixture answers. A command that is not listed fails with `unsupported`. */
export type FakeAnswers = {
  [Name in CommandName]?: (input: CommandInput<Name>) => Result<CommandOutput<Name>> | Promise<Result<CommandOutput<Name>>>;
};

export interface FakeBridge extends ConnectedBridge {
  /** Every command so far, oldest first. */
  readonly sent: { name: CommandName; input: unknown }[];
  /** Sends an event up, as a host would. */
  emit(message: EventMessage): void;
  setConnection(state: ConnectionState): void;
}

/** A bridge without a host, for the fixtures page and tests of stores. */
export function fakeBridge(answers: FakeAnswers = {}): FakeBridge {
  const listeners = new Set<(message: EventMessage) => void>();
  const stateListeners = new Set<(state: ConnectionState) => void>();
  const sent: FakeBridge['sent'] = [];
  let state: ConnectionState = 'connected';
  return {
    sent,
    async invoke(name, input) {
      sent.push({ name, input });
      const answer = answers[name];
      return answer === undefined ? fail('unsupported', `Nothing answers ${name} here.`) : answer(input);
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(message) {
      for (const listener of listeners) listener(message);
    },
    setConnection(next) {
      state = next;
      for (const listener of stateListeners) listener(next);
    },
    connection: {
      current: () => state,
      on(listener) {
        stateListeners.add(listener);
        return () => stateListeners.delete(listener);
      },
    },
  };
}
