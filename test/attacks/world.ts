import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Message } from '../../preload/contract/conversations.ts';
import type { HostOptions } from '../../main/host/createHost.ts';
import type { Ports } from '../../main/host/ports.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { testServer } from '../host/mcp/harness.ts';

export const hostile = (...args: string[]) => ({ command: process.execPath, args: [testServer('hostile'), ...args] });

/** A host whose servers are agreed to, and a model that obeys whoever speaks to it. */
export async function attackedHost(
  servers: Record<string, unknown>,
  steps: unknown[],
  more: { ports?: Partial<Ports>; options?: Partial<HostOptions> } = {},
) {
  const folder = tempFolder();
  const serversFile = path.join(folder, 'named.json');
  const script = path.join(folder, 'script.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers: servers }));
  writeFileSync(script, JSON.stringify({ steps }));
  const requests: { system: string; messages: unknown; tools: unknown }[] = [];
  const host = await startTestHost({
    dataDir: path.join(folder, 'data'),
    serversFile,
    scriptFiles: [script],
    onModelRequest: (request) => void requests.push(structuredClone(request)),
    ...(more.ports && { ports: more.ports }),
    ...more.options,
  });
  await host.serversReady();
  return { host, folder, requests, model: `scripted:${script}` };
}

/** Sends one message, allows whatever is asked for once, and waits for the end of the turn. */
export async function obey(host: TestHost, model: string) {
  const { conversation } = await host.run('conversation.create', { model });
  const asked = new Set<string>();
  host.host.on((message) => {
    if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return;
    const { approval } = message.event;
    if (asked.has(approval.id)) return;
    asked.add(approval.id);
    void host.run('approval.answer', {
      approvalId: approval.id,
      argumentsHash: approval.argumentsHash,
      decision: { kind: 'allow', scope: 'once' },
    });
  });
  await host.run('turn.send', { conversationId: conversation.id, text: 'go on' });
  const turn = await host.until(turnEnd(conversation.id));
  const { messages } = await host.run('conversation.open', { conversationId: conversation.id });
  return { conversation, turn, messages };
}

export const callsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => message.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
