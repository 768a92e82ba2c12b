import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import { openConnection, type Connection } from '../../main/host/mcp/connection.ts';
import { SignInNeeded, StartFailure } from '../../main/host/mcp/failures.ts';
import { serverLog } from '../../main/host/mcp/serverLog.ts';
import type { ChildProgram, Clock, Exit } from '../../main/host/ports.ts';
import { CallId, ConversationId, ServerId } from '../../preload/contract/ids.ts';

/** Time runs so much faster, so that servers which never answer do not take half a minute each. */
const speed = 300;
const clock: Clock = {
  now: () => Date.now() * speed,
  elapsed: () => performance.now() * speed,
  after(ms, run) {
    const timer = setTimeout(run, Math.ceil(ms / speed));
    return () => clearTimeout(timer);
  },
};

/** What the server does instead of what it should, for one request. */
type Move =
  | { kind: 'right' }
  | { kind: 'silent' }
  | { kind: 'result'; result: unknown }
  | { kind: 'changed'; key: string; value: unknown }
  | { kind: 'error'; error: unknown }
  | { kind: 'otherId'; id: unknown }
  | { kind: 'twice' }
  | { kind: 'line'; line: string }
  | { kind: 'request'; method: string; params: unknown }
  | { kind: 'exit' };

const methods = [
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'ping',
  'notifications/tools/list_changed',
  'notifications/progress',
  'notifications/message',
  'notifications/resources/updated',
  'notifications/cancelled',
  'no/such/method',
];
const keys = [
  'protocolVersion',
  'capabilities',
  'serverInfo',
  'tools',
  'content',
  'isError',
  'structuredContent',
  'nextCursor',
  'resultType',
  'ttlMs',
  '_meta',
];
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Move>({ kind: 'right' }) },
  fc.constant<Move>({ kind: 'silent' }),
  fc.record({ kind: fc.constant('result' as const), result: fc.jsonValue() }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('changed' as const), key: fc.constantFrom(...keys), value: fc.jsonValue() }) },
  fc.record({
    kind: fc.constant('error' as const),
    error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.integer(), message: fc.string() })),
  }),
  fc.record({ kind: fc.constant('otherId' as const), id: fc.jsonValue() }),
  fc.constant<Move>({ kind: 'twice' }),
  fc.record({ kind: fc.constant('line' as const), line: fc.oneof(fc.string(), fc.json()) }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('request' as const), method: fc.constantFrom(...methods), params: fc.jsonValue() }),
  },
  fc.constant<Move>({ kind: 'exit' }),
);

const rightResult = (method: string): Record<string, unknown> => {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: 'odd', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  return { content: [{ type: 'text', text: 'right' }] };
};

/** A server that follows `moves`, one for each request it gets, then behaves. */
function oddProgram(moves: readonly Move[]): ChildProgram {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exited = Promise.withResolvers<Exit>();
  let isOver = false;
  let made = 0;
  let text = '';
  const exit = (code: number): void => {
    if (isOver) return;
    isOver = true;
    stdout.end();
    stderr.end();
    exited.resolve({ code, signal: null });
  };
  const say = (value: unknown): void => {
    if (!isOver) stdout.write(`${JSON.stringify(value)}\n`);
  };
  const answer = ({ id, method }: { id: unknown; method: string }): void => {
    if (method === 'server/discover') return say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    const right = { jsonrpc: '2.0', id, result: rightResult(method) };
    const next = moves[made] ?? { kind: 'right' };
    made += 1;
    switch (next.kind) {
      case 'right':
        return say(right);
      case 'silent':
        return;
      case 'result':
        return say({ ...right, result: next.result });
      case 'changed':
        return say({ ...right, result: { ...right.result, [next.key]: next.value } });
      case 'error':
        return say({ jsonrpc: '2.0', id, error: next.error });
      case 'otherId':
        say({ ...right, id: next.id });
        return say(right);
      case 'twice':
        say(right);
        return say(right);
      case 'line':
        stdout.write(`${next.line}\n`);
        return say(right);
      case 'request':
        say({
          jsonrpc: '2.0',
          ...(next.method.startsWith('notifications/') ? {} : { id: `own ${made}` }),
          method: next.method,
          params: next.params,
        });
        return say(right);
      case 'exit':
        return exit(3);
    }
  };
  return {
    pid: undefined,
    stdout,
    stderr,
    exited: exited.promise,
    async write(chunk) {
      if (isOver) throw new Error('The pipe is closed.');
      text += Buffer.from(chunk).toString('utf8');
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line) as { id?: unknown; method?: string };
        if (message.id !== undefined && message.method !== undefined) setImmediate(answer, { id: message.id, method: message.method });
      }
    },
    end: () => exit(0),
    async kill() {
      exit(137);
    },
  };
}

/**
 * Whatever a server says: the connection is there or its start fails in words, a call has an outcome, and closing ends. Rejects with the
 * smallest sequence of oddities that breaks this.
 */
export async function fuzzServer(seed: number, runs: number): Promise<void> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 8 }), async (moves) => {
      let connection: Connection;
      try {
        connection = await openConnection({
          serverId: ServerId.parse('odd'),
          serverName: () => 'Odd',
          target: { kind: 'stdio', start: () => oddProgram(moves) },
          clock,
          log: quiet,
          serverLog: serverLog(clock),
          declared: { elicitation: true, sampling: true, roots: true },
          answer: async () => ({ kind: 'declined' }),
          era: 'auto',
          remembered: undefined,
          rememberEra: () => undefined,
          authorizationKey: () => '',
          requestTimeoutMs: () => 10_000,
          onResourceUpdated: () => undefined,
          onLists: () => undefined,
          clientInfo: { name: 'maitre-soak', version: '0' },
          signal: new AbortController().signal,
          startTimeoutMs: 30_000,
        });
      } catch (error) {
        if (error instanceof StartFailure || error instanceof SignInNeeded) return;
        throw error;
      }
      for (const tool of connection.lists().tools)
        if (typeof tool.name !== 'string') throw new Error('A tool without a name was taken in.');
      calls += 1;
      const outcome = await connection.callTool(
        {
          tool: 'echo',
          arguments: {},
          callId: CallId.parse(`call-${calls}`),
          conversationId: ConversationId.parse('chat'),
          signal: new AbortController().signal,
          onProgress: () => undefined,
        },
        10_000,
      );
      if (outcome.kind === 'result' && !Array.isArray(outcome.content)) throw new Error('A result without a list of content was taken in.');
      await connection.close();
      await connection.ended;
    }),
    { seed, numRuns: runs },
  );
}
