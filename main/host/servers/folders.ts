import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FolderId } from '../../../preload/contract/ids.ts';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { Ids } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import { seen } from './lookAtDisk.ts';

/** Folders by id, so that no renderer ever sends a path. */
export interface Folders {
  idOf(path: string): FolderId;
  /** Refuses with `notFound`. */
  pathOf(id: FolderId): string;
}

/** Folders, and files, that one listing shows at most. */
const maxEntries = 1000;

/**
 * Ids for the folders that this run of the host has shown, in memory only. Paths are real paths, so that one folder has one id
 * and a link swapped later does not change what an id means.
 */
export function createFolders(ids: Ids): Folders {
  const byPath = new Map<string, FolderId>();
  const byId = new Map<FolderId, string>();
  return {
    idOf(path) {
      const real = realPath(path);
      const known = byPath.get(real);
      if (known) return known;
      const id = FolderId.parse(ids());
      byPath.set(real, id);
      byId.set(id, real);
      return id;
    },
    pathOf: (id) => byId.get(id) ?? refuse('notFound', 'This folder is not known any more. Pick it again.'),
  };
}

/** The folders inside one, by name, hidden ones last; `withFiles`: and the files. Without `id`: those of `home`. Refuses where the system forbids to look. */
export function browseFolder(folders: Folders, id: FolderId | undefined, home: string, withFiles = false): CommandOutput<'folder.browse'> {
  const path = id === undefined ? realPath(home) : folders.pathOf(id);
  const names = readNames(path);
  const parent = dirname(path);
  return {
    folder: { id: folders.idOf(path), path },
    ...(parent === path ? {} : { parentId: folders.idOf(parent) }),
    entries: names.folders.slice(0, maxEntries).map((name) => ({ id: folders.idOf(join(path, name)), name })),
    ...(withFiles && { files: names.files.slice(0, maxEntries).map((name) => ({ name, path: join(path, name) })) }),
    more: names.folders.length > maxEntries || (withFiles && names.files.length > maxEntries),
  };
}

/** What lies in a folder, links as what they lead to. What is neither folder nor file is left out. */
function readNames(path: string): { folders: string[]; files: string[] } {
  const entries = readEntries(path).map((entry) => ({
    name: entry.name,
    stats: entry.isSymbolicLink() ? seen(() => statSync(join(path, entry.name))) : entry,
  }));
  const named = (is: 'isDirectory' | 'isFile') =>
    entries.flatMap(({ name, stats }) => (stats?.[is]() === true ? [name] : [])).sort(byNameHiddenLast);
  return { folders: named('isDirectory'), files: named('isFile') };
}

function readEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const shown = basename(path) || path;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return refuse('notFound', `The folder ${shown} does not exist any more.`, { detail: messageOf(error) });
    return refuse('notAllowed', `The folder ${shown} cannot be opened: the system does not allow it. Pick another one.`, {
      detail: messageOf(error),
    });
  }
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function byNameHiddenLast(a: string, b: string): number {
  return Number(a.startsWith('.')) - Number(b.startsWith('.')) || collator.compare(a, b);
}

/** The path itself where it cannot be resolved: a folder on a drive that is not there keeps its name. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return path;
    throw error;
  }
}
