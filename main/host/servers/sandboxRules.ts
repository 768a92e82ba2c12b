import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isFolder, seen } from './lookAtDisk.ts';
import { gitPlaces } from './sandboxGit.ts';
import type { SandboxPlaces } from './sandboxPlaces.ts';

/** One place and what a confined program may do there. Of two rules the one for the deeper path holds. */
export interface SandboxRule {
  /** Absolute, without links. */
  path: string;
  is: 'hidden' | 'readable' | 'writable';
  folder: boolean;
}

/** What a server was given: folders as they were written by people, folders of Maitre's `own`, and such as it may only read. */
export interface Given {
  folders: readonly string[];
  own: readonly string[];
  readable?: readonly string[];
}

/** A program as it is started, with the PATH it finds others in. */
export interface ConfinedProgram {
  command: string;
  args: readonly string[];
  cwd: string;
  path: string;
}

/** `refused`: a sentence about the first folder that cannot be given to a server at all. */
export type SandboxRules = { rules: SandboxRule[]; refused?: undefined } | { refused: string };

const systemPlaces = ['/proc', '/dev', '/sys'];

/**
 * What a confined program may read and write, as rules in the order in which they hold: those of outer folders first. Everything
 * that no rule names can be read and not written. Looks at the disk for what exists and where links lead, changes nothing.
 *
 * `temp` is what the program must not see the system's own of, because it gets one of its own in its place; undefined where the
 * system cannot do that.
 */
export function sandboxRules(program: ConfinedProgram, given: Given, places: SandboxPlaces, temp: string | undefined): SandboxRules {
  const secrets = existing(places.secrets);
  const otherData = existing(places.otherData);
  const hidden = [...secrets, ...otherData];
  const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isInside(path, folder));

  const writable: string[] = [];
  // A server could put a link in the place of a folder inside of another one that it writes to: what is inside is given by the outer one.
  for (const folder of outermost(given.folders)) {
    if (!isAbsolute(folder)) return { refused: `${folder} among its folders is no whole path. Write it from the root on.` };
    const path = realPath(folder);
    if (path === undefined) continue;
    if (path === '/' || isIn(path, systemPlaces))
      return { refused: `${folder} is part of the system and cannot be written to by a protected server.` };
    if (isIn(path, secrets))
      return { refused: `${named(folder, path)} holds keys, browser data or the data of Maitre, which no protected server may see.` };
    if (isIn(path, otherData) && path !== folder && !isIn(folder, places.otherData))
      return { refused: `${named(folder, path)} leads into the data of another application. Pick that folder itself if you mean it.` };
    writable.push(path);
  }

  const readable = existing(places.tools).filter((path) => !isIn(path, secrets));
  const needed = [...programFolders(program, temp), ...program.path.split(':').filter(isAbsolute).map(toolFolder)];
  for (const folder of needed) {
    const path = realPath(folder);
    // The home folder with a program in it would show everything again.
    const shows = path !== undefined && (hidden.some((place) => isInside(place, path)) || (temp !== undefined && path === temp));
    if (path !== undefined && !shows && (isIn(path, otherData) || (temp !== undefined && isInside(path, temp))) && !isIn(path, secrets))
      readable.push(path);
  }

  const rules = new Map<string, SandboxRule>();
  const add = (is: SandboxRule['is'], paths: readonly string[]): void => {
    for (const path of paths) rules.set(path, { path, is, folder: isFolder(path) });
  };
  const whatHolds = (path: string): SandboxRule['is'] | undefined => {
    const around = [...rules.values()].filter((rule) => isInside(path, rule.path));
    return around.sort((a, b) => depthOf(b.path) - depthOf(a.path))[0]?.is;
  };
  add('hidden', otherData);
  add('readable', readable);
  add('hidden', secrets);
  add('writable', writable);
  const asked = new Set(existing(given.folders));
  // All of `.git`, unless it was given itself: an entry in `index`, or a file `commondir`, is enough for `git status` to run what somebody else wrote.
  const ofRepository = (dotGit: string, isGiven: boolean): string[] => {
    const { obeyed, submodules } = gitPlaces(dotGit);
    const whole = [...(isGiven ? [] : [dotGit]), ...submodules.filter((path) => !asked.has(path))];
    return [...whole, ...obeyed.filter((path) => !isIn(path, whole))];
  };
  const startFilesIn = (folder: string): string[] =>
    basename(folder) === '.git' ? ofRepository(folder, true) : ofRepository(join(folder, '.git'), asked.has(join(folder, '.git')));
  // Where a link stands in the place of one, it must not open what another rule hides.
  const kept = existing([...writable.flatMap((folder) => startFilesIn(folder).map(holding)), ...places.homeStartFiles]).filter(
    (path) => !writable.includes(path) && whatHolds(path) === 'writable',
  );
  // A folder around one could be moved away, and another put in its place, were it not a place of its own.
  add(
    'writable',
    kept.flatMap((path) => foldersBetween(writable, path)).filter((folder) => !rules.has(folder)),
  );
  add('readable', kept);
  add('readable', existing(given.readable ?? []));
  add('writable', existing(given.own));
  return { rules: [...rules.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path)) };
}

/** Whether `path` is `folder` or lies below it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** What must stay so that this does: a link could be replaced in its folder, and a file that stands for that folder (as in a worktree of git) rewritten. */
const holding = (path: string): string => (isLink(path) || !isFolder(dirname(path)) ? dirname(path) : path);

/** Those around `path` that lie inside of one of `outer`, from the innermost on. */
function foldersBetween(outer: readonly string[], path: string): string[] {
  const folder = dirname(path);
  return outer.includes(folder) || folder === path ? [] : [folder, ...foldersBetween(outer, folder)];
}

/** Those that lie in no other of the list, each once. */
const outermost = (folders: readonly string[]): string[] =>
  [...new Set(folders)].filter((folder) => !folders.some((other) => other !== folder && isInside(folder, other)));

/** Where the program itself and what its arguments name lie, as far as the own temporary folder would hide them. */
function programFolders({ command, args, cwd }: ConfinedProgram, temp: string | undefined): string[] {
  const folderOf = (path: string): string => packagesAround(path) ?? (isFolder(path) ? path : dirname(path));
  const named = temp === undefined ? [] : [cwd, ...args.filter(isAbsolute)].filter((path) => isInside(path, temp));
  return [dirname(command), dirname(realPath(command) ?? command), ...named.map(folderOf)];
}

/** Packages of Node lie beside those that they use: the outermost `node_modules` around a path, which holds all of them. */
function packagesAround(path: string): string | undefined {
  const steps = path.split(sep);
  const at = steps.indexOf('node_modules');
  return at < 1 ? undefined : steps.slice(0, at + 1).join(sep);
}

/** A folder of programs with what belongs to them: `…/node/22/bin` needs `…/node/22/lib`. */
const toolFolder = (folder: string): string => (basename(folder) === 'bin' ? dirname(folder) : folder);

const existing = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => {
    const found = realPath(path);
    return found === undefined ? [] : [found];
  });

const named = (written: string, path: string): string => (written === path ? path : `${written} (which leads to ${path})`);
const depthOf = (path: string): number => path.split(sep).length;
const isLink = (path: string): boolean => seen(() => lstatSync(path))?.isSymbolicLink() ?? false;
const realPath = (path: string): string | undefined => seen(() => realpathSync(path));
