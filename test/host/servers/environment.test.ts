import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { childEnvironment, mergePaths } from '../../../main/host/servers/environment.ts';
import { createLoginPath } from '../../../main/host/servers/loginPath.ts';
import { plainSecretsIn } from '../../../main/host/servers/plainSecrets.ts';
import { referencesIn, substitute } from '../../../main/host/servers/substitution.ts';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import type { Clock } from '../../../main/host/ports.ts';
import { clock, folderOfPeople, quietLog } from './world.ts';

describe('the environment of a child', () => {
  test('is a safe base with what was listed over it', () => {
    const base = {
      HOME: '/h',
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run',
      AWS_SECRET_ACCESS_KEY: 's',
      NODE_OPTIONS: '-r x',
      MAITRE_KEY_X: 's',
      LANG: undefined,
    };
    expect(childEnvironment(base, { PYTHONUTF8: '0', MY: '1', maitre_key: 'x' }, { platform: 'linux', path: '/login:/bin' })).toEqual({
      HOME: '/h',
      PATH: '/login:/bin',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run',
      PYTHONUTF8: '0',
      PYTHONIOENCODING: 'utf-8',
      MY: '1',
    });
  });

  test('on Windows keeps what programs there cannot do without, each name once however it is written', () => {
    const base = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', appdata: 'C:\\Users\\张三\\AppData', OPENAI_API_KEY: 's' };
    expect(childEnvironment(base, { PATH: 'C:\\mine', APPDATA: 'D:\\x' }, { platform: 'win32' })).toEqual({
      PYTHONUTF8: '1',
      PYTHONIOENCODING: 'utf-8',
      PATH: 'C:\\mine',
      SystemRoot: 'C:\\Windows',
      APPDATA: 'D:\\x',
    });
  });
});

describe('values put in place of references', () => {
  const values = new Map([
    ['secret:A', 'a${secret:B}'],
    ['env:E', ''],
  ]);
  const lookup = ({ kind, name }: { kind: string; name: string }) => values.get(`${kind}:${name}`);

  test.each([
    ['x${secret:A}y', { ok: true, text: 'xa${secret:B}y' }],
    ['${env:E}', { ok: true, text: '' }],
    ['${HOME} $HOME ${input:x} ${secret}', { ok: true, text: '${HOME} $HOME ${input:x} ${secret}' }],
    ['${secret:A}${secret:NONE}${env:NONE}', { ok: false, missing: { kind: 'secret', name: 'NONE' } }],
    ['${secret:}', { ok: false, missing: { kind: 'secret', name: '' } }],
  ])('%s', (text, expected) => {
    expect(substitute(text, lookup)).toEqual(expected);
  });

  test('the references of a text are found', () => {
    expect(referencesIn('${secret:A}${env:B}${x:C}')).toEqual([
      { kind: 'secret', name: 'A' },
      { kind: 'env', name: 'B' },
    ]);
  });
});

test.each<[object, string[]]>([
  [
    { env: { GITHUB_TOKEN: 'x', API_KEY: 'x', DB_PASSWORD: 'x', PGPASSWORD: 'x', CLIENT_SECRET: 'x' } },
    ['GITHUB_TOKEN', 'API_KEY', 'DB_PASSWORD', 'PGPASSWORD', 'CLIENT_SECRET'],
  ],
  [{ env: { HOME: 'x', MONKEY: 'x', TOKENIZERS_PARALLELISM: 'x', API_KEY: '${secret:K}', EMPTY_TOKEN: '' } }, []],
  [{ headers: { authorization: 'Bearer x', 'X-API-Key': 'x', Cookie: 'x', Accept: 'x' } }, ['AUTHORIZATION', 'X_API_KEY', 'COOKIE']],
  [{ env: { A_KEY: 'x', B: '${secret:A_KEY}' } }, ['A_KEY_2']],
  [{ env: { a_key: 'x', A_KEY: 'y' } }, ['A_KEY', 'A_KEY_2']],
  [{ env: 'x', headers: null }, []],
])('what looks like a secret in %j', (entry, names) => {
  expect(plainSecretsIn(entry).map((secret) => secret.name)).toEqual(names);
});

describe('the PATH of the login shell', () => {
  const shellOf = (lines: string) => {
    const dir = folderOfPeople();
    const path = join(dir, 'shell');
    writeFileSync(path, `#!/bin/sh\n${lines}\n`);
    chmodSync(path, 0o755);
    return { path, dir };
  };
  const deps = (shell: string, more: { clock?: Clock; fromDesktop?: boolean } = {}) => ({
    env: { PATH: '/usr/bin:/bin', SHELL: shell, SECRET: 'x' },
    platform: 'linux' as const,
    fromDesktop: true,
    clock,
    log: quietLog,
    spawn: vi.fn<typeof spawnProgram>(spawnProgram),
    ...more,
  });

  test('comes before that of the desktop, whatever the profile prints, and is asked for once', async () => {
    const { path } = shellOf('echo "Welcome __ to my shell"; PATH="/home/me/.local/bin:$PATH"; export PATH; shift 2; exec /bin/sh "$@"');
    const asked = deps(path);
    const find = createLoginPath(asked);
    expect(await Promise.all([find(), find()])).toEqual(['/home/me/.local/bin:/usr/bin:/bin', '/home/me/.local/bin:/usr/bin:/bin']);
    expect(asked.spawn).toHaveBeenCalledTimes(1);
    expect(asked.spawn.mock.calls[0]?.[2].env).not.toHaveProperty('SECRET');
  });

  test('is not waited for when the shell hangs, and the shell is ended', async () => {
    const { path, dir } = shellOf('echo $$ > "$(dirname "$0")/pid"; exec sleep 1000');
    const pidFile = join(dir, 'pid');
    const impatient: Clock = {
      ...clock,
      after(_ms, run) {
        const look = setInterval(() => {
          if (existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '') run();
        }, 5);
        return () => clearInterval(look);
      },
    };
    expect(await createLoginPath(deps(path, { clock: impatient }))()).toBe('/usr/bin:/bin');
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH');
  });

  test('falls back to that of the application when there is no such shell, or it says nothing', async () => {
    expect(await createLoginPath(deps('/no/such/shell'))()).toBe('/usr/bin:/bin');
    expect(await createLoginPath(deps(shellOf('exit 0').path))()).toBe('/usr/bin:/bin');
  });

  test.each([
    ['in a shell that no desktop starts', { fromDesktop: false }],
    ['in a terminal', { env: { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', TERM: 'xterm' } }],
    ['on Windows', { platform: 'win32' as const }],
  ])('is not asked for %s', async (_where, more) => {
    const asked = { ...deps('/bin/sh'), ...more };
    expect(await createLoginPath(asked)()).toBe('/usr/bin:/bin');
    expect(asked.spawn).not.toHaveBeenCalled();
  });

  test('merges without repeats', () => {
    expect(mergePaths('/a:/b', '/b:/c::', ':')).toBe('/a:/b:/c');
  });
});
