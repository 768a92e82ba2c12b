import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isFolder, seen } from './lookAtDisk.ts';

/** Most folders of git that are looked for around one `.git`: of more the others are not found. */
const mostFolders = 500;
const deepestName = 6;
/** Settings are read so far, in bytes. */
const longestSettings = 65_536;

/**
 * What git obeys of a repository beside its `.git` as a whole: the hooks and settings of every folder that stands for it. Those are the
 * one that a file `.git` names (worktrees, submodules), the one that `commondir` names, those of submodules and worktrees inside of it, and a
 * folder of hooks that the settings name.
 *
 * `obeyed`: files and folders that make git run programs, whether or not they exist. `submodules`: the `.git` of each submodule in its own place. Absolute. Looks
 * at the disk; `dotGit` need not exist.
 */
export function gitPlaces(dotGit: string): { obeyed: string[]; submodules: string[] } {
  const folders = new Set<string>();
  const submodules = new Set<string>();
  const hooks = new Set<string>();
  const add = (folder: string, worktree: string): void => {
    if (folders.has(folder) || folders.size >= mostFolders || !isFolder(folder)) return;
    folders.add(folder);
    const settings = beginningOf(join(folder, 'config')) ?? '';
    const hooksPath = valueOf(settings, 'hooksPath');
    if (hooksPath !== undefined && !hooksPath.startsWith('~')) hooks.add(resolve(worktree, hooksPath));
    const common = beginningOf(join(folder, 'commondir'))?.trim();
    if (common) add(resolve(folder, common), worktree);
    for (const each of foldersIn(join(folder, 'worktrees'))) add(each, worktree);
    for (const module of modulesIn(join(folder, 'modules'), deepestName)) {
      const place = valueOf(beginningOf(join(module, 'config')) ?? '', 'worktree');
      if (place !== undefined) submodules.add(join(resolve(module, place), '.git'));
      add(module, place === undefined ? module : resolve(module, place));
    }
  };
  const named = isFolder(dotGit) ? dotGit : gitdirOf(dotGit);
  if (named !== undefined) add(named, dirname(dotGit));
  const files = ['hooks', 'config', 'config.worktree', 'commondir', 'gitdir'];
  return {
    obeyed: [...[...folders].flatMap((folder) => files.map((file) => join(folder, file))), ...hooks],
    submodules: [...submodules].filter((path) => path !== dotGit),
  };
}

/** What a file `.git` names (gitrepository-layout). */
function gitdirOf(file: string): string | undefined {
  const path = /^gitdir: (.+)/.exec(beginningOf(file) ?? '')?.[1]?.trim();
  return path === undefined ? undefined : resolve(dirname(file), path);
}

/** Git folders of submodules. Their names may hold slashes. */
function modulesIn(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((each) => (beginningOf(join(each, 'HEAD')) === undefined ? modulesIn(each, depth - 1) : [each]));
}

/** As git writes a value: quoted only where it must be. Of several the last one holds. */
function valueOf(settings: string, name: string): string | undefined {
  const lines = [...settings.matchAll(new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*(.+?)[ \\t\\r]*$`, 'gim'))];
  return lines
    .at(-1)?.[1]
    ?.replace(/^"(.*)"$/, '$1')
    .replaceAll(/\\(["\\])/g, '$1');
}

const foldersIn = (folder: string): string[] =>
  (seen(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .slice(0, mostFolders);

/** Undefined where there is no such file. */
function beginningOf(path: string): string | undefined {
  return seen(() => {
    if (!statSync(path).isFile()) return undefined;
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(longestSettings);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, longestSettings, 0));
    } finally {
      closeSync(file);
    }
  });
}
