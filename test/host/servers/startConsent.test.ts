import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import { keptIds } from '../../../main/host/servers/assignIds.ts';
import { outsideArchive } from '../../../main/host/servers/bundledServers.ts';
import { findProgram } from '../../../main/host/servers/findProgram.ts';
import { hashConfig } from '../../../main/host/servers/startConsent.ts';
import { folderOfPeople } from './world.ts';

const local: ServerConfig = { command: 'npx', args: ['-y', 'pkg'], env: { A: '1', B: '${secret:B}' }, cwd: '/x' };
const remote: ServerConfig = { url: 'https://a.example/mcp', headers: { Authorization: '${secret:AUTHORIZATION}' } };
const bundled: ServerConfig = { bundled: 'files', folders: ['/a', '/b'] };

describe('the hash that consent is bound to', () => {
  test.each<[string, ServerConfig, ServerConfig]>([
    ['the program', local, { ...local, command: 'npm' }],
    ['an argument', local, { ...local, args: ['-y', 'pkg2'] }],
    ['where one argument ends', local, { ...local, args: ['-y pkg'] }],
    ['a variable', local, { ...local, env: { A: '2', B: '${secret:B}' } }],
    ['which secret is meant', local, { ...local, env: { A: '1', B: '${secret:C}' } }],
    ['the folder it runs in', local, { ...local, cwd: '/y' }],
    ['the address', remote, { ...remote, url: 'https://b.example/mcp' }],
    ['a header', remote, { url: 'https://a.example/mcp' }],
    ['the transport', remote, { ...remote, type: 'sse' }],
    ['a picked folder', bundled, { bundled: 'files', folders: ['/a', '/'] }],
    ['which bundled server', { bundled: 'memory' }, { bundled: 'everything' }],
  ])('changes with %s', (_what, a, b) => {
    expect(hashConfig(a)).not.toBe(hashConfig(b));
  });

  test.each<[string, ServerConfig, ServerConfig]>([
    ['the order of members', local, { cwd: '/x', env: { B: '${secret:B}', A: '1' }, args: ['-y', 'pkg'], command: 'npx' }],
    ['what is left out or empty', { command: 'x' }, { command: 'x', args: [], env: {} }],
    ['the time-out and the switch', local, { ...local, timeout: 5000, disabled: true }],
  ])('does not change with %s', (_what, a, b) => {
    expect(hashConfig(a)).toBe(hashConfig(b));
  });
});

describe('the program that is shown is the one that would run', () => {
  const place = () => {
    const dir = folderOfPeople();
    for (const name of ['one', 'two']) mkdirSync(join(dir, name));
    writeFileSync(join(dir, 'one', 'tool'), 'not a program');
    chmodSync(join(dir, 'one', 'tool'), 0o644);
    for (const path of ['two/tool', 'two/tool.CMD', 'here']) {
      writeFileSync(join(dir, path), '');
      chmodSync(join(dir, path), 0o755);
    }
    mkdirSync(join(dir, 'one', 'folder'));
    return dir;
  };

  test('the first in PATH that may be run', () => {
    const dir = place();
    const options = { path: `${join(dir, 'one')}::${join(dir, 'two')}`, cwd: dir, platform: 'linux' } as const;
    expect(findProgram('tool', options)).toBe(join(dir, 'two', 'tool'));
    expect(findProgram('folder', options)).toBeUndefined();
    expect(findProgram('here', options)).toBeUndefined();
    expect(findProgram('./here', options)).toBe(join(dir, 'here'));
    expect(findProgram(join(dir, 'here'), options)).toBe(join(dir, 'here'));
  });

  test('with the extensions of Windows', () => {
    const dir = place();
    const options = { path: `${join(dir, 'one')};${join(dir, 'two')}`, cwd: dir, platform: 'win32', pathExtensions: '.EXE;.CMD' } as const;
    expect(findProgram('tool', options)).toBe(join(dir, 'two', 'tool.CMD'));
  });
});

test.each<[string, { id: string | undefined; configHash: string | undefined }[], (string | undefined)[]]>([
  ['a known id is kept', [{ id: 'a', configHash: 'h' }], ['a']],
  ['a known id is kept by an entry that is broken now', [{ id: 'a', configHash: undefined }], ['a']],
  [
    'no id and an unknown id are not',
    [
      { id: undefined, configHash: 'h' },
      { id: 'x', configHash: 'h' },
    ],
    [undefined, undefined],
  ],
  [
    'of copies, the one that was agreed to keeps it',
    [
      { id: 'a', configHash: 'evil' },
      { id: 'a', configHash: 'agreed' },
    ],
    [undefined, 'a'],
  ],
  [
    'of exact copies, one keeps it',
    [
      { id: 'a', configHash: 'agreed' },
      { id: 'a', configHash: 'agreed' },
    ],
    ['a', undefined],
  ],
  [
    'of copies that nobody agreed to, none keeps it',
    [
      { id: 'b', configHash: 'x' },
      { id: 'b', configHash: 'y' },
    ],
    [undefined, undefined],
  ],
])('ids of a file: %s', (_what, claims, expected) => {
  const known = (id: string): boolean => ['a', 'b'].includes(id);
  expect(keptIds(claims, known, (id) => (id === 'a' ? 'agreed' : undefined))).toEqual(expected);
});

test('a bundled script of a packaged application lies beside its archive', () => {
  expect(outsideArchive('/opt/Maitre/resources/app.asar/node_modules/x/index.js')).toBe(
    '/opt/Maitre/resources/app.asar.unpacked/node_modules/x/index.js',
  );
  expect(outsideArchive('/home/a/maitre/node_modules/x/index.js')).toBe('/home/a/maitre/node_modules/x/index.js');
});
