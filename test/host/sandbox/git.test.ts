// Repositories as git itself makes them: what a server must not change of them, and that git obeys nothing else of them by itself.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { gitPlaces } from '../../../main/host/servers/sandboxGit.ts';
import { sandboxPlaces } from '../../../main/host/servers/sandboxPlaces.ts';
import { sandboxRules } from '../../../main/host/servers/sandboxRules.ts';
import { confined, people, whyNoSandbox } from './confined.ts';

const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ada'],
      [`GIT_${who}_EMAIL`, 'ada@example.com'],
    ]),
  ),
};
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'protocol.file.allow=always', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/** A repository with a submodule in a submodule, and a worktree. */
function repository(base: string): string {
  const make = (name: string): string => {
    const folder = join(base, name);
    mkdirSync(folder);
    git(folder, 'init', '-q');
    writeFileSync(join(folder, 'file.txt'), name);
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'first');
    return folder;
  };
  const [inner, outer, work] = [make('inner'), make('outer'), make('repository')];
  git(outer, 'submodule', '--quiet', 'add', inner, 'libs/inner');
  git(outer, 'commit', '-qm', 'with inner');
  git(work, 'submodule', '--quiet', 'add', outer, 'libs/outer');
  git(work, 'submodule', '--quiet', 'update', '--init', '--recursive');
  git(work, 'commit', '-qm', 'with outer');
  git(work, 'worktree', 'add', '-q', join(base, 'tree'));
  return work;
}

/** What of these a server may not write to that was given `folders`. */
function keptOf(folders: string[], paths: string[], where: ReturnType<typeof people>): string[] {
  const places = sandboxPlaces({ ...where, platform: 'linux', env: {} });
  const ruled = sandboxRules({ command: '/bin/sh', args: [], cwd: '/', path: '' }, { folders, own: [] }, places, undefined);
  if (ruled.refused !== undefined) throw new Error(ruled.refused);
  const ruleOf = (path: string) => ruled.rules.filter((rule) => `${path}/`.startsWith(`${rule.path}/`)).at(-1)?.is;
  return paths.filter((path) => ruleOf(path) !== 'writable');
}

describe('of a repository', () => {
  const inGit = ['hooks/post-checkout', 'config', 'index', 'HEAD', 'objects/x', 'modules/libs/outer/hooks/x', 'modules/libs/outer/config'];

  test('nothing in .git may be written to, nor the .git of its submodules at any depth, but their files', () => {
    const where = people();
    const work = repository(where.base);
    const submodules = ['libs/outer', 'libs/outer/libs/inner'].map((path) => join(work, path));
    const files = [...inGit.map((path) => join(work, '.git', path)), ...submodules.map((path) => join(path, '.git'))];
    expect(submodules.map((path) => existsSync(join(path, '.git')))).toEqual([true, true]);
    expect(keptOf([work], [...files, join(work, 'file.txt'), ...submodules.map((path) => join(path, 'file.txt'))], where)).toEqual(files);
  });

  test('whose .git was given too, hooks and settings may not, of its submodules and worktrees neither', () => {
    const where = people();
    const work = repository(where.base);
    const outer = join(work, '.git/modules/libs/outer');
    const kept = [
      join(work, '.git/hooks/post-checkout'),
      join(work, '.git/config'),
      join(work, '.git/worktrees/tree/commondir'),
      join(work, '.git/worktrees/tree/gitdir'),
      ...['hooks/x', 'config', 'modules/libs/inner/hooks/x', 'modules/libs/inner/config'].map((path) => join(outer, path)),
      ...['libs/outer/.git', 'libs/outer/libs/inner/.git'].map((path) => join(work, path)),
    ];
    const free = ['.git/index', '.git/objects/x', '.git/modules/libs/outer/index', '.git/worktrees/tree/index', 'file.txt'];
    expect(keptOf([work, join(work, '.git')], [...kept, ...free.map((path) => join(work, path))], where)).toEqual(kept);
  });

  test('a worktree of it keeps its .git, and what that leads to where it may be written to as well', () => {
    const where = people();
    const work = repository(where.base);
    const tree = join(where.base, 'tree');
    const kept = [join(tree, '.git'), join(work, '.git/config'), join(work, '.git/worktrees/tree/commondir')];
    expect(keptOf([tree], [join(tree, '.git'), join(tree, 'file.txt')], where)).toEqual([join(tree, '.git')]);
    expect(keptOf([tree, join(work, '.git')], [...kept, join(work, '.git/index')], where)).toEqual(kept);
  });

  test('that keeps its folder elsewhere, or hooks in a folder of its own, these are kept', () => {
    const where = people();
    const work = join(where.base, 'apart');
    for (const name of ['hooks of ours', 'kept']) mkdirSync(join(work, name), { recursive: true });
    git(work, 'init', '-q', `--separate-git-dir=${join(work, 'kept/git')}`);
    git(work, 'config', 'core.hooksPath', 'hooks of ours');
    const kept = ['.git', 'kept/git/config', 'kept/git/hooks/x', 'hooks of ours/pre-commit'].map((path) => join(work, path));
    expect(keptOf([work], [...kept, join(work, 'kept/git/index'), join(work, 'file.txt')], where)).toEqual(kept);
  });
});

test('what is no repository, or leads in a circle, is looked at once', () => {
  const { base } = people();
  expect(gitPlaces(join(base, 'nothing/.git'))).toEqual({ obeyed: [], submodules: [] });
  const circle = join(base, 'circle');
  mkdirSync(circle);
  writeFileSync(join(circle, '.git'), 'gitdir: .\n');
  writeFileSync(join(circle, 'commondir'), '.\n');
  expect(gitPlaces(join(circle, '.git')).obeyed).toContain(join(circle, 'hooks'));
  writeFileSync(join(circle, '.git'), 'gitdir: .git\n');
  expect(gitPlaces(join(circle, '.git'))).toEqual({ obeyed: [], submodules: [] });
});

describe('in a protected server', () => {
  beforeEach(async ({ skip }) => {
    const reason = await whyNoSandbox('protected');
    if (reason !== undefined) skip(reason);
  });

  test.each<[string, (work: string) => string[]]>([
    ['the folder', (work) => [work]],
    ['the folder and its .git', (work) => [work, join(work, '.git')]],
  ])('that was given %s of a repository with submodules, none of them can be made to run something', async (_what, writable) => {
    let work = '';
    const { run } = await confined(({ base }) => ({ sandbox: 'protected', writable: writable((work = repository(base))) }));
    const sub = join(work, 'libs/outer');
    const mark = join(work, 'ran');
    const evil = `mkdir -p '${sub}/fake' && printf '#!/bin/sh\\ntouch "${mark}"\\n' > '${sub}/fake/post-checkout' && chmod +x '${sub}/fake/post-checkout'`;
    for (const line of [
      `${evil} && cp '${sub}/fake/post-checkout' '${work}/.git/modules/libs/outer/hooks/'`,
      `printf '[core]\\n\\thooksPath = fake\\n' >> '${work}/.git/modules/libs/outer/config'`,
      `rm '${sub}/.git' && echo 'gitdir: fake' > '${sub}/.git'`,
      `mv '${sub}/.git' '${sub}/old'`,
      `mv '${sub}' '${work}/libs/moved'`,
      `echo x > '${work}/.git/worktrees/tree/commondir'`,
    ])
      expect({ line, code: (await run(line)).code }).not.toEqual({ line, code: 0 });
    expect(await run(`echo more > '${sub}/file.txt'`)).toMatchObject({ code: 0 });
    git(sub, 'checkout', '-q', '-f', 'HEAD');
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(join(sub, 'file.txt'), 'utf8')).toBe('outer');
  });
});
