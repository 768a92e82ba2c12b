import { expect, test } from 'vitest';
import { brokenAnswer, readMessage } from '../../../main/host/mcp/messageProblem.ts';
import { call, http, jsonRpcOverHttp, nodeProgram, open, testServer, textOf } from './harness.ts';

const result = { content: [] };

test.each([
  [{ jsonrpc: '2.0', id: 1, result }],
  [{ jsonrpc: '2.0', id: 'a', result: {} }],
  [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no', data: [1] } }],
  [{ jsonrpc: '2.0', id: 0, method: 'ping' }],
  [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }],
])('%j is a message', (message) => {
  expect(readMessage(message)).toEqual({ message });
});

test.each([
  [
    { jsonrpc: '2.0', id: 1, result, error: null },
    { jsonrpc: '2.0', id: 1, result },
  ],
  [
    { jsonrpc: '2.0', id: 1, result: null, error: { code: 1, message: 'x' } },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
  ],
  [
    { jsonrpc: '2.0', id: 1, result, took: '3 ms' },
    { jsonrpc: '2.0', id: 1, result },
  ],
  [
    { jsonrpc: '2.0', method: 'x', extra: 1 },
    { jsonrpc: '2.0', method: 'x' },
  ],
])('%j can be meant in one way only and is taken', (written, message) => {
  expect(readMessage(written)).toEqual({ message });
});

test.each([
  ['text', 'it is no JSON object', undefined],
  [[], 'it is no JSON object', undefined],
  [{ id: 1, result }, 'it does not say "jsonrpc": "2.0"', 1],
  [{ jsonrpc: '1.0', id: 'a', result }, 'it does not say "jsonrpc": "2.0"', 'a'],
  [{ jsonrpc: '2.0', id: 1, method: 5 }, 'its "method" is no text', undefined],
  [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, 'its "id" is neither a text nor a whole number', undefined],
  [{ jsonrpc: '2.0', id: null, method: 'ping' }, 'its "id" is neither a text nor a whole number', undefined],
  [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 'its "params" are no object', undefined],
  [{ jsonrpc: '2.0', id: 1, result, error: { code: 1, message: 'x' } }, 'it has both a "result" and an "error"', 1],
  [{ jsonrpc: '2.0', id: 1 }, 'it has neither a "method", nor a "result", nor an "error"', 1],
  [{ jsonrpc: '2.0', id: 1, error: null }, 'it has neither a "method", nor a "result", nor an "error"', 1],
  [{ jsonrpc: '2.0', id: 1, result: null }, 'its "result" is no object', 1],
  [{ jsonrpc: '2.0', id: 1, result: null, error: null }, 'its "result" is no object', 1],
  [{ jsonrpc: '2.0', id: 1, result: 'done' }, 'its "result" is no object', 1],
  [{ jsonrpc: '2.0', id: 1, result: [] }, 'its "result" is no object', 1],
  [{ jsonrpc: '2.0', result }, 'it is an answer without the "id" of its request', undefined],
  [{ jsonrpc: '2.0', id: null, result }, 'it is an answer without the "id" of its request', undefined],
  [{ jsonrpc: '2.0', id: 1, error: 'boom' }, 'its "error" has no whole number as "code" or no text as "message"', 1],
  [{ jsonrpc: '2.0', id: 1, error: { code: '1', message: 'x' } }, 'its "error" has no whole number as "code" or no text as "message"', 1],
  [{ jsonrpc: '2.0', id: 1, error: { code: 1 } }, 'its "error" has no whole number as "code" or no text as "message"', 1],
  [
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    'it is an error that names no request (-32700: Parse error)',
    undefined,
  ],
])('%j is no message: %s', (value, problem, answers) => {
  expect(readMessage(value)).toEqual({ problem, ...(answers === undefined ? {} : { answers }) });
});

test('an answer of a program that breaks the rules of messages ends its request at once, and says which rule', async () => {
  const answer = '{"jsonrpc":"2.0","id":$id,"result":"done"}';
  const { connection, log } = await open(nodeProgram(testServer('brokenMessages'), 'tools/call', answer));
  expect(await call(connection, 'echo')).toMatchObject({
    kind: 'invalidResult',
    message:
      '"Odd" answered the call with what is no message of the protocol: its "result" is no object. Whether it took effect is not known: look before you repeat it.',
  });
  expect(log.lines().at(-1)).toMatchObject({ stream: 'host', text: 'A message of it was not taken: its "result" is no object.' });
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[}', 7],
  ['{"id": "a", "jsonrpc": "2.0", "result": {"content": [{"text": "a"b"}]}}', 'a'],
  ['{"jsonrpc":"2.0","id":7,"result":{}}', undefined],
  ['{"jsonrpc":"2.0","result":{"rows":[{"id":7,"a":', undefined],
  ['{"jsonrpc":"2.0","id":7,"method":"ping","params":{', undefined],
  ['{"jsonrpc":"2.0","id":7', undefined],
  ['{"level":"info","id":7,"msg":"x', undefined],
  ["{'jsonrpc': '2.0', 'id': 7, 'result': {}}", undefined],
])('%s is the broken answer to %s', (line, answers) => {
  expect(brokenAnswer(line)).toEqual(
    answers === undefined ? undefined : { answers, problem: expect.stringMatching(/^it is no JSON \(.+\)$/) },
  );
});

test('an answer of a program that is broken JSON ends its request at once', async () => {
  const answer = '{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"a "quoted" word"}]}}';
  const { connection, log } = await open(nodeProgram(testServer('brokenMessages'), 'tools/call', answer));
  expect(await call(connection, 'echo')).toMatchObject({
    kind: 'invalidResult',
    message: expect.stringContaining('"Odd" answered the call with what is no message of the protocol: it is no JSON ('),
  });
  expect(log.lines().at(-1)).toMatchObject({ stream: 'stdout', text: expect.stringContaining('a "quoted" word') });
});

test('an answer of a program that can be meant in one way only is taken', async () => {
  const answer = '{"jsonrpc":"2.0","id":$id,"error":null,"result":{"content":[{"type":"text","text":"hi"}]}}';
  const { connection } = await open(nodeProgram(testServer('brokenMessages'), 'tools/call', answer));
  expect(textOf(await call(connection, 'echo'))).toBe('hi');
});

test('a program that answers initialize with no message, or with lines that are none, is told of by what it wrote', async () => {
  await expect(open(nodeProgram(testServer('brokenMessages'), 'initialize', '{"id":$id,"result":{}}'))).rejects.toMatchObject({
    failure: {
      code: 'protocolError',
      message:
        '"Odd" answered, but not as an MCP server does: it does not say "jsonrpc": "2.0". Check that its command starts an MCP server.',
    },
  });
  const framed = nodeProgram(testServer('brokenMessages'), 'initialize', 'Content-Length: 2\r\n\r\n{}');
  await expect(open(framed, { startTimeoutMs: 8000 })).rejects.toMatchObject({
    failure: {
      code: 'noAnswer',
      message: expect.stringContaining('a message of the protocol is one JSON object on one line'),
      detail: expect.stringContaining('Content-Length: 2'),
    },
  });
});

test.each([
  ['text/html', '<html>Sign in</html>', 'it is of the type "text/html", and only application/json and text/event-stream may come'],
  ['application/json', '{"jsonrpc":', 'it is no JSON ('],
  ['application/json', '{"jsonrpc":"2.0","id":7,"error":"boom"}', 'it is no message of JSON-RPC 2.0 (error: '],
])('an answer over HTTP of the type %s that is %s is told by the rule that it breaks', async (type, body, problem) => {
  const url = await jsonRpcOverHttp(({ message: { method }, response, answer }) => {
    if (method === 'initialize')
      answer({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } } });
    else if (method === 'tools/list') answer({ result: { tools: [] } });
    else if (method === 'tools/call') response.writeHead(200, { 'content-type': type }).end(body);
    else if (method === 'notifications/initialized') response.writeHead(202).end();
    else answer({ error: { code: -32601, message: 'Method not found' } });
  });
  const { connection, log } = await open(http(url));
  expect(await call(connection, 'any')).toMatchObject({
    kind: 'invalidResult',
    message: expect.stringContaining(`"Odd" answered the call with what is no message of the protocol: ${problem}`),
  });
  expect(log.lines().at(-1)?.text).toContain(`A message of it was not taken: ${problem}`);
});
