import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest } from '../../../preload/contract/policy.ts';
import type { Server, ServerConfig } from '../../../preload/contract/servers.ts';
import type { HostOptions } from '../../../main/host/createHost.ts';
import type { Ports } from '../../../main/host/ports.ts';
import { tempFolder } from '../../doubles/hostParts.ts';
import { startTestHost, type TestHost, turnEnd } from '../../doubles/testHost.ts';
import { type AuthServer, type AuthServerOptions, startAuthServer } from '../../servers/authServer.ts';
import { type ProtectedServer, type ProtectedServerOptions, startProtectedServer } from '../../servers/protectedServer.ts';

export async function authServer(options?: AuthServerOptions): Promise<AuthServer> {
  const server = await startAuthServer(options);
  onTestFinished(() => server.close());
  return server;
}

export async function protectedServer(auth: AuthServer, options?: ProtectedServerOptions): Promise<ProtectedServer> {
  const server = await startProtectedServer(auth, options);
  onTestFinished(() => server.close());
  return server;
}

/** A real host, and a browser that goes where it is sent. */
export interface SignInWorld {
  host: TestHost;
  /** Pages that were opened. */
  opened: string[];
  /** What the browser does with a page; it follows all redirects unless told otherwise. */
  browse(how: (url: string) => Promise<unknown>): void;
  /** Adds a server and agrees to connect to it. */
  add(url: string, headers?: Record<string, string>): Promise<ServerId>;
  addProgram(command: string, args: string[]): Promise<ServerId>;
  /** Resolves with the server as soon as it fits, now or later. */
  when(id: ServerId, fits: (server: Server) => boolean): Promise<Server>;
  /** Adds it, signs in, and waits until it is ready. */
  signedIn(url: string): Promise<ServerId>;
  /** Makes one call in a chat of its own; every approval is given, and `answer` deals with questions. */
  call(id: ServerId, tool: string, args: Record<string, unknown>, answer?: (input: InputRequest) => InputAnswer): Promise<ToolCall>;
}

export async function signInWorld(
  options: { dataDir?: string; ports?: Partial<Ports>; env?: HostOptions['env'] } = {},
): Promise<SignInWorld> {
  // One for each call that may run at a time.
  const folder = tempFolder();
  const scriptFiles = Array.from({ length: 8 }, (_, index) => path.join(folder, `script-${index}.json`));
  const answers = new Map<ConversationId, (input: InputRequest) => InputAnswer>();
  let calls = 0;
  const opened: string[] = [];
  let browse: (url: string) => Promise<unknown> = fetch;
  const host = await startTestHost({
    scriptFiles,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.env && { env: options.env }),
    ports: {
      openUrl: async (url) => {
        opened.push(url);
        await browse(url);
      },
      ...options.ports,
    },
  });

  host.host.on((message) => {
    if (message.topic !== 'approvals') return;
    if (message.event.type === 'approval.added') {
      const { id: approvalId, argumentsHash } = message.event.approval;
      void host.run('approval.answer', { approvalId, argumentsHash, decision: { kind: 'allow', scope: 'once' } });
    } else if (message.event.type === 'input.added') {
      const { input } = message.event;
      const answer = input.conversationId && answers.get(input.conversationId);
      if (answer) void host.run('input.answer', { inputId: input.id, answer: answer(input) });
    }
  });

  const addAndAgree = async (name: string, config: ServerConfig): Promise<ServerId> => {
    const { server } = await host.run('server.add', { name, config });
    const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
    if (!consent) throw new Error('No consent is asked for.');
    await host.run('server.consent', { serverId: server.id, configHash: consent.configHash, allow: true });
    return server.id;
  };

  const world: SignInWorld = {
    host,
    opened,
    browse: (how) => (browse = how),
    add: (url, headers) => addAndAgree(`Server ${url.split(':').at(-1)}`, { url, ...(headers && { headers }) }),
    addProgram: (command, args) => addAndAgree('Program', { command, args }),
    async when(id, fits) {
      const { promise, resolve, reject } = Promise.withResolvers<Server>();
      const look = async (): Promise<void> => {
        const { servers } = await host.run('server.list', {});
        const found = servers.find((server) => server.id === id);
        if (found && fits(found)) resolve(found);
      };
      const end = host.host.on((message) => {
        if (message.topic === 'servers') look().catch(reject);
      });
      look().catch(reject);
      return promise.finally(end);
    },
    async signedIn(url) {
      const id = await world.add(url);
      await world.when(id, wantsSignIn);
      await host.run('server.signIn', { serverId: id });
      await world.when(id, isReady);
      return id;
    },
    async call(id, tool, args, answer = () => ({ action: 'decline' })) {
      const { servers } = await host.run('server.list', {});
      const name = servers.find((server) => server.id === id)?.name ?? '';
      const scriptFile = scriptFiles[calls++ % scriptFiles.length] ?? '';
      writeFileSync(scriptFile, JSON.stringify({ steps: [{ calls: [{ tool: `${name}.${tool}`, arguments: args }] }, { text: 'Done.' }] }));
      const { conversation } = await host.run('conversation.create', {});
      answers.set(conversation.id, answer);
      await host.run('turn.send', { conversationId: conversation.id, text: 'Call it.', model: `scripted:${scriptFile}` });
      await host.until(turnEnd(conversation.id));
      const { messages } = await host.run('conversation.open', { conversationId: conversation.id });
      const [call] = messages.flatMap((message) => message.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
      if (!call) throw new Error('No call was made.');
      return call;
    },
  };
  return world;
}

export const isReady = (server: Server): boolean => server.status.state === 'ready';
/** The server waits for the person, and it is known for what. */
export const wantsSignIn = ({ status, signingIn }: Server): boolean =>
  status.state === 'needsSignIn' && (status.words !== undefined || status.problem !== undefined) && !signingIn;
export const hasProblem = ({ status, signingIn }: Server): boolean =>
  status.state === 'needsSignIn' && status.problem !== undefined && !signingIn;

export function problemOf({ status }: Server): string {
  return status.state === 'needsSignIn' ? (status.problem ?? '') : status.state;
}

/** The text of a call's result. */
export function textOf(call: ToolCall): string {
  if (call.state !== 'succeeded') return `${call.state}${call.state === 'failed' ? `: ${call.error.message}` : ''}`;
  const [block] = call.content;
  return block?.type === 'text' ? block.text.text : JSON.stringify(block);
}

/** The bearer token of each request to the server's own address. */
export const tokensTo = (server: ProtectedServer): (string | undefined)[] =>
  server.requests.filter(({ path: place }) => server.url.endsWith(place)).map(({ headers }) => headers.authorization);
