import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { sync as writeFileAtomicSync } from 'write-file-atomic';
import { refuse } from '../refusal.ts';
import { openingRefusal } from './database.ts';

export interface Lock {
  release(): void;
}

/**
 * Makes this process the one owner of a data folder until `release`, or until the process ends in whatever way: the lock is
 * an open transaction on `lock.db`, which the system frees. Throws a Refusal: `dataFolderInUse` with the owner's pid and
 * shell, `dataFolderUnusable`, `diskFull`.
 */
export function takeLock(dataDir: string, owner: { pid: number; shell: string }): Lock {
  let db: Database.Database | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeToOthers(dataDir);
    db = new Database(path.join(dataDir, 'lock.db'), { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    // Readable while the lock is held, unlike the locked file itself.
    writeFileAtomicSync(ownerFile(dataDir), JSON.stringify(owner));
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) refuseInUse(dataDir);
    throw openingRefusal(error, dataDir) ?? error;
  }
  const held = db;
  return {
    release() {
      held.close();
    },
  };
}

/** A folder that was there before may be open to every user of the computer, and so would be all that is written into it. */
function closeToOthers(dataDir: string): void {
  const { mode, uid } = statSync(dataDir);
  if (process.platform === 'win32' || uid !== process.getuid?.() || (mode & 0o077) === 0) return;
  try {
    chmodSync(dataDir, 0o700);
  } catch (error) {
    // File systems of other worlds (exFAT) have no permissions that could be taken.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOTSUP') throw error;
  }
}

const ownerFile = (dataDir: string): string => path.join(dataDir, 'lock.json');

function refuseInUse(dataDir: string): never {
  refuse('dataFolderInUse', 'Maitre is already running on this data folder. Use the window that is open, or quit it first.', {
    detail: `${dataDir} is held by ${ownerOf(dataDir)}.`,
  });
}

function ownerOf(dataDir: string): string {
  try {
    const owner: unknown = JSON.parse(readFileSync(ownerFile(dataDir), 'utf8'));
    if (typeof owner === 'object' && owner !== null && 'pid' in owner && 'shell' in owner)
      return `process ${owner.pid}, shell ${owner.shell}`;
    return 'a process that wrote no readable lock.json';
  } catch (error) {
    return `a process unknown to us (lock.json: ${error instanceof Error ? error.message : String(error)})`;
  }
}
