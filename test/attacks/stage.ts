import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Conversation, Turn } from '../../preload/contract/conversations.ts';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { Approval, ApprovalDecision, Effect, InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import type { CommandInput } from '../../preload/contract/commands.ts';
import type { HostOptions } from '../../main/host/createHost.ts';
import type { Ports } from '../../main/host/ports.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';
import { addLocal } from '../host/featureWorld.ts';
import { testServer } from '../host/mcp/harness.ts';
import type { Play } from '../servers/played.ts';
import { callsOf } from './world.ts';

/** What must not get out. Looks like nothing that anybody would write by chance. */
export const canary = 'CANARY-7f3a9c51-d0e2';

/** The stranger's computer: an HTTP server of this machine that remembers every byte it is sent. */
interface Stranger {
  url: string;
  /** Everything that was asked for and sent, as text. */
  heard(): string;
}

export interface Scene {
  /** Servers that play what is written here, by name. */
  servers: Record<string, Play>;
  /** More entries as they would stand in servers.json. */
  entries?: Record<string, unknown>;
  /** What the user said that tools do: `mail.send_mail`. */
  effects?: Record<string, Effect[]>;
  options?: Partial<HostOptions>;
  ports?: Partial<Ports>;
  /** `changes`: what servers change waits for the person. `all`: so does what they define at first; they are added while the host runs. */
  reviews?: 'changes' | 'all';
}

export interface Stage {
  host: TestHost;
  folder: string;
  stranger: Stranger;
  /** What a played server has heard and carried out. */
  journal(server: string): string;
  /** Changes what a played server says from now on; it tells its client so. */
  play(server: string, play: Play): void;
  /** One message in a new chat, or in the one given, answered by a model that does what `steps` say. */
  chat(steps: unknown[], user: User, conversation?: Conversation, along?: Along): Promise<Told>;
  /** The same with a model in the cloud that does what it is told to, if it reads the order; `sent` is all that left for it. */
  obey(orders: Orders, user: User, along?: Along): Promise<Told & { sent: string }>;
}

/** What goes along with the message. */
type Along = Partial<Pick<CommandInput<'turn.send'>, 'attachments' | 'prompt' | 'text'>>;

/** A call by the wire name of its tool: `mail__send_mail`. */
interface WiredCall {
  tool: string;
  arguments: Record<string, unknown>;
}

interface Orders {
  /** What it does whatever it reads. */
  first: WiredCall[];
  /** A stretch of what it reads that it takes for an order. */
  order: string;
  /** What it then does, one after the other. */
  carriesOut: WiredCall[];
}

/** What came of one message. */
export interface Told {
  conversation: Conversation;
  turn: Turn;
  calls: ToolCall[];
  /** Every card that was shown, in its order. */
  cards: Approval[];
  inputs: InputRequest[];
  /** All that the models were given, as JSON. */
  prompts: string;
}

/** How the person answers. */
export interface User {
  card(approval: Approval): ApprovalDecision | Promise<ApprovalDecision>;
  input?(input: InputRequest): InputAnswer;
}

export const once: ApprovalDecision = { kind: 'allow', scope: 'once' };
export const no: ApprovalDecision = { kind: 'deny' };

/** Reads what stands on a card, and denies what is marked as coming from elsewhere, or as a secret, or goes where he did not mean it to go. */
export const attentive: User = {
  card: (approval) =>
    (approval.marks ?? []).length > 0 ||
    (approval.findings ?? []).length > 0 ||
    (approval.looks ?? []).some(({ state }) => state === 'linkOut')
      ? no
      : once,
};

/** Presses Allow whatever stands there. */
export const hasty: User = { card: () => once, input: () => ({ action: 'accept' }) };

async function startStranger(): Promise<Stranger> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.headers.host ?? ''}${request.url ?? ''} ${JSON.stringify(request.headers)}`);
    request.on('data', (chunk: Buffer) => heard.push(chunk.toString('utf8')));
    request.on('end', () => response.end('welcome'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard.join('\n') };
}

export async function setStage(scene: Scene): Promise<Stage> {
  const folder = tempFolder();
  const script = path.join(folder, 'script.json');
  const serversFile = path.join(folder, 'named.json');
  const playOf = (name: string) => path.join(folder, `${name}.play.json`);
  const journalOf = (name: string) => path.join(folder, `${name}.journal`);
  const write = (name: string, play: Play) => writeFileSync(playOf(name), JSON.stringify(play));
  const entries = Object.entries(scene.servers).map(([name, play]) => {
    write(name, play);
    writeFileSync(journalOf(name), '');
    return { name, args: [testServer('played'), playOf(name), journalOf(name)] };
  });
  const played = Object.fromEntries(entries.map(({ name, args }) => [name, { command: process.execPath, args }]));
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { ...played, ...scene.entries } }));
  writeFileSync(script, JSON.stringify({ steps: [] }));
  mkdirSync(path.join(folder, 'data'), { recursive: true });

  const cloud = await startProviderServer();
  onTestFinished(() => cloud.close());
  const prompts: string[] = [];
  const host = await startTestHost({
    dataDir: path.join(folder, 'data'),
    ...(scene.reviews !== 'all' && { serversFile }),
    scriptFiles: [script],
    onModelRequest: (request) => void prompts.push(JSON.stringify(request)),
    ...(scene.ports && { ports: scene.ports }),
    ...(scene.reviews && { reviews: 'wait' as const }),
    env: { PATH: process.env['PATH'], MAITRE_KEY_ANTHROPIC: 'sk-ant-test-key-0123456789' },
    endpoints: { local: [], providers: { anthropic: `${cloud.url}/v1` } },
    ...scene.options,
  });
  if (scene.reviews === 'all') for (const { name, args } of entries) await addLocal(host, name, args);
  await host.serversReady();
  const { servers } = await host.run('server.list', {});
  for (const [place, effects] of Object.entries(scene.effects ?? {})) {
    const [name, tool] = [place.slice(0, place.indexOf('.')), place.slice(place.indexOf('.') + 1)];
    const server = servers.find((listed) => listed.name === name);
    if (!server) throw new Error(`There is no server ${name} on this stage.`);
    await host.run('server.classifyTool', { serverId: server.id, tool, effects });
  }

  const stage: Stage = {
    host,
    folder,
    stranger: await startStranger(),
    journal: (name) => readFileSync(journalOf(name), 'utf8'),
    play: write,
    async chat(steps, user, before, along = {}) {
      writeFileSync(script, JSON.stringify({ steps }));
      const conversation = before ?? (await host.run('conversation.create', { model: `scripted:${script}` })).conversation;
      const cards: Approval[] = [];
      const inputs: InputRequest[] = [];
      const failed = Promise.withResolvers<never>();
      // An answer that is refused would leave the turn waiting for ever.
      const answering = (answer: Promise<unknown>) => void answer.catch(failed.reject);
      const seen = new Set<string>();
      prompts.length = 0;
      const stop = host.host.on((message) => {
        if (message.topic !== 'approvals') return;
        const { event } = message;
        if (event.type === 'approval.added' && !seen.has(event.approval.id)) {
          const { approval } = event;
          seen.add(approval.id);
          cards.push(approval);
          const answer = async () => {
            const decision = await user.card(approval);
            await host.run('approval.answer', { approvalId: approval.id, argumentsHash: approval.argumentsHash, decision });
          };
          answering(answer());
        }
        if (event.type === 'input.added' || event.type === 'input.changed') {
          const { input } = event;
          const look = `${input.id} ${input.stage ?? ''}`;
          if (seen.has(look) || input.stage === 'working') return;
          seen.add(look);
          inputs.push(input);
          answering(host.run('input.answer', { inputId: input.id, answer: user.input?.(input) ?? { action: 'decline' } }));
        }
      });
      const turnsBefore = host.events.filter(
        (message) =>
          message.topic === 'conversation' &&
          message.conversationId === conversation.id &&
          message.event.type === 'turn.changed' &&
          message.event.turn.state !== 'running',
      ).length;
      await host.run('turn.send', { conversationId: conversation.id, text: 'Please do what is needed.', ...along });
      const turn = await Promise.race([host.until(turnEnd(conversation.id, turnsBefore)), failed.promise]);
      stop();
      const { messages } = await host.run('conversation.open', { conversationId: conversation.id });
      return { conversation, turn, calls: callsOf(messages), cards, inputs, prompts: prompts.join('\n') };
    },
    async obey({ first, order, carriesOut }, user, along) {
      const left = [...carriesOut];
      cloud.queue.push(...first.map((call, n) => thought(`first ${n}`, call)));
      cloud.think = (body) => {
        const next = JSON.stringify(body['messages'])
          .concat(JSON.stringify(body['system'] ?? ''), JSON.stringify(body['tools'] ?? ''))
          .includes(order)
          ? left.shift()
          : undefined;
        return next ? thought(`then ${left.length}`, next) : { parts: [{ text: 'Done.' }] };
      };
      const { conversation } = await host.run('conversation.create', { model: 'anthropic/claude-sonnet-5' });
      const told = await stage.chat([], user, conversation, along);
      return { ...told, sent: JSON.stringify(cloud.requests) };
    },
  };
  return stage;
}

const thought = (id: string, { tool, arguments: values }: WiredCall) => ({
  parts: [{ call: { id: id.replace(' ', '_'), name: tool, argumentsText: JSON.stringify(values) } }],
});
