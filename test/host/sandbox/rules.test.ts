import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import { bubblewrapStart } from '../../../main/host/servers/sandboxBubblewrap.ts';
import { confinementOf, loosens, sandboxWordOf } from '../../../main/host/servers/sandboxChoice.ts';
import { sandboxPlaces } from '../../../main/host/servers/sandboxPlaces.ts';
import { type SandboxRule, type SandboxRules, sandboxRules } from '../../../main/host/servers/sandboxRules.ts';
import { seatbeltStart } from '../../../main/host/servers/sandboxSeatbelt.ts';
import { hashConfig } from '../../../main/host/servers/startConsent.ts';
import { people } from './confined.ts';

const local = (more: object = {}): ServerConfig => ({ command: 'x', ...more });

describe('what a server is held to is part of what was agreed to', () => {
  test.each<[string, ServerConfig, ServerConfig]>([
    ['the word', local({ sandbox: 'protected' }), local({ sandbox: 'strict' })],
    ['that there is one', local({ sandbox: 'protected' }), local()],
    ['a folder', local({ sandbox: 'protected', writable: ['/a'] }), local({ sandbox: 'protected', writable: ['/a', '/b'] })],
    ['a host', local({ sandbox: 'strict', network: ['a.example'] }), local({ sandbox: 'strict', network: ['b.example'] })],
    ['that a bundled one is let go', { bundled: 'memory' }, { bundled: 'memory', sandbox: 'off' }],
  ])('%s', (_what, a, b) => expect(hashConfig(a)).not.toBe(hashConfig(b)));

  test('what was agreed to before there was a sandbox stays so, and lists that nothing obeys count for nothing', () => {
    expect(hashConfig(local({ sandbox: 'off', network: ['a.example'], writable: ['/a'] }))).toBe(hashConfig(local()));
    expect(hashConfig(local({ sandbox: 'protected', network: ['a.example'] }))).toBe(hashConfig(local({ sandbox: 'protected' })));
  });
});

describe('what loosens', () => {
  const held = (config: ServerConfig, told: string[] = []) => confinementOf(config, told, {});
  test.each<[boolean, object, object]>([
    [false, {}, { sandbox: 'protected' }],
    [true, { sandbox: 'protected' }, { sandbox: 'off' }],
    [true, { sandbox: 'strict' }, { sandbox: 'protected' }],
    [false, { sandbox: 'protected' }, { sandbox: 'strict', network: ['a.example'] }],
    [true, { sandbox: 'strict', network: ['a.example'] }, { sandbox: 'strict', network: ['a.example', 'b.example'] }],
    [false, { sandbox: 'strict', network: ['a.example', 'b.example'] }, { sandbox: 'strict', network: ['b.example'] }],
    [true, { sandbox: 'protected', writable: ['/a'] }, { sandbox: 'protected', writable: ['/ab'] }],
    [false, { sandbox: 'protected', writable: ['/a'] }, { sandbox: 'protected', writable: ['/a/b'] }],
    [true, { sandbox: 'protected', writable: ['/a/b'] }, { sandbox: 'protected', writable: ['/a'] }],
    [true, { sandbox: 'protected', writable: ['/a'] }, { sandbox: 'protected', writable: ['/a', '/a/.git'] }],
    [false, { sandbox: 'protected', writable: ['/a', '/a/.git'] }, { sandbox: 'protected', writable: ['/a/.git'] }],
    [true, { sandbox: 'protected', writable: [] }, { sandbox: 'strict', writable: ['/a'] }],
  ])('%s: from %j to %j', (expected, before, after) => {
    expect(loosens(held(local(before)), held(local(after)))).toBe(expected);
  });

  test('a word is never changed for one that can be had: only what has none is left as it is', () => {
    const nowhere = { protected: 'system', strict: 'system' } as const;
    expect(sandboxWordOf(local({ sandbox: 'protected' }), nowhere)).toBe('protected');
    expect(sandboxWordOf(local(), {})).toBe('off');
    expect(sandboxWordOf({ bundled: 'memory' }, nowhere)).toBe('off');
    expect(sandboxWordOf({ bundled: 'memory' }, {})).toBe('protected');
    expect(sandboxWordOf({ url: 'https://a.example' }, {})).toBeUndefined();
  });
});

const rulesIn = (ruled: SandboxRules): SandboxRule[] => (ruled.refused === undefined ? ruled.rules : []);

describe('the rules of a program', () => {
  const rulesFor = (
    folders: (places: ReturnType<typeof people>) => string[],
    program: Partial<Parameters<typeof sandboxRules>[0]> = {},
  ) => {
    const where = people();
    const places = sandboxPlaces({ ...where, platform: 'linux', env: { XDG_CONFIG_HOME: join(where.base, 'elsewhere') } });
    mkdirSync(join(where.base, 'elsewhere'));
    const ruled = sandboxRules(
      { command: '/bin/sh', args: [], cwd: '/', path: '/usr/bin', ...program },
      { folders: folders(where), own: [] },
      places,
      '/tmp',
    );
    const rules = rulesIn(ruled);
    return { where, ruled, rules, of: (path: string) => rules.find((rule) => rule.path === path)?.is };
  };

  test('a whole home may be given: what is hidden in it stays hidden, what shells run stays as it is', () => {
    const { where, rules, of } = rulesFor(({ home }) => {
      writeFileSync(join(home, '.bashrc'), '');
      return [home];
    });
    const { home } = where;
    expect([of(home), of(join(home, '.ssh')), of(join(home, '.config')), of(join(home, '.bashrc'))]).toEqual([
      'writable',
      'hidden',
      'hidden',
      'readable',
    ]);
    const paths = rules.map(({ path }) => path);
    for (const path of paths) expect(paths.slice(0, paths.indexOf(path)).some((earlier) => earlier.startsWith(`${path}/`))).toBe(false);
  });

  test('a link in the place of what is kept, or of a tool, opens nothing that is hidden', () => {
    const { where, of } = rulesFor(({ home }) => {
      symlinkSync('.ssh', join(home, '.bashrc'));
      symlinkSync('.config/other-app', join(home, '.profile'));
      symlinkSync('../../.ssh/id_ed25519', join(home, '.config/fnm'));
      return [home];
    });
    const { home } = where;
    expect([of(join(home, '.ssh')), of(join(home, '.config/other-app')), of(join(home, '.ssh/id_ed25519'))]).toEqual([
      'hidden',
      undefined,
      undefined,
    ]);
  });

  test('what stands for the folder of a repository, or around a link in it, stays; nothing outside of what was given is opened', () => {
    const { where, rules, of } = rulesFor(({ work, outside }) => {
      rmSync(join(work, '.git'), { recursive: true });
      writeFileSync(join(work, '.git'), 'gitdir: elsewhere');
      mkdirSync(join(outside, 'repository/.git'), { recursive: true });
      symlinkSync('/etc', join(outside, 'repository/.git/hooks'));
      return [work, join(outside, 'repository')];
    });
    expect(of(join(where.work, '.git'))).toBe('readable');
    expect(of(join(where.outside, 'repository/.git'))).toBe('readable');
    expect(rules.filter(({ path, is }) => is === 'writable' && !path.startsWith(where.base))).toEqual([]);
  });

  test('where the environment has moved the folders of applications, these are hidden', () => {
    const { where, of } = rulesFor(() => []);
    expect(of(join(where.base, 'elsewhere'))).toBe('hidden');
  });

  test.each<[RegExp, (places: ReturnType<typeof people>) => string[]]>([
    [/part of the system/, () => ['/']],
    [/part of the system/, () => ['/proc/self']],
    [/no whole path/, () => ['notes']],
    [/holds keys/, ({ home }) => [join(home, '.ssh')]],
    [/holds keys/, ({ home }) => [join(home, '.mozilla')]],
    [/holds keys/, ({ dataDir }) => [dataDir]],
  ])('%s: a folder that no server is given', (sentence, folders) => {
    expect(rulesFor(folders).ruled.refused).toMatch(sentence);
  });

  test('a package of Node that lies among temporary files is shown with the packages that lie beside it, and nothing else of its folder', () => {
    const project = realpathSync(mkdtempSync('/tmp/maitre project '));
    onTestFinished(() => rmSync(project, { recursive: true }));
    const script = join(project, 'node_modules/@scope/server/dist/index.js');
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(script, '');
    writeFileSync(join(project, 'notes.txt'), 'of somebody else');
    const { of } = rulesFor(() => [], { args: [script, '/etc'] });
    expect([of(join(project, 'node_modules')), of(project)]).toEqual(['readable', undefined]);
  });

  test('a program that lies in the data of another application is shown with its folder, keys are not', () => {
    const where = people();
    const tool = join(where.home, '.local/share/odd/bin/tool');
    mkdirSync(dirname(tool), { recursive: true });
    writeFileSync(tool, '');
    const places = sandboxPlaces({ ...where, platform: 'linux', env: {} });
    const rulesOf = (command: string, path: string) =>
      rulesIn(sandboxRules({ command, args: [], cwd: '/', path }, { folders: [], own: [] }, places, '/tmp'));
    expect(rulesOf(tool, '').filter(({ is }) => is === 'readable')).toContainEqual({ path: dirname(tool), is: 'readable', folder: true });
    expect(rulesOf('sh', dirname(tool)).map(({ path }) => path)).toContain(join(where.home, '.local/share/odd'));
    const keys = join(where.home, '.ssh');
    expect(rulesOf(join(keys, 'id_ed25519'), keys).find(({ path }) => path === keys)?.is).toBe('hidden');
  });
});

test('what a start holds stands on no command line, and nothing of it is seen by what builds the walls', () => {
  const env = { TOKEN: 'secret-value', LD_PRELOAD: '/work/evil.so', SRT_ALLOW_NESTED_USERNS: '1' };
  const start = { command: '/bin/server', args: ['--flag'], cwd: '/', env, rules: [], temp: '/t', isRoot: false };
  const programs = { bwrap: '/usr/bin/bwrap', filter: '/filter', socat: '/usr/bin/socat' };
  const open = bubblewrapStart(start, programs);
  expect(open.args.join(' ')).not.toMatch(/secret-value|evil/);
  expect(open.feeds[0]).toContain('\0TOKEN\0secret-value\0');
  expect(open.feeds[0].split('\0').filter((_word, index, words) => words[index - 1] === 'SRT_ALLOW_NESTED_USERNS')).toEqual(['0']);
  expect(open.feeds[0]).not.toContain('--unshare-net');
  const strict = bubblewrapStart({ ...start, proxySocket: '/s' }, programs);
  expect(strict.feeds[0]).toContain('--unshare-net');
  // A shell and socat run between the walls and the filter.
  expect(strict.feeds[0]).not.toContain('LD_PRELOAD');
});

test('on macOS the profile holds the same rules, and the system’s log gets no word of the command', () => {
  const { command, args } = seatbeltStart({
    command: '/bin/server',
    args: ['--token=secret-value'],
    rules: [
      { path: '/Users/ada', is: 'writable', folder: true },
      { path: '/Users/ada/.ssh', is: 'hidden', folder: true },
      { path: '/Users/ada/.bashrc', is: 'readable', folder: false },
      { path: '/data', is: 'hidden', folder: true },
      { path: '/data/cache', is: 'writable', folder: true },
    ],
    temp: '/private/tmp/own',
    proxy: { port: 4711, token: 'word' },
  });
  const line = args[1] ?? '';
  expect(command).toBe('/bin/sh');
  const section = (from: string, to?: string) => line.slice(line.indexOf(from), to === undefined ? undefined : line.indexOf(to));
  const reads = section('; File read', '(allow file-read-metadata');
  // The last rule that fits decides.
  expect(reads.lastIndexOf('(subpath "/Users/ada/.ssh")')).toBeGreaterThan(reads.lastIndexOf('(subpath "/Users/ada")'));
  const writes = section('; File write');
  expect(writes).toContain('(allow file-write*\n  (subpath "/Users/ada")\n  (subpath "/data/cache")\n  (subpath "/private/tmp/own")');
  expect(writes.indexOf('(deny file-write*')).toBeGreaterThan(writes.indexOf('(allow file-write*'));
  expect(writes).toContain('(subpath "/Users/ada/.bashrc")');
  expect(writes).not.toContain('(subpath "/data")');
  expect(line).toContain('(allow network-outbound (remote ip "localhost:4711"))');
  for (const [, told] of line.matchAll(/CMD64_([A-Za-z0-9+/=]+)_END/g)) expect(Buffer.from(told ?? '', 'base64').toString()).toBe('maitre');
});
