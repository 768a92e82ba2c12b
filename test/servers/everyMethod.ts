/**
 * A modern server (2026-07-28) that answers every method of the protocol and writes down whatever it hears. By hand: `node everyMethod.ts
 * JOURNAL` speaks over stdio and writes each line that it hears to the journal; `node everyMethod.ts http` prints its address.
 *
 * Tools: `echo`, which first sends the messages in its argument `say`, where `$listen` stands for the id of the newest subscription; `ask` asks for a form once; `research` becomes a task; `chatty` sends requests of its own, which nobody may answer, before it
 * answers; `typed` answers with the `resultType` that it is told, at any method that takes a text (see {@link typeOf}); `stall` never answers.
 */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Message, onMessage, text, tool, write } from './rawStdio.ts';

type Json = Record<string, unknown>;

const meta = 'io.modelcontextprotocol/';
const complete = (value: Json): Json => ({ resultType: 'complete', ...value });
const fresh = (value: Json): Json => complete({ ttlMs: 0, cacheScope: 'private', ...value });
const form = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
};
const times = { createdAt: '2026-11-01T00:00:00Z', lastUpdatedAt: '2026-11-01T00:00:00Z', ttlMs: null, pollIntervalMs: 10 };

/** What of a request names the `resultType` that it is to be answered with: `typed:partial` as a name or an address. */
function typeOf({ params }: Message): string | undefined {
  const ref = (params?.['ref'] ?? {}) as Json;
  const named = [params?.['name'], params?.['uri'], ref['name']].find((each) => String(each).startsWith('typed:'));
  return named === undefined ? undefined : String(named).slice('typed:'.length);
}

function resultOf(message: Message): Json {
  const { params = {} } = message;
  const type = typeOf(message);
  if (type !== undefined) {
    const body = { ...text('read as complete'), contents: [], messages: [], completion: { values: ['read as complete'] } };
    return {
      ...(type === '' ? {} : { resultType: type }),
      ...body,
      taskId: 'task-1',
      status: 'working',
      ...times,
      inputRequests: { form },
    };
  }
  switch (message.method) {
    case 'server/discover':
      return fresh({
        supportedVersions: ['2026-07-28'],
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: {},
          extensions: { [`${meta}tasks`]: {} },
        },
      });
    case 'tools/list':
      return fresh({ tools: ['echo', 'ask', 'research', 'chatty', 'stall'].map(tool) });
    case 'resources/list':
      return fresh({ resources: [{ uri: 'note://one', name: 'One' }] });
    case 'resources/templates/list':
      return fresh({ resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'Notes' }] });
    case 'prompts/list':
      return fresh({ prompts: [{ name: 'greet' }] });
    case 'resources/read':
      return fresh({ contents: [{ uri: params['uri'], text: 'read' }] });
    case 'prompts/get':
      return complete({ messages: [] });
    case 'completion/complete':
      return complete({ completion: { values: ['one'] } });
    case 'tasks/get':
      return complete({ taskId: params['taskId'], status: 'completed', ...times, result: text('done') });
    case 'tasks/update':
    case 'tasks/cancel':
      return complete({});
    default:
      if (params['name'] === 'ask' && params['inputResponses'] === undefined)
        return { resultType: 'input_required', inputRequests: { who: form }, requestState: 'opaque' };
      if (params['name'] === 'research') return { resultType: 'task', taskId: 'täsk-1', status: 'working', ...times };
      return complete(text('done'));
  }
}

/** What a stream of `subscriptions/listen` begins with: everything is granted. */
const acknowledged = ({ id, params }: Message): Json => ({
  method: 'notifications/subscriptions/acknowledged',
  params: { _meta: { [`${meta}subscriptionId`]: id }, notifications: params?.['notifications'] },
});

/** Requests that only a server of an older revision may send. */
const questions: Json[] = [
  { id: 'server-1', method: 'roots/list' },
  { id: 'server-2', method: 'ping' },
  { id: 3, ...form },
];

/** What the request is answered with, message by message. `open`: more may come, or nothing at all. */
function answersTo(message: Message): { answers: Json[]; open: boolean } {
  const { name, arguments: given } = (message.params ?? {}) as { name?: unknown; arguments?: { say?: Json[] } };
  if (message.method === 'subscriptions/listen') {
    newest = message.id;
    return { answers: [acknowledged(message)], open: true };
  }
  if (message.method === 'tools/call' && name === 'stall') return { answers: [], open: true };
  const answer = { id: message.id, result: resultOf(message) };
  if (message.method !== 'tools/call') return { answers: [answer], open: false };
  const said = JSON.parse(JSON.stringify(given?.say ?? []).replaceAll('"$listen"', JSON.stringify(newest))) as Json[];
  return { answers: [...said, ...(name === 'chatty' ? questions : []), answer], open: false };
}

/** The id of the newest subscription. */
let newest: unknown;

const withVersion = (value: Json): string => JSON.stringify({ jsonrpc: '2.0', ...value });

export interface HeardRequest {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface EveryMethod {
  url: string;
  heard: HeardRequest[];
  /** Exchanges that the client broke off. */
  brokenOff: (string | undefined)[];
  close(): Promise<void>;
}

/**
 * `as`: every answer as one JSON document where there is but one, or as a stream. It behaves as servers of older revisions did where a modern client
 * must not care: it gives out a session, and numbers the events of its streams. `breaks`: a call's stream ends after its first event.
 */
export async function startEveryMethod(as: 'json' | 'stream', breaks = false): Promise<EveryMethod> {
  const heard: HeardRequest[] = [];
  const brokenOff: (string | undefined)[] = [];
  const answer = (message: Message, response: ServerResponse): void => {
    const { answers, open } = answersTo(message);
    const headers = { 'mcp-session-id': 'a-session' };
    response.on('close', () => void (response.writableFinished || brokenOff.push(message.method)));
    if (as === 'json' && !open && answers.length === 1 && answers[0])
      return void response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(withVersion(answers[0]));
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.write(': keep-alive\n\nid: 0\nretry: 3600000\ndata:\n\n');
    if (breaks && message.method === 'tools/call') return void response.end();
    for (const [index, each] of answers.entries()) response.write(`id: ${index + 1}\ndata: ${withVersion(each)}\n\n: keep-alive\n\n`);
    if (!open) response.end();
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push({ method: request.method, headers: request.headers, body });
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
      answer(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    heard,
    brokenOff,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

if (import.meta.main) {
  const [, , how] = process.argv;
  if (how === 'http') process.stdout.write(`${(await startEveryMethod('stream')).url}\n`);
  else
    onMessage((message) => {
      if (how !== undefined) appendFileSync(how, `${JSON.stringify(message)}\n`);
      if (message.id === undefined || message.method === undefined) return;
      for (const answer of answersTo(message).answers) write({ jsonrpc: '2.0', ...answer });
    });
}
