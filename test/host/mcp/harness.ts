import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AnswerServerRequest, DeclaredFeatures, ToolCallOutcome } from '../../../main/host/mcp/callTool.ts';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import { type Connection, type ConnectionOptions, openConnection } from '../../../main/host/mcp/connection.ts';
import type { EraVerdict } from '../../../main/host/mcp/era.ts';
import type { ServerLists } from '../../../main/host/mcp/serverLists.ts';
import type { Target } from '../../../main/host/mcp/target.ts';
import { type ServerLog, serverLog } from '../../../main/host/mcp/serverLog.ts';
import { type SupervisedServer, superviseServer, type SupervisorDeps } from '../../../main/host/mcp/supervisor.ts';
import type { Clock, Log } from '../../../main/host/ports.ts';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { ServerState } from '../../../preload/contract/servers.ts';

export const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export const packageFile = (name: string, file: string) =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${name}/${file}`, import.meta.url));
export const testServer = (name: string) => fileURLToPath(new URL(`../../servers/${name}.ts`, import.meta.url));

/** A folder of the test's own, removed behind it. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'maitre mcp 张三 '));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };

/** A program of Node as the target of a connection. */
export const nodeProgram = (script: string, ...args: string[]): Target => program(process.execPath, script, ...args);
export const program = (command: string, ...args: string[]): Target => ({
  kind: 'stdio',
  start: () => spawnProgram(command, args, { env }),
});
export const http = (url: string, more: Partial<Extract<Target, { kind: 'http' }>> = {}): Target => ({
  kind: 'http',
  url,
  headers: {},
  transport: 'auto',
  ...more,
});

export interface Opened {
  connection: Connection;
  log: ServerLog;
  remembered: EraVerdict[];
  lists: ServerLists[];
  /** Resources that were told to have changed. */
  updated: string[];
}

interface Wishes {
  clock?: Clock;
  era?: ConnectionOptions['era'];
  authorizationKey?: () => string;
  answer?: AnswerServerRequest;
  declared?: DeclaredFeatures;
  remembered?: EraVerdict;
  startTimeoutMs?: number;
}

export const nobody: AnswerServerRequest = () => Promise.resolve({ kind: 'declined' });
const everything: DeclaredFeatures = { elicitation: true, sampling: true, roots: true };

/** Opens a connection and closes it after the test. */
export async function open(target: Target, wishes: Wishes = {}): Promise<Opened> {
  const log = serverLog(clock);
  const remembered: EraVerdict[] = [];
  const lists: ServerLists[] = [];
  const updated: string[] = [];
  const options: ConnectionOptions = {
    serverId: ServerId.parse('server-1'),
    serverName: () => 'Odd',
    target,
    clock: wishes.clock ?? clock,
    log: quiet,
    serverLog: log,
    declared: wishes.declared ?? everything,
    answer: wishes.answer ?? nobody,
    era: wishes.era ?? 'auto',
    authorizationKey: wishes.authorizationKey ?? (() => ''),
    requestTimeoutMs: () => 10_000,
    onResourceUpdated: (uri) => void updated.push(uri),
    remembered: wishes.remembered,
    rememberEra: (verdict) => void remembered.push(verdict),
    onLists: (changed) => void lists.push(changed),
    clientInfo: { name: 'maitre-test', version: '0.0.0' },
    signal: new AbortController().signal,
    startTimeoutMs: wishes.startTimeoutMs ?? 25_000,
  };
  const connection = await openConnection(options);
  onTestFinished(() => connection.close());
  return { connection, log, remembered, lists, updated };
}

let calls = 0;
export interface CallWishes {
  timeoutMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: CallProgress) => void;
}

export async function call(
  connection: Connection,
  tool: string,
  args: Record<string, unknown> = {},
  wishes: CallWishes = {},
): Promise<ToolCallOutcome> {
  calls += 1;
  const answer = await connection.callTool(
    {
      tool,
      arguments: args,
      callId: CallId.parse(`call-${calls}`),
      conversationId: ConversationId.parse('conversation-1'),
      signal: wishes.signal ?? new AbortController().signal,
      onProgress: wishes.onProgress ?? (() => undefined),
    },
    wishes.timeoutMs ?? 20_000,
  );
  if (answer.kind === 'task') throw new Error('The server made a task of the call.');
  return answer;
}

/** The text of a result's first block. */
export function textOf(outcome: ToolCallOutcome): string {
  if (outcome.kind !== 'result') throw new Error(`No result but ${JSON.stringify(outcome)}`);
  const [block] = outcome.content;
  if (typeof block !== 'object' || block === null || !('text' in block) || typeof block.text !== 'string')
    throw new Error(JSON.stringify(outcome.content));
  return block.text;
}

export interface Supervised {
  server: SupervisedServer;
  states: ServerState[];
  remembered: EraVerdict[];
  /** Resolves as soon as a state fits, those of the past included. */
  until(fits: (state: ServerState) => boolean): Promise<ServerState>;
}

export function supervise(target: () => Promise<Target>, more: Partial<SupervisorDeps> = {}): Supervised {
  const states: ServerState[] = [];
  const remembered: EraVerdict[] = [];
  let tell: (() => void)[] = [];
  const server = superviseServer({
    serverId: ServerId.parse('server-1'),
    serverName: () => 'Odd',
    target,
    clock,
    log: quiet,
    callTimeoutMs: () => 10_000,
    era: () => 'auto',
    authorizationKey: () => '',
    onConnected: () => undefined,
    onResourceUpdated: () => undefined,
    declared: () => everything,
    answer: nobody,
    rememberedEra: () => remembered.at(-1),
    rememberEra: (verdict) => void remembered.push(verdict),
    onStatus(state) {
      states.push(state);
      const told = tell;
      tell = [];
      for (const each of told) each();
    },
    onLists: () => undefined,
    clientInfo: { name: 'maitre-test', version: '0.0.0' },
    ...more,
  });
  onTestFinished(() => server.stop());
  return {
    server,
    states,
    remembered,
    async until(fits) {
      for (;;) {
        const found = states.find(fits);
        if (found) return found;
        await new Promise<void>((resolve) => tell.push(resolve));
      }
    },
  };
}

/** Waits until `look` gives something. */
export async function eventually<Value>(look: () => Value | undefined | false): Promise<Value> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** The most programs that lived at a time, by the record of `startRecord.ts`. */
export function mostAtATime(file: string): number {
  let living = 0;
  let most = 0;
  for (const line of linesOf(file)) {
    living += line.startsWith('start') ? 1 : -1;
    most = Math.max(most, living);
  }
  return most;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A dead process that its new parent has not yet collected still has a number.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * A port that nobody has, for a server that is started later. Not one that the system would choose: until then it could give that to any of
 * the connections that other tests open meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Starts a server over HTTP and waits for the line that says so. Ended after the test. */
export async function serve(script: string, args: string[], port: number, ready: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, ...args], { env: { ...env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endChild(child));
  await new Promise<void>((resolve, reject) => {
    let said = '';
    const take = (chunk: Buffer) => {
      said += chunk.toString();
      if (ready.test(said)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => reject(new Error(`The server ended: ${said}`)));
  });
  return child;
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

interface Exchange {
  message: { id?: unknown; method?: string; params?: { name?: string; requestState?: string } };
  request: IncomingMessage;
  response: ServerResponse;
  /** Answers with a JSON-RPC message as one JSON document. */
  answer(value: object): void;
}

/** An HTTP server of the test's own, which sees every POST as JSON-RPC and refuses everything else with 405. Gives its address. */
export const jsonRpcOverHttp = (handle: (exchange: Exchange) => void): Promise<string> =>
  httpServer((request, response, body) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: Exchange['message'] = JSON.parse(body);
    const answer = (value: object) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...value }));
    handle({ message, request, response, answer });
  });

/** A server whose every request is answered by `handle`; its address. */
export async function httpServer(handle: (request: IncomingMessage, response: ServerResponse, body: string) => void): Promise<string> {
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handle(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}/mcp`;
}

/** The answer of a modern server to `server/discover`. */
export const discovered = {
  result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' },
};
