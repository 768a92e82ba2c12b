import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type HostOptions } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../preload/contract/commands.ts';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { Turn } from '../../preload/contract/conversations.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import { agreeToDefinitions } from '../doubles/agreeToDefinitions.ts';

export interface BenchHost {
  host: Host;
  run<Name extends CommandName>(name: Name, input: Omit<CommandInput<Name>, 'commandId'>): Promise<CommandOutput<Name>>;
  /** Resolves with the first event from now on for which `pick` returns something. */
  next<Value>(pick: (message: EventMessage) => Value | undefined): Promise<Value>;
  /** Resolves when the servers of these names, or all, are ready. */
  serversReady(names?: string[]): Promise<void>;
  /** Answers every card like a person who allows it once. */
  allowEverything(later: (undo: () => unknown) => void): void;
  /** Sends a message and resolves with the calls of the whole answer. */
  runTurn(conversationId: ConversationId): Promise<{ turn: Turn; calls: ToolCall[] }>;
}

export function benchFolder(later: (undo: () => unknown) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'maitre-bench-'));
  later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A real host with nothing of this computer in it but its Node. */
export async function startBenchHost(
  dataDir: string,
  options: Partial<HostOptions>,
  later: (undo: () => unknown) => void,
): Promise<BenchHost> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const host = await createHost(nodePorts({ dataDir, env }), {
    shell: 'test',
    version: '0.0.0',
    endpoints: { local: [] },
    sandbox: 'none',
    env,
    ...options,
  });
  later(() => host.close());
  agreeToDefinitions(host);
  let counter = 0;
  const bench: BenchHost = {
    host,
    async run(name, input) {
      const result = await host.invoke(name, commands[name].changes ? { commandId: `bench-${++counter}`, ...input } : input);
      if (!result.ok) throw new Error(`${name}: ${result.error.code}: ${result.error.message} ${result.error.detail ?? ''}`);
      return result.value as CommandOutput<typeof name>;
    },
    next(pick) {
      return new Promise((resolve) => {
        const stop = host.on((message) => {
          const value = pick(message);
          if (value === undefined) return;
          stop();
          resolve(value);
        });
      });
    },
    async serversReady(names) {
      const { servers } = await bench.run('server.list', {});
      const left = new Set(
        servers.filter(({ name, status }) => (names?.includes(name) ?? true) && status.state !== 'ready').map(({ id }) => id),
      );
      if (left.size === 0) return;
      await bench.next((message) => {
        if (message.topic !== 'servers' || message.event.type !== 'server.changed') return undefined;
        const { id, status } = message.event.server;
        if (status.state === 'ready') left.delete(id);
        return left.size === 0 ? true : undefined;
      });
    },
    allowEverything(stopLater) {
      const stop = host.on((message) => {
        if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return;
        const { id, argumentsHash } = message.event.approval;
        void bench.run('approval.answer', { approvalId: id, argumentsHash, decision: { kind: 'allow', scope: 'once' } });
      });
      stopLater(stop);
    },
    async runTurn(conversationId) {
      const ended = bench.next((message) =>
        message.topic === 'conversation' &&
        message.conversationId === conversationId &&
        message.event.type === 'turn.changed' &&
        message.event.turn.state !== 'running'
          ? message.event.turn
          : undefined,
      );
      const { turnId } = await bench.run('turn.send', { conversationId, text: 'Go on.' });
      const turn = await ended;
      const { messages } = await bench.run('conversation.open', { conversationId });
      const answer = messages.find((message) => message.turn?.id === turnId);
      return { turn, calls: (answer?.parts ?? []).flatMap((part) => (part.kind === 'call' ? [part.call] : [])) };
    },
  };
  return bench;
}

export function writeJson(path: string, value: unknown): string {
  writeFileSync(path, JSON.stringify(value));
  return path;
}
