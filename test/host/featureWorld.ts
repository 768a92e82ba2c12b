import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Message } from '../../preload/contract/conversations.ts';
import type { ConversationId, ServerId } from '../../preload/contract/ids.ts';
import type { Approval } from '../../preload/contract/policy.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { startTestHost, type TestHost } from '../doubles/testHost.ts';

/** A data folder with servers by address, and a script in place of the model, which may be changed between turns. */
export interface FeatureWorld {
  dataDir: string;
  script: string;
  model: string;
  keychain: ReturnType<typeof memoryKeychain>;
  write(steps: unknown[]): void;
  /** What each model request held. */
  requests: { messages: unknown; tools: unknown }[];
  /** `reviews: 'wait'`: what servers define is not agreed to at once. */
  start(options?: { reviews?: 'wait'; serversFile?: string }): Promise<TestHost>;
}

export function featureWorld(steps: unknown[] = []): FeatureWorld {
  const home = tempFolder();
  const script = path.join(home, 'script.json');
  const dataDir = path.join(home, 'data');
  const keychain = memoryKeychain();
  const requests: FeatureWorld['requests'] = [];
  const write = (next: unknown[]) => writeFileSync(script, JSON.stringify({ steps: next }));
  write(steps);
  return {
    dataDir,
    script,
    model: `scripted:${script}`,
    keychain,
    write,
    requests,
    start: (options) =>
      startTestHost({
        ...options,
        dataDir,
        scriptFiles: [script],
        ports: { keychain },
        onModelRequest: ({ messages, tools }) => void requests.push(structuredClone({ messages, tools })),
      }),
  };
}

/** Adds a remote server and agrees to it. */
export async function addRemote(host: TestHost, name: string, url: string, more: Record<string, unknown> = {}): Promise<ServerId> {
  const { server } = await host.run('server.add', { name, config: { url, ...more } });
  return agree(host, server.id);
}

export async function addLocal(host: TestHost, name: string, args: string[], more: Record<string, unknown> = {}): Promise<ServerId> {
  const { server } = await host.run('server.add', { name, config: { command: process.execPath, args, ...more } });
  return agree(host, server.id);
}

/** Lets a server that was added start, and waits until it has. */
export async function agree(host: TestHost, serverId: ServerId): Promise<ServerId> {
  const { servers } = await host.run('server.list', {});
  const status = servers.find(({ id }) => id === serverId)?.status;
  const configHash = status?.state === 'off' ? status.needsConsent?.configHash : undefined;
  if (configHash !== undefined) await host.run('server.consent', { serverId, configHash, allow: true });
  await host.serversReady();
  return serverId;
}

export async function chat(host: TestHost, model: string): Promise<ConversationId> {
  return (await host.run('conversation.create', { model })).conversation.id;
}

export const allow = (host: TestHost, approval: Approval, scope: 'once' | 'chat' | 'always' = 'once') =>
  host.run('approval.answer', { approvalId: approval.id, argumentsHash: approval.argumentsHash, decision: { kind: 'allow', scope } });

export async function messagesOf(host: TestHost, conversationId: ConversationId): Promise<Message[]> {
  return (await host.run('conversation.open', { conversationId })).messages;
}

export const callsOf = (message: Message | undefined) => message?.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])) ?? [];
