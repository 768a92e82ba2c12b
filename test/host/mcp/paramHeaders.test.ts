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

test('what fits into no header, and what the arguments do not hold themselves, sends none', () => {
  const [header, path] = ['Mcp-Param-A', ['a', 'b']];
  for (const args of [
    { a: { b: 1.5 } },
    { a: { b: 2 ** 53 } },
    { a: { b: ['x'] } },
    { a: { b: { c: 1 } } },
    { a: ['b'] },
    { a: null },
    { b: 'x' },
  ])
    expect(paramHeaderValues([{ header, path }], args)).toEqual({});
  expect(paramHeaderValues([{ header, path: ['constructor', 'name'] }], {})).toEqual({});
});

test.each(['', '~', 'a b', '=?base64?', '=?base64?eA==', 'eA==?='])('%j needs no encoding', (value) => {
  expect(paramHeaderValues([{ header: 'H', path: ['a'] }], { a: value })).toEqual({ H: value });
});
test.each(['\x7f', '\x1f', 'tab\tinside', 'x\n', ' x', 'x '])('%j is encoded', (value) => {
  expect(paramHeaderValues([{ header: 'H', path: ['a'] }], { a: value })).toEqual({
    H: `=?base64?${Buffer.from(value).toString('base64')}?=`,
  });
});

const annotated = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });
const place = 'it asks for an HTTP header in a place where none may stand';
const impossible = 'it asks for an HTTP header with an impossible name';
test.each<[string, Record<string, unknown>, string]>([
  ['a space in the name', schema({ a: annotated('with space') }), impossible],
  ['a name after a space', schema({ a: annotated(' x') }), impossible],
  ['an empty name', schema({ a: annotated('') }), impossible],
  ['a name that is no text', schema({ a: annotated(5) }), impossible],
  ['a line end in the name', schema({ a: annotated('A\r\nSet-Cookie') }), impossible],
  ['a number', schema({ a: annotated('A', 'number') }), 'it asks for the HTTP header A of a value that fits into none'],
  ['the same name twice', schema({ a: annotated('A'), b: annotated('a') }), 'it asks twice for the HTTP header a'],
  ['two faults', schema({ a: annotated('A', 'number'), b: annotated('') }), 'it asks for the HTTP header A of a value that fits into none'],
  ['the whole of the arguments', annotated('A', 'object'), place],
  ['items', schema({ a: { type: 'array', items: annotated('A') } }), place],
  ['properties of items', schema({ a: { type: 'array', items: schema({ b: annotated('A') }) } }), place],
  ['an alternative', { ...schema({}), anyOf: [schema({ a: annotated('A') })] }, place],
  ['a definition', { ...schema({}), $defs: { a: annotated('A') } }, place],
])('a tool that asks for a header and has %s cannot be used over HTTP', (_what, bad, problem) => {
  expect(paramHeadersOf(bad)).toEqual({ problem });
});

test('a header is asked for by schemas only, not by names, examples or what is too deep to be looked at', () => {
  expect(paramHeadersOf(schema({ 'x-mcp-header': { type: 'string' } }))).toEqual({ headers: [] });
  for (const key of ['default', 'examples', 'enum', 'const'])
    expect(paramHeadersOf({ ...schema({}), [key]: [annotated('')] })).toEqual({ headers: [] });
  const nested = (levels: number): Record<string, unknown> => (levels === 0 ? annotated('Deep') : schema({ a: nested(levels - 1) }));
  expect(paramHeadersOf(nested(64))).toEqual({ headers: [{ header: 'Mcp-Param-Deep', path: Array.from({ length: 64 }, () => 'a') }] });
  expect(paramHeadersOf(nested(65))).toEqual({ headers: [] });
  const wrapped = (levels: number, wrap: (inner: unknown) => unknown): Record<string, unknown> => {
    let inner: unknown = annotated('Deep');
    for (let level = 0; level < levels; level += 1) inner = wrap(inner);
    return { items: inner };
  };
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ not: inner })]) {
    expect(paramHeadersOf(wrapped(63, wrap))).toEqual({ problem: place });
    expect(paramHeadersOf(wrapped(64, wrap))).toEqual({ headers: [] });
  }
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
