import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartFailure } from '../../../main/host/mcp/failures.ts';
import { call, discovered, folder, http, jsonRpcOverHttp, linesOf, nodeProgram, open, testServer, textOf } from './harness.ts';

type Heard = { id?: unknown; method?: string; params?: { protocolVersion?: string; _meta?: object }; result?: unknown };
const unsupported = (...supported: string[]) => ({
  code: -32022,
  message: 'Unsupported protocol version',
  data: { supported, requested: '2026-07-28' },
});
const failureOf = async (opening: Promise<unknown>): Promise<StartFailure> => {
  const error: unknown = await opening.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StartFailure)) throw new Error(`Expected a StartFailure, got ${String(error)}`);
  return error;
};

test.each([
  ['-32601', { code: -32601, message: 'Method not found' }],
  ['-32602', { code: -32602, message: 'Invalid request parameters' }],
  ['-32600', { code: -32600, message: 'Server not initialized' }],
  ['-32000', { code: -32000, message: 'Bad Request' }],
  ['-32002, as one library says it', { code: -32002, message: 'Initialize first' }],
  ['-32001, a code of a draft', { code: -32001, message: 'header mismatch' }],
  ['a code of no range', { code: 7, message: 'what?' }],
  ['-32022 with older revisions only', unsupported('2025-11-25', '2025-06-18')],
])(
  '§1.5: a program that refuses server/discover with %s gets initialize in the same process, and never the newest revision',
  async (_what, error) => {
    const journal = join(folder(), 'heard');
    const { connection } = await open(nodeProgram(testServer('probed'), journal, JSON.stringify(error)));
    expect(connection.protocol).toMatchObject({ era: 'legacy', version: '2025-11-25' });
    expect(textOf(await call(connection, 'echo'))).toBe('done');
    const heard = linesOf(journal).map((line) => JSON.parse(line) as Heard);
    // §2.2, §2.13: ping is answered before the server is ready, and nothing else is sent until it is.
    expect(heard.slice(0, 4).map(({ method, result }) => method ?? result)).toEqual([
      'server/discover',
      'initialize',
      {},
      'notifications/initialized',
    ]);
    expect(heard[1]?.params).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'maitre-test', version: '0.0.0' },
    });
    expect(heard[1]?.id).not.toBe(heard[0]?.id);
    // The eras are not mixed: behind initialize no request is in the form of the newest revision.
    expect(JSON.stringify(heard.slice(1))).not.toContain('io.modelcontextprotocol/protocolVersion');
  },
);

test('§1.5: an answer to server/discover that comes late, behind initialize, changes nothing', async () => {
  const journal = join(folder(), 'heard');
  const { connection } = await open(nodeProgram(testServer('probed'), journal, 'late'));
  expect(connection.protocol).toMatchObject({ era: 'legacy', version: '2025-11-25' });
  expect(textOf(await call(connection, 'echo'))).toBe('done');
});

test.each([
  ['a revision that is not known here', unsupported('2027-01-15'), /2027-01-15/],
  ['-32021', { code: -32021, message: 'Needs sampling', data: { requiredCapabilities: { sampling: {} } } }, /sampling/],
  ['-32020', { code: -32020, message: 'Header mismatch' }, /-32020|Header mismatch/],
])(
  '§1.5: an error that only the newest revision has (%s) never leads to initialize, over stdio or HTTP, and is told',
  async (_what, error, told) => {
    const journal = join(folder(), 'heard');
    const program = await failureOf(open(nodeProgram(testServer('probed'), journal, JSON.stringify(error))));
    const methods: (string | undefined)[] = [];
    const url = await jsonRpcOverHttp(({ message: { id, method }, response }) => {
      methods.push(method);
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    const remote = await failureOf(open(http(url)));
    const heard = linesOf(journal).map((line) => (JSON.parse(line) as Heard).method);
    for (const asked of [heard, methods]) expect(asked.filter((method) => method === 'initialize')).toEqual([]);
    for (const { failure } of [program, remote]) expect(JSON.stringify(failure)).toMatch(told);
  },
);

test.each<[string, number, string, string]>([
  ['400 without a body', 400, 'text/plain', ''],
  ['400 with words', 400, 'text/plain', 'Bad Request: no valid session ID provided'],
  [
    '400 with an error of older servers',
    400,
    'application/json',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}',
  ],
  ['404 with an unknown method', 404, 'application/json', '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}'],
  ['405', 405, 'text/plain', ''],
  ['200 with an error', 200, 'application/json', '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}'],
  [
    '400 that names older revisions only',
    400,
    'application/json',
    JSON.stringify({ jsonrpc: '2.0', id: 0, error: unsupported('2025-11-25') }),
  ],
])('§1.5: over HTTP, %s in answer to server/discover leads to initialize', async (_what, status, type, body) => {
  const methods: (string | undefined)[] = [];
  const url = await jsonRpcOverHttp(({ message: { id, method }, response, answer }) => {
    methods.push(method);
    if (method === 'server/discover')
      return void response.writeHead(status, { 'content-type': type }).end(body.replace('"id":0', `"id":${JSON.stringify(id)}`));
    if (method === 'initialize')
      return answer({ result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } } });
    response.writeHead(202).end();
  });
  const { connection } = await open(http(url));
  expect(connection.protocol).toMatchObject({ era: 'legacy', version: '2025-06-18', transport: 'http' });
  expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
});

test('§1.5: of several revisions of a modern server the one that both know is spoken, and initialize is never sent', async () => {
  const versions: unknown[] = [];
  const methods: (string | undefined)[] = [];
  const url = await jsonRpcOverHttp(({ message: { method }, request, answer }) => {
    methods.push(method);
    versions.push(request.headers['mcp-protocol-version']);
    if (method === 'server/discover')
      return answer({ result: { ...discovered.result, supportedVersions: ['2027-01-15', '2025-11-25', '2026-07-28'] } });
    answer({ result: { resultType: 'complete', tools: [] } });
  });
  const { connection } = await open(http(url));
  expect(connection.protocol).toMatchObject({ era: 'modern', version: '2026-07-28' });
  expect(methods).not.toContain('initialize');
  expect(new Set(versions)).toEqual(new Set(['2026-07-28']));
});

test('§2.2: a server that offers a revision that nobody here speaks is left, and told of; it hears of no readiness', async () => {
  const methods: (string | undefined)[] = [];
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    methods.push(method);
    if (method === 'initialize')
      return answer({ result: { protocolVersion: '2023-01-01', capabilities: {}, serverInfo: { name: 'ancient', version: '1' } } });
    response.writeHead(400).end();
  });
  const { failure } = await failureOf(open(http(url)));
  expect(JSON.stringify(failure)).toContain('2023-01-01');
  expect(methods).not.toContain('notifications/initialized');
});
