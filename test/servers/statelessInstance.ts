/** One instance of a modern server (2026-07-28) over HTTP: it keeps nothing between requests but what lies in the store that all instances share. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface TaskRecord {
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  ttlMs: number | null;
  createdAt: string;
  polls: number;
  answers: Record<string, unknown>;
  sessionOf?: string;
}

/** What the instances share: a database would be behind them. */
export interface Store {
  /** Every effect that was carried out, in order. */
  ledger: string[];
  tasks: Record<string, TaskRecord>;
  notes: Record<string, string>;
  /** Further tools, by name. */
  tools: string[];
  /** Of each method, how often it was asked for. */
  asked: Record<string, number>;
  /** Log levels that requests carried. */
  levels: (string | undefined)[];
  /** Sends a notice to every open stream that asked for it. */
  tell(kind: 'toolsListChanged' | 'resourcesListChanged' | string, gone?: 'graceful' | 'broken'): void;
  /** Sends a task to every open stream that asked for it; `changed` is what the notice says instead. */
  tellTask(taskId: string, changed?: Record<string, unknown>): void;
  taskListeners: Set<(taskId: string, task: Record<string, unknown>) => void>;
  /** What it wishes between two questions about a task, in milliseconds. */
  pollIntervalMs: number;
  listeners: Set<(kind: string, gone?: 'graceful' | 'broken') => void>;
  /** Time to live of lists and resources, in milliseconds. */
  ttlMs: number;
  /** Name of the header that the tool `region` wants; changing it makes what clients know out of date. */
  regionHeader: string;
  /** Filters it never grants. */
  ungranted: Set<string>;
}

export function newStore(): Store {
  const listeners: Store['listeners'] = new Set();
  const taskListeners: Store['taskListeners'] = new Set();
  const store: Store = {
    ledger: [],
    tasks: {},
    notes: { 'note://one': 'first note', 'note://one/part': 'a part' },
    tools: [],
    asked: {},
    levels: [],
    listeners,
    tell: (kind, gone) => {
      for (const listener of [...listeners]) listener(kind, gone);
    },
    taskListeners,
    tellTask: (taskId, changed) => {
      const record = store.tasks[taskId];
      const task = changed ?? (record && detailsOf(taskId, record, store));
      if (task) for (const listener of [...taskListeners]) listener(taskId, { taskId, ...task });
    },
    pollIntervalMs: 50,
    ttlMs: 0,
    regionHeader: 'Region',
    ungranted: new Set(),
  };
  return store;
}

type Json = Record<string, unknown>;
const meta = 'io.modelcontextprotocol/';
const said = (text: string): Json => ({ content: [{ type: 'text', text }] });
const namedBy: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};
class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startInstance(name: string, store: Store, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(name, store, request, response, JSON.parse(body || 'null') as Json | null));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port };
}

function answer(name: string, store: Store, request: IncomingMessage, response: ServerResponse, message: Json | null): void {
  const send = (status: number, value: Json) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message?.['id'], ...value }));
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const method = String(message?.['method']);
  const params = (message?.['params'] ?? {}) as Json;
  const carried = (params['_meta'] ?? {}) as Json;
  store.asked[method] = (store.asked[method] ?? 0) + 1;
  const named = namedBy[method];
  const wrong =
    request.headers['mcp-protocol-version'] !== '2026-07-28' ||
    carried[`${meta}protocolVersion`] !== '2026-07-28' ||
    request.headers['mcp-method'] !== method ||
    (named !== undefined && request.headers['mcp-name'] !== params[named]) ||
    (method === 'tools/call' &&
      params['name'] === 'region' &&
      request.headers[`mcp-param-${store.regionHeader.toLowerCase()}`] !== (params['arguments'] as Json)['region']);
  if (wrong) return send(400, { error: { code: -32020, message: 'The headers do not say what the body says.' } });
  if (method === 'subscriptions/listen') return listen(store, response, message ?? {}, params);
  store.levels.push(carried[`${meta}logLevel`] as string | undefined);
  try {
    send(200, { result: { resultType: 'complete', ...resultOf(name, store, method, params, carried) } });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    send(error.code === -32601 ? 404 : 200, { error: { code: error.code, message: error.message } });
  }
}

const cached = (store: Store, value: Json): Json => ({ ...value, ttlMs: store.ttlMs, cacheScope: 'private' });
const tool = (name: string, properties: Json, more: Json = {}): Json => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties },
  ...more,
});

function resultOf(name: string, store: Store, method: string, params: Json, carried: Json): Json {
  switch (method) {
    case 'server/discover':
      return cached(store, {
        supportedVersions: ['2026-07-28'],
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: {},
          completions: {},
          logging: {},
          extensions: { [`${meta}tasks`]: {} },
        },
      });
    case 'tools/list':
      return cached(store, {
        tools: [
          tool('record', { text: { type: 'string' } }),
          tool('where', {}),
          tool('region', { region: { type: 'string', 'x-mcp-header': store.regionHeader } }),
          tool('ask', {}),
          tool('research', { topic: { type: 'string' }, ask: { type: 'boolean' }, ttlMs: { type: 'number' } }),
          tool(
            'order-status',
            { id: { type: 'string' } },
            { outputSchema: { type: 'object', properties: { status: { enum: ['shipped', 'open'] } }, required: ['status'] } },
          ),
          ...store.tools.map((added) => tool(added, {})),
        ],
      });
    case 'resources/list':
      return cached(store, { resources: Object.keys(store.notes).map((uri) => ({ uri, name: uri })) });
    case 'resources/templates/list':
      return cached(store, { resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'Notes' }] });
    case 'resources/read': {
      const uri = String(params['uri']);
      if (uri === 'note://asks' && params['inputResponses'] === undefined) {
        const requestedSchema = { type: 'object', properties: { value: { type: 'string' } } };
        return {
          resultType: 'input_required',
          inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } } },
        };
      }
      const text = uri === 'note://asks' ? 'for you only' : store.notes[uri];
      if (uri === 'note://picture')
        return cached(store, { contents: [{ uri, mimeType: 'image/png', blob: 'iVBORw0KGgo=' }, { uri: 'note://broken' }] });
      if (text === undefined) throw new RpcError(-32602, `Resource not found: ${uri}`);
      return cached(store, { contents: [{ uri, mimeType: 'text/plain', text }] });
    }
    case 'prompts/list':
      return cached(store, { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] });
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${String((params['arguments'] as Json)['who'])}.` } }] };
    case 'completion/complete':
      return { completion: { values: Array.from({ length: 150 }, (_, index) => `value ${index}`), total: 150 } };
    case 'tools/call':
      return call(name, store, params, carried);
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return task(store, method, params);
    default:
      throw new RpcError(-32601, `No method ${method}`);
  }
}

function call(name: string, store: Store, params: Json, carried: Json): Json {
  const given = (params['arguments'] ?? {}) as Json;
  switch (params['name']) {
    case 'record':
      store.ledger.push(String(given['text']));
      return said(`recorded by ${name}`);
    case 'where':
    case 'region':
      return said(name);
    case 'ask': {
      // Two questions at once, then a third one: each round may be answered by another instance.
      const responses = params['inputResponses'] as Record<string, { content?: Json }> | undefined;
      const state = typeof params['requestState'] === 'string' ? (JSON.parse(params['requestState']) as string[]) : [];
      const got = [...state, ...Object.entries(responses ?? {}).map(([key, value]) => `${key}=${String(value.content?.['value'])}`)];
      const form = (message: string) => ({
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message,
          requestedSchema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
        },
      });
      if (responses === undefined)
        return { resultType: 'input_required', inputRequests: { first: form('First?'), second: form('Second?') }, requestState: '[]' };
      if (state.length === 0)
        return { resultType: 'input_required', inputRequests: { third: form('Third?') }, requestState: JSON.stringify(got) };
      return said(got.sort().join(' '));
    }
    case 'research': {
      const capabilities = (carried[`${meta}clientCapabilities`] ?? {}) as { extensions?: Json };
      if (capabilities.extensions?.[`${meta}tasks`] === undefined) return said('done at once');
      const taskId = `task-${Object.keys(store.tasks).length + 1}-${Math.random().toString(36).slice(2)}`;
      store.ledger.push(`research ${String(given['topic'])}`);
      store.tasks[taskId] = {
        status: given['ask'] === true ? 'input_required' : 'working',
        ttlMs: typeof given['ttlMs'] === 'number' ? given['ttlMs'] : null,
        createdAt: new Date().toISOString(),
        polls: 0,
        answers: {},
      };
      return { resultType: 'task', ...viewOf(taskId, store.tasks[taskId], store) };
    }
    case 'order-status':
      if (given['id'] === 'A-1') return { ...said('Order A-1 is shipped.'), structuredContent: { status: 'shipped' } };
      if (given['id'] === 'A-2') return { ...said('Order A-2 is lost.'), structuredContent: { status: 'lost' } };
      return { ...said(`There is no order ${String(given['id'])}. Orders are named like A-1.`), isError: true };
    default:
      if (store.tools.includes(String(params['name']))) return said('a new tool');
      throw new RpcError(-32602, `Unknown tool ${String(params['name'])}`);
  }
}

const viewOf = (taskId: string, record: TaskRecord, { pollIntervalMs }: Store): Json => ({
  taskId,
  status: record.status,
  statusMessage: `polled ${record.polls} times`,
  createdAt: record.createdAt,
  lastUpdatedAt: new Date().toISOString(),
  ttlMs: record.ttlMs,
  pollIntervalMs,
});

/** With what belongs to its status. */
function detailsOf(taskId: string, record: TaskRecord, store: Store): Json {
  const view = viewOf(taskId, record, store);
  if (record.status === 'input_required') {
    view['inputRequests'] = {
      depth: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'How deep?', requestedSchema: { type: 'object', properties: { depth: { type: 'string' } } } },
      },
    };
  }
  if (record.status === 'completed') view['result'] = said(`found ${JSON.stringify(record.answers)}`);
  if (record.status === 'failed') view['error'] = { code: -32099, message: 'the library burnt down' };
  return view;
}

function task(store: Store, method: string, params: Json): Json {
  const taskId = String(params['taskId']);
  const record = store.tasks[taskId];
  if (!record) throw new RpcError(-32602, 'Unknown task');
  if (method === 'tasks/cancel') {
    record.status = 'cancelled';
    return {};
  }
  if (method === 'tasks/update') {
    Object.assign(record.answers, params['inputResponses']);
    record.status = 'working';
    return {};
  }
  record.polls += 1;
  const view = detailsOf(taskId, record, store);
  // Some examples of the extension name the answer so.
  if (record.polls % 2 === 0) view['resultType'] = 'task';
  return view;
}

function listen(store: Store, response: ServerResponse, message: Json, params: Json): void {
  const asked = (params['notifications'] ?? {}) as Record<string, unknown>;
  const granted: Record<string, unknown> = Object.fromEntries(Object.entries(asked).filter(([key]) => !store.ungranted.has(key)));
  if (Array.isArray(granted['resourceSubscriptions']))
    granted['resourceSubscriptions'] = granted['resourceSubscriptions'].filter((uri) => !store.ungranted.has(String(uri)));
  const subscription = { [`${meta}subscriptionId`]: message['id'] };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (value: Json) => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
  response.write(': keep-alive\n\n');
  write({ method: 'notifications/subscriptions/acknowledged', params: { notifications: granted, _meta: subscription } });
  const listener = (kind: string, gone?: 'graceful' | 'broken') => {
    if (gone === 'graceful') {
      write({ id: message['id'], result: { resultType: 'complete', _meta: subscription } });
      response.end();
    } else if (gone === 'broken') response.destroy();
    else if (kind === 'toolsListChanged' || kind === 'resourcesListChanged') {
      const list = kind === 'toolsListChanged' ? 'tools' : 'resources';
      if (granted[kind] === true) write({ method: `notifications/${list}/list_changed`, params: { _meta: subscription } });
    } else write({ method: 'notifications/resources/updated', params: { uri: kind, _meta: subscription } });
  };
  const taskListener = (taskId: string, task: Json) => {
    const { taskIds } = granted;
    if (Array.isArray(taskIds) && taskIds.includes(taskId))
      write({ method: 'notifications/tasks', params: { ...task, _meta: subscription } });
  };
  store.listeners.add(listener);
  store.taskListeners.add(taskListener);
  response.on('close', () => {
    store.listeners.delete(listener);
    store.taskListeners.delete(taskListener);
  });
}
