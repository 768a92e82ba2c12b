import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerConfig } from '../../../preload/contract/servers.ts';

/**
 * The git repository around a folder: the nearest folder above that holds `.git` (a folder, or the file of a worktree). Undefined
 * when the folder is a repository itself, or in none.
 */
export function enclosingRepository(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    if (exists(join(path, '.git'))) return path === folder ? undefined : path;
    if (dirname(path) === path) return undefined;
  }
}

/** Repositories that the configuration of a server points into: by its folder to run in, and by absolute paths among its arguments. */
export function suggestedFolders(config: ServerConfig | undefined): string[] {
  if (!config) return [];
  const named = 'command' in config ? [config.cwd, ...(config.args ?? [])] : 'folders' in config ? (config.folders ?? []) : [];
  const folders = named.filter((path): path is string => path !== undefined && isAbsolute(path) && isFolder(path));
  return [...new Set(folders.map((folder) => enclosingRepository(folder) ?? folder))].slice(0, 8);
}

/** `ListRootsResult`. Folders that are not there at present are left out: the server is told of what it can look at. */
export const rootsOf = (folders: readonly string[]): { roots: { uri: string; name: string }[] } => ({
  roots: folders.filter(isFolder).map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) || folder })),
});

/** The host of a remote server's own address. */
export function hostsOf(config: ServerConfig | undefined): string[] {
  const url = config && 'url' in config ? URL.parse(config.url) : undefined;
  return url ? [url.hostname] : [];
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
