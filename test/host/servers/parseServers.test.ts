import { describe, expect, test } from 'vitest';
import { parseServers } from '../../../main/host/servers/parseServers.ts';

const github = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] };
const one = (name: string, config: unknown) => ({ ok: true, proposed: [{ name, config }] });

describe('what people paste is understood', () => {
  test.each([
    ['a whole file', JSON.stringify({ mcpServers: { github } }), one('github', github)],
    ['only the inner map', JSON.stringify({ github }), one('github', github)],
    ['the inside of the map, cut out of a file', `"github": ${JSON.stringify(github)},`, one('github', github)],
    ['one single entry, named after its package', JSON.stringify(github), one('server-github', github)],
    [
      'one single entry, version and scope cut off',
      '{"command":"npx","args":["-y","@scope/tool@1.2.3"]}',
      one('tool', { command: 'npx', args: ['-y', '@scope/tool@1.2.3'] }),
    ],
    [
      'one single address, named after its host',
      '{"url":"https://mcp.example.com/mcp"}',
      one('mcp.example.com', { url: 'https://mcp.example.com/mcp' }),
    ],
    ['the shape of VS Code', '{"servers":{"a":{"type":"stdio","command":"x"}}}', one('a', { command: 'x' })],
    ['settings of VS Code', '{"mcp":{"servers":{"a":{"command":"x"}}}}', one('a', { command: 'x' })],
    ['a byte order mark', `\uFEFF${JSON.stringify({ mcpServers: { github } })}`, one('github', github)],
    [
      'comments and trailing commas',
      '{ // my servers\n "mcpServers": { "a": { "command": "x", /* none */ "args": [], }, }, }',
      one('a', { command: 'x', args: [] }),
    ],
    [
      'words of other applications for HTTP',
      '{"a":{"type":"streamableHttp","serverUrl":"https://a.example/mcp"}}',
      one('a', { type: 'streamable-http', url: 'https://a.example/mcp' }),
    ],
    ['members that are null', '{"a":{"command":"x","cwd":null}}', one('a', { command: 'x' })],
    ['a name of the language itself', '{"mcpServers":{"__proto__":{"command":"x"}}}', one('__proto__', { command: 'x' })],
  ])('%s', (_what, text, expected) => {
    expect(parseServers(text)).toEqual(expected);
  });

  test('inputs of VS Code become secrets', () => {
    const text = '{"inputs":[{"id":"api-key"}],"servers":{"a":{"command":"x","env":{"T":"${input:api-key}"}}}}';
    expect(parseServers(text)).toEqual(one('a', { command: 'x', env: { T: '${secret:api_key}' } }));
  });
});

describe('one bad entry does not lose the others', () => {
  test.each([
    ['without command and address', '{"args":[]}', /neither a "command".*nor a "url"/],
    ['with both', '{"command":"x","url":"https://a.example"}', /"command" and "url" at once/],
    ['with a member of the wrong form', '{"command":"x","args":"-y"}', /"args"/],
    ['that is no object', '["x"]', /not an object/],
  ])('%s', (_what, entry, problem) => {
    const parsed = parseServers(`{"mcpServers":{"bad":${entry},"good":{"command":"x"}}}`);
    expect(parsed).toMatchObject({
      ok: true,
      proposed: [
        { name: 'bad', problem: expect.stringMatching(problem) },
        { name: 'good', config: { command: 'x' } },
      ],
    });
  });
});

describe('what cannot be read is refused with its line and column', () => {
  test.each([
    ['two objects in a row', '{"mcpServers":{}}\n{"mcpServers":{}}', 2, 1, /goes on after the end/],
    ['a missing comma', '{\n  "a": { "command": "x" "args": [] }\n}', 2, 25, /comma is missing/],
    ['a text that is never closed', '{\n  "a": "x\n}', 2, 8, /never closed/],
    ['a file that breaks off', '{"mcpServers": {', 1, 17, /brace/],
    ['a lone backslash in a path of Windows', '{"a":{"command":"C:\\Users\\x.exe"}}', 1, 17, /backslash/],
    ['the same name twice', '{"a":{"command":"good"},\n"a":{"command":"evil"}}', 2, 1, /"a" stands twice/],
    ['nesting that would exhaust the stack', '['.repeat(200_000), 1, 65, /levels/],
  ])('%s', (_what, text, line, column, words) => {
    const parsed = parseServers(text);
    expect(parsed).toMatchObject({ ok: false, at: { line, column } });
    expect(parsed.ok ? '' : parsed.message).toMatch(words);
    expect(parsed.ok ? '' : parsed.message).toContain(`line ${line}, column ${column}`);
  });

  test.each([
    ['nothing', ' \n ', /nothing to read/],
    ['a list', '[1]', /no JSON object/],
    ['other JSON', '{"name":"package","version":"1.0.0"}', /No server was found/],
    ['an empty list of servers', '{"mcpServers":{}}', /empty/],
    ['servers that are no map', '{"mcpServers":[]}', /No server was found/],
  ])('%s is refused in words', (_what, text, words) => {
    const parsed = parseServers(text);
    expect(parsed.ok ? '' : parsed.message).toMatch(words);
  });
});
