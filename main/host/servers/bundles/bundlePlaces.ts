import { mkdirSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledBundle } from '../../../../preload/contract/bundles.ts';
import type { ServerId } from '../../../../preload/contract/ids.ts';
import type { Log } from '../../ports.ts';
import { messageOf, refuse } from '../../refusal.ts';
import type { WorkerPool } from '../../workers/pool.ts';

/** A tree of a gigabyte on a slow disk. Milliseconds. */
const digestWithinMs = 120_000;
const dataName = 'data';

/** Where the files of bundles are, below `bundles` in the data folder: a folder a server, in it one a version and one for what it keeps. */
export interface BundlePlaces {
  versionFolder(id: ServerId, folder: string): string;
  /** What its server may write to, and where it starts. Made at its start. */
  dataFolder(id: ServerId): string;
  /** Where something is laid aside, of this name. Nothing in it counts, and all of it is gone at the next start. */
  stagingPath(name: string): string;
  /** Makes a folder that was laid aside the version of a server, in one step. */
  settle(staged: string, id: ServerId, folder: string): Promise<void>;
  /** SHA-256 over the files as they are now. Refuses with `invalidInput` where they are gone. */
  digestOf(id: ServerId, bundle: InstalledBundle): Promise<string>;
  /** Removes in the background; what cannot be removed is told in the log, and tried again at the next start. */
  remove(path: string): Promise<void>;
  /** Removes all of a server's. It must have ended. */
  forget(id: ServerId): Promise<void>;
  /**
   * Removes what a crash left behind: versions that were not put in their place, or have been replaced. `bundleOf`: `unknown` for an id that
   * nobody has; undefined where it is not known what the server runs, so that its files stay. What a server has kept stays in any case: its
   * id may be unknown because the database was put back or begun anew.
   */
  sweep(bundleOf: (id: string) => InstalledBundle | 'unknown' | undefined): void;
  close(): Promise<void>;
}

export function createBundlePlaces({ dataDir, pool, log }: { dataDir: string; pool: WorkerPool; log: Log }): BundlePlaces {
  const root = join(dataDir, 'bundles');
  const staging = join(root, 'staging');
  const removals = new Set<Promise<void>>();
  const serverFolder = (id: ServerId): string => join(root, id);

  const remove = (path: string): Promise<void> => {
    const done = rm(path, { recursive: true, force: true, maxRetries: 3 })
      .catch((error: unknown) => log.warn('Files of a bundle could not be removed.', { path, reason: messageOf(error) }))
      .finally(() => removals.delete(done));
    removals.add(done);
    return done;
  };

  mkdirSync(staging, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(staging)) void remove(join(staging, name));

  return {
    versionFolder: (id, folder) => join(serverFolder(id), folder),
    dataFolder: (id) => join(serverFolder(id), dataName),
    stagingPath: (name) => join(staging, name),

    async settle(staged, id, folder) {
      await mkdir(serverFolder(id), { recursive: true, mode: 0o700 });
      await rename(staged, join(serverFolder(id), folder));
    },

    async digestOf(id, { folder }) {
      const path = join(serverFolder(id), folder);
      if (!isFolder(path))
        refuse(
          'invalidInput',
          'The files of its bundle are not there any more. Open the bundle again (Add server → Bundle), or remove this server.',
        );
      try {
        return (await pool.run('digestFolder', { folder: path }, { timeoutMs: digestWithinMs })).digest;
      } catch (error) {
        return refuse(
          'invalidInput',
          'The files of its bundle cannot be read, so it is not known whether they are those that you agreed to.',
          {
            detail: messageOf(error),
          },
        );
      }
    },

    remove,
    forget: (id) => remove(serverFolder(id)),

    sweep(bundleOf) {
      for (const { name: id } of foldersIn(root)) {
        if (id === 'staging') continue;
        const bundle = bundleOf(id);
        if (bundle === undefined) continue;
        const kept = bundle === 'unknown' ? undefined : bundle.folder;
        if (kept === undefined && !hasContent(join(root, id, dataName))) void remove(join(root, id));
        else for (const { name } of foldersIn(join(root, id))) if (name !== dataName && name !== kept) void remove(join(root, id, name));
      }
    },

    close: async () => void (await Promise.all(removals)),
  };
}

const foldersIn = (path: string) => readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());

const isFolder = (path: string): boolean => namesIn(path) !== undefined;

const hasContent = (path: string): boolean => (namesIn(path) ?? []).length > 0;

/** Undefined where there is no folder that can be read. */
function namesIn(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
