import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignWireNames } from '../../../main/host/tools/names.ts';

const legal = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const nameOf = (serverName: string, name: string, serverId = 'a') => {
  const tool = { serverId, serverName, name };
  return assignWireNames([tool]).nameOf(tool);
};

describe('wire names', () => {
  test.each([
    ['files', 'read_file', 'files__read_file'],
    ['My Files', 'issues.create', 'My_Files__issues_create'],
    ['everything', 'get-sum', 'everything__get-sum'],
    ['Café', 'öffnen', 'Cafe__offnen'],
  ])('are readable: %s, %s', (server, tool, expected) => expect(nameOf(server, tool)).toBe(expected));

  test('row 18: never begin with a digit, whatever the server is called', () => {
    expect(nameOf('3LilHO1_r0XVizK9FFI_Ad', 'go')).toBe('_3LilHO1_r0XVizK9FFI_Ad__go');
    expect(nameOf('123', '456')).toMatch(legal);
  });

  test('row 19: a name of more than 64 characters is cut, ends in a hash, and finds its tool', () => {
    const tools = ['a', 'b'].map((end) => ({ serverId: 'a', serverName: 'synamedia-production', name: `${'x'.repeat(69)}${end}` }));
    const names = assignWireNames(tools);
    const wire = tools.map((tool) => names.nameOf(tool) ?? '');
    expect(wire[0]).toMatch(/^synamedia-production__x+_[0-9a-f]{8}$/);
    expect(wire[0]).toHaveLength(64);
    expect(wire[0]).not.toBe(wire[1]);
    expect(wire.map((name) => names.find(name))).toEqual(tools);
  });

  test('row 22: the same tool on two servers makes two names, each naming its server', () => {
    const tools = [
      { serverId: 'a', serverName: 'github', name: 'create_branch' },
      { serverId: 'b', serverName: 'neon', name: 'create_branch' },
    ];
    const names = assignWireNames(tools);
    expect(tools.map((tool) => names.nameOf(tool))).toEqual(['github__create_branch', 'neon__create_branch']);
  });

  test('row 23: two servers of the same name keep apart, whichever is listed first', () => {
    const first = { serverId: 'a', serverName: 'github', name: 'search' };
    const second = { serverId: 'b', serverName: 'github', name: 'search' };
    const forward = assignWireNames([first, second]);
    const backward = assignWireNames([second, first]);
    expect(forward.nameOf(first)).toBe('github__search');
    expect(forward.nameOf(second)).toMatch(/^github__search_[0-9a-f]{8}$/);
    expect([backward.nameOf(first), backward.nameOf(second)]).toEqual([forward.nameOf(first), forward.nameOf(second)]);
  });

  test('row 27: the name given to the model is the key that finds the tool', () => {
    const tools = ['ping', 'echo'].map((name) => ({ serverId: 'a', serverName: 'chatbox-mcp-dispatch-test', name }));
    const names = assignWireNames(tools);
    for (const tool of tools) expect(names.find(names.nameOf(tool) ?? '')).toBe(tool);
  });

  test('Chinese names stay apart although no letter of them can be kept', () => {
    const tools = ['读取', '写入', '读取_file'].map((name) => ({ serverId: 'a', serverName: '文件', name }));
    const names = assignWireNames(tools);
    expect(new Set(tools.map((tool) => names.nameOf(tool))).size).toBe(3);
    // Each has its hash of its own accord, so that none changes when another comes or goes.
    for (const tool of tools) expect(names.nameOf(tool)).toBe(nameOf(tool.serverName, tool.name));
  });

  test('a new server never changes the name of a tool that was there', () => {
    const old = { serverId: 'a', serverName: 'my files', name: 'read.file' };
    const clash = { serverId: 'b', serverName: 'my.files', name: 'read file' };
    expect(assignWireNames([clash, old]).nameOf(old)).toBe(nameOf('my files', 'read.file'));
  });

  test('a name that needs no change keeps it against one that would become the same', () => {
    const legalAlready = { serverId: 'b', serverName: 'my_files', name: 'read_file' };
    const madeLegal = { serverId: 'a', serverName: 'my files', name: 'read.file' };
    const names = assignWireNames([madeLegal, legalAlready]);
    expect(names.nameOf(legalAlready)).toBe('my_files__read_file');
    expect(names.nameOf(madeLegal)).not.toBe('my_files__read_file');
  });

  test('no tool can take the name of the tool search', () => {
    expect(nameOf('find', 'tools')).not.toBe('find_tools');
    expect(nameOf('', 'find_tools')).not.toBe('find_tools');
  });

  test('any names at all: legal, unique, stable under order, and back to the tool', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('读', '取', '😀', '.', '_', '__', '-', '3', 'a', 'B', ' ', '/'), maxLength: 300 }),
      fc.constantFrom('', '_', '__', '___', 'a__b', '3', '.', 'find_tools', '__proto__', 'constructor'),
    );
    const tool = fc.record({ serverId: fc.constantFrom('s1', 's2', 's3'), serverName: odd, name: odd });
    fc.assert(
      fc.property(fc.uniqueArray(tool, { maxLength: 30, selector: ({ serverId, name }) => `${serverId}\0${name}` }), (tools) => {
        const names = assignWireNames(tools);
        const wire = tools.map((entry) => names.nameOf(entry) ?? '');
        for (const name of wire) expect(name).toMatch(legal);
        expect(new Set(wire).size).toBe(tools.length);
        expect(wire.map((name) => names.find(name))).toEqual(tools);
        const reversed = assignWireNames([...tools].reverse());
        expect(tools.map((entry) => reversed.nameOf(entry))).toEqual(wire);
      }),
      { seed: 20261130, numRuns: 300 },
    );
  });
});
