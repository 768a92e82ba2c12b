import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommandId, ConversationId } from '../../preload/contract/ids.ts';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../preload/contract/commands.ts';
import { EventMessage } from '../../preload/contract/events.ts';
import type { Approval } from '../../preload/contract/policy.ts';
import type { Failure, Result } from '../../preload/contract/result.ts';
import { createHost, type Host, type HostOptions } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import type { Ports } from '../../main/host/ports.ts';
import { agreeToDefinitions } from './agreeToDefinitions.ts';
import { memoryKeychain, rememberingLog, type RememberedLog, tempFolder } from './hostParts.ts';

type Input<Name extends CommandName> = Omit<CommandInput<Name>, 'commandId'>;

/** A real host on a folder of its own, with what a test needs around it. */
export interface TestHost {
  host: Host;
  dataDir: string;
  log: RememberedLog;
  /** All events since the start, each held against the contract. */
  events: EventMessage[];
  /** Runs a command that must succeed; changing ones get an id. */
  run<Name extends CommandName>(name: Name, input: Input<Name>): Promise<CommandOutput<Name>>;
  /** Runs a command that must be refused. */
  refused<Name extends CommandName>(name: Name, input: Input<Name>): Promise<Failure>;
  /** Resolves with the first event, past or coming, for which `pick` returns something. */
  until<Value>(pick: (message: EventMessage) => Value | undefined | false): Promise<Value>;
  /** Resolves when every server is ready. */
  serversReady(): Promise<void>;
  /** Closes it as a quit does. */
  close(): Promise<void>;
}

let counter = 0;
export const newCommandId = (): CommandId => `command-${process.pid}-${++counter}` as CommandId;

/** `reviews: 'wait'`: what servers define is not agreed to at once, as it is else. */
export async function startTestHost(
  options: Partial<HostOptions> & { dataDir?: string; ports?: Partial<Ports>; reviews?: 'wait' } = {},
): Promise<TestHost> {
  const { dataDir = path.join(tempFolder(), 'data'), ports, reviews, ...rest } = options;
  const log = rememberingLog();
  const env = rest.env ?? { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const host = await createHost(
    { ...nodePorts({ dataDir, env }), keychain: memoryKeychain(), log, openUrl: async () => undefined, ...ports },
    // Nothing of this computer is looked for: no Ollama of the person who runs the tests.
    { shell: 'test', version: '0.0.0-test', endpoints: { local: [] }, sandbox: 'none', ...rest, env },
  );
  const events: EventMessage[] = [];
  const watchers = new Set<(message: EventMessage) => void>();
  host.on((message) => {
    const checked = EventMessage.parse(message);
    events.push(checked);
    for (const watch of watchers) watch(checked);
  });
  if (reviews !== 'wait') agreeToDefinitions(host);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= host.close());
  onTestFinished(close);

  const invoke = async <Name extends CommandName>(name: Name, input: Input<Name>) => {
    const whole = commands[name].changes ? { commandId: newCommandId(), ...input } : input;
    return (await host.invoke(name, whole)) as Result<CommandOutput<Name>>;
  };

  const test: TestHost = {
    host,
    dataDir,
    log,
    events,
    async serversReady() {
      const { servers } = await test.run('server.list', {});
      await Promise.all(
        servers
          .filter((server) => server.status.state !== 'ready')
          .map(({ id }) =>
            test.until(
              (message) =>
                message.topic === 'servers' &&
                message.event.type === 'server.changed' &&
                message.event.server.id === id &&
                message.event.server.status.state === 'ready',
            ),
          ),
      );
    },
    async run(name, input) {
      const result = await invoke(name, input);
      if (!result.ok) throw new Error(`${name}: ${result.error.code}: ${result.error.message} ${result.error.detail ?? ''}`);
      return result.value;
    },
    async refused(name, input) {
      const result = await invoke(name, input);
      if (result.ok) throw new Error(`${name} was not refused.`);
      return result.error;
    },
    until(pick) {
      for (const message of events) {
        const value = pick(message);
        if (value !== undefined && value !== false) return Promise.resolve(value);
      }
      return new Promise((resolve) => {
        const watch = (message: EventMessage) => {
          const value = pick(message);
          if (value === undefined || value === false) return;
          watchers.delete(watch);
          resolve(value);
        };
        watchers.add(watch);
      });
    },
    close,
  };
  return test;
}

/** The n-th card (from 0) that was shown since the start. */
export function card(n: number): (message: EventMessage) => Approval | undefined {
  let seen = 0;
  return (message) => {
    if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return undefined;
    return seen++ === n ? message.event.approval : undefined;
  };
}

/** The end of the n-th turn (from 0) of a chat, with its turn. */
export const turnEnd = (conversationId: ConversationId, n = 0) => {
  let ended = 0;
  return (message: EventMessage) => {
    if (message.topic !== 'conversation' || message.conversationId !== conversationId || message.event.type !== 'turn.changed')
      return undefined;
    const { turn } = message.event;
    return turn.state !== 'running' && ended++ === n ? turn : undefined;
  };
};
