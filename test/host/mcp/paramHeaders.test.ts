import { expect, test } from 'vitest';
import { paramHeadersOf, paramHeaderValues } from '../../../main/host/mcp/paramHeaders.ts';
import { call, discovered, http, jsonRpcOverHttp, open, textOf } from './harness.ts';

const schema = (properties: Record<string, unknown>) => ({ type: 'object', properties });

test('a value becomes a header as the specification writes it', () => {
  const headersOf = (properties: Record<string, unknown>, args: Record<string, unknown>) => {
    const found = paramHeadersOf(schema(properties));
    if ('problem' in found) throw new Error(found.problem);
    return paramHeaderValues(found.headers, args);
  };
  const text = { a: { type: 'string', 'x-mcp-header': 'A' } };
  expect(headersOf(text, { a: 'plain' })).toEqual({ 'Mcp-Param-A': 'plain' });
  expect(headersOf(text, { a: ' padded ' })).toEqual({ 'Mcp-Param-A': '=?base64?IHBhZGRlZCA=?=' });
  expect(headersOf(text, { a: 'Hello, 世界' })).toEqual({ 'Mcp-Param-A': '=?base64?SGVsbG8sIOS4lueVjA==?=' });
  expect(headersOf(text, { a: 'two\r\nlines' })['Mcp-Param-A']).toMatch(/^=\?base64\?/);
  expect(headersOf(text, { a: '=?base64?eA==?=' })['Mcp-Param-A']).not.toBe('=?base64?eA==?=');
  expect(headersOf(text, { a: null })).toEqual({});
  expect(headersOf(text, {})).toEqual({});
  const nested = { where: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } };
  expect(headersOf(nested, { where: { region: 'eu' } })).toEqual({ 'Mcp-Param-Region': 'eu' });
  expect(
    headersOf({ n: { type: 'integer', 'x-mcp-header': 'N' }, b: { type: 'boolean', 'x-mcp-header': 'B' } }, { n: 7, b: false }),
  ).toEqual({
    'Mcp-Param-N': '7',
    'Mcp-Param-B': 'false',
  });
});

test('a tool that asks for an impossible header cannot be used over HTTP', () => {
  const annotated = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });
  for (const bad of [
    schema({ a: annotated('with space') }),
    schema({ a: annotated('') }),
    schema({ a: annotated(5) }),
    schema({ a: annotated('A\r\nSet-Cookie') }),
    schema({ a: annotated('A', 'number') }),
    schema({ a: annotated('A'), b: annotated('a') }),
    schema({ a: { type: 'array', items: annotated('A') } }),
    { ...schema({}), anyOf: [schema({ a: annotated('A') })] },
    { ...schema({}), $defs: { a: annotated('A') } },
  ]) {
    expect(paramHeadersOf(bad)).toHaveProperty('problem');
  }
  // A property of that name is the tool's own affair.
  expect(paramHeadersOf(schema({ 'x-mcp-header': { type: 'string' } }))).toEqual({ headers: [] });
});

test('over modern HTTP the headers are sent, and only the impossible tool is out', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const url = await jsonRpcOverHttp(({ message: { method }, request, answer }) => {
    if (method === 'server/discover') return answer(discovered);
    if (method === 'tools/list') {
      const tools = [
        { name: 'good', inputSchema: schema({ region: { type: 'string', 'x-mcp-header': 'Region' } }) },
        { name: 'bad', inputSchema: schema({ region: { type: 'number', 'x-mcp-header': 'Region' } }) },
      ];
      return answer({ result: { resultType: 'complete', tools } });
    }
    seen.push(request.headers['mcp-param-region'], request.headers['mcp-name'], request.headers['mcp-method']);
    answer({ result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] } });
  });
  const { connection } = await open(http(url));
  expect(connection.lists().tools.map((tool) => tool.problem)).toEqual([undefined, expect.stringContaining('Region')]);
  expect(textOf(await call(connection, 'good', { region: 'eu' }))).toBe('done');
  expect(seen).toEqual(['eu', 'good', 'tools/call']);
});
