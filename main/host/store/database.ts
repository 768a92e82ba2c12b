import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Clock, Log } from '../ports.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { backupStamp } from './backupStamp.ts';
import { migrations as allMigrations } from './migrations/index.ts';

export type Db = Database.Database;

export const databaseFile = (dataDir: string): string => path.join(dataDir, 'maitre.db');
const backupDir = (dataDir: string): string => path.join(dataDir, 'backups');
const backupsKept = 5;

/**
 * Opens the database of a data folder and brings it to the newest schema; makes both where there are none.
 * Call under the lock. Throws a Refusal: `databaseTooNew`, `databaseDamaged`, `dataFolderUnusable`, `diskFull`.
 */
export function openDatabase({
  dataDir,
  log,
  clock,
  migrations = allMigrations,
}: {
  dataDir: string;
  log: Log;
  clock: Pick<Clock, 'now'>;
  /** All of them; others only to prove what a later one will meet. */
  migrations?: readonly string[];
}): Db {
  const file = databaseFile(dataDir);
  let db: Db | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // Through a read-only connection: closing a writing one would already change a file that a newer version owns.
    const version = existsSync(file) ? storedVersion(file) : 0;
    if (version > migrations.length) throw tooNew(file, version, migrations.length);
    db = new Database(file, { timeout: 5000 });
    if (version > 0 && version < migrations.length) backUp(db, dataDir, version, clock);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    migrate(db, version, migrations, log);
    return db;
  } catch (error) {
    db?.close();
    throw openingRefusal(error, dataDir) ?? error;
  }
}

function tooNew(file: string, version: number, known: number): Refusal {
  return new Refusal(
    'databaseTooNew',
    'This data folder was written by a newer version of Maitre, and this one cannot read it. Nothing was changed. Install the newer version, or start this one with another data folder (MAITRE_DATA_DIR).',
    { detail: `${file} has schema ${version}; this version knows ${known}.` },
  );
}

/**
 * A connection for commands that only read, beside a host that may be running: without the lock, and nothing is brought to a newer
 * schema. Throws a Refusal: `notFound` where there is no database, `wrongState` where it is of an older version, else as {@link openDatabase}.
 */
export function openToRead(dataDir: string): Db {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) throw new Refusal('notFound', `Maitre has not used the folder ${dataDir} yet, so there is nothing to read.`);
  try {
    const version = storedVersion(file);
    if (version > allMigrations.length) throw tooNew(file, version, allMigrations.length);
    if (version < allMigrations.length)
      throw new Refusal(
        'wrongState',
        'This data folder was last used by an older version of Maitre. Start this version with it once, then try again.',
      );
    return openReadOnly(file);
  } catch (error) {
    throw openingRefusal(error, dataDir) ?? error;
  }
}

const statements = new WeakMap<Db, Map<string, Database.Statement<unknown[], unknown>>>();

/** A statement that is compiled once for a connection. `sql` must be a constant: each one is kept. */
export function prepared<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: Db,
  sql: string,
): Database.Statement<Parameters, Row> {
  let kept = statements.get(db);
  if (!kept) statements.set(db, (kept = new Map()));
  let statement = kept.get(sql);
  if (!statement) kept.set(sql, (statement = db.prepare(sql)));
  // The type of a statement's rows is the caller's word in either case: better-sqlite3 checks nothing.
  return statement as Database.Statement<Parameters, Row>;
}

const transactions = new WeakMap<Db, Database.Transaction<(run: () => unknown) => unknown>>();

/** Runs `run` in one transaction. Many are made for every call, and making the wrapper anew costs as much as the transaction itself. */
export function inTransaction<Value>(db: Db, run: () => Value): Value {
  let transaction = transactions.get(db);
  if (!transaction) transactions.set(db, (transaction = db.transaction((inner: () => unknown) => inner())));
  let value: Value | undefined;
  transaction(() => (value = run()));
  return value as Value;
}

/** A connection that can only read, for workers. The caller closes it. */
export function openReadOnly(file: string): Db {
  return new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
}

/**
 * Runs `run` in one transaction that has reached the disk when this returns: for approvals, and for the row written
 * before a call that changes, deletes or sends something out. Must not stand inside another transaction.
 */
export function withFullSync<Value>(db: Db, run: () => Value): Value {
  // Throws inside a transaction, where it could not be changed.
  db.pragma('synchronous = FULL');
  try {
    return db.transaction(run).immediate();
  } finally {
    db.pragma('synchronous = NORMAL');
  }
}

/**
 * The Refusal behind an error that any later statement or file operation threw: a full disk, a folder that became
 * read-only or unreachable, a damaged file. Undefined for everything else, which is then a bug.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const detail = `${code}: ${messageOf(error)}`;
  // SHMSIZE: the write-ahead log's index could not grow, which a full disk alone does.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC' || code === 'EDQUOT') {
    return new Refusal(
      'diskFull',
      'The disk is full, so Maitre could not save. Free some space and try again; what was saved before is kept.',
      {
        detail,
      },
    );
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new Refusal(
      'databaseDamaged',
      'The database of this data folder is damaged and cannot be read. Nothing was changed. Quit Maitre and move every file whose name begins with maitre.db out of the folder: one that stays behind would damage what you put there. Then put the newest copy from the folder "backups" there as maitre.db; without a copy, move the folder "blobs" away too, and Maitre begins with an empty history.',
      { detail },
    );
  }
  if (code === 'EROFS' || /^SQLITE_(READONLY|CANTOPEN|IOERR|PERM)/.test(code)) {
    return new Refusal(
      'dataFolderUnusable',
      'Maitre cannot write to its data folder. Check that the disk is connected and that you may write to the folder, then try again.',
      { detail },
    );
  }
  return undefined;
}

/** As {@link refusalOf}, for the start: there every refusal of the file system concerns the data folder. */
export function openingRefusal(error: unknown, dataDir: string): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const known = refusalOf(error);
  if (known && known.failure.code !== 'dataFolderUnusable') {
    return new Refusal(known.failure.code, known.failure.message, { detail: `${dataDir}: ${known.failure.detail}` });
  }
  const code = codeOf(error);
  if (!known && !(code !== undefined && ['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT', 'ELOOP', 'EIO'].includes(code)))
    return undefined;
  return new Refusal(
    'dataFolderUnusable',
    `Maitre cannot write to its data folder ${dataDir}. Give yourself the right to write there, or start it with another folder (MAITRE_DATA_DIR).`,
    { detail: `${code}: ${messageOf(error)}` },
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function storedVersion(file: string): number {
  const db = openReadOnly(file);
  try {
    return userVersion(db);
  } finally {
    db.close();
  }
}

function userVersion(db: Db): number {
  const version = db.pragma('user_version', { simple: true });
  if (typeof version !== 'number') throw new Error('SQLite gave no user_version.');
  return version;
}

function migrate(db: Db, from: number, migrations: readonly string[], log: Log): void {
  for (const [index, sql] of migrations.entries()) {
    if (index < from) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${index + 1}`);
    }).immediate();
    log.info('The database was brought to a newer schema.', { version: index + 1 });
  }
}

/** A whole, consistent copy before the schema changes; the newest {@link backupsKept} are kept. */
function backUp(db: Db, dataDir: string, version: number, clock: Pick<Clock, 'now'>): void {
  const dir = backupDir(dataDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // Has its name only when it is whole: one that a crash or a full disk cut short must neither be taken for a copy nor fill the disk.
  const unfinished = path.join(dir, 'unfinished.db');
  removeDatabase(unfinished);
  try {
    db.prepare('VACUUM INTO ?').run(unfinished);
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  }
  const taken = readdirSync(dir).filter((name) => /^maitre-.*-schema\d+\.db$/.test(name));
  const name = `maitre-${backupStamp(clock.now(), taken)}-schema${version}.db`;
  renameSync(unfinished, path.join(dir, name));
  for (const old of [...taken, name].sort().slice(0, -backupsKept)) rmSync(path.join(dir, old), { force: true });
}

function removeDatabase(file: string): void {
  for (const each of [file, `${file}-journal`]) rmSync(each, { force: true });
}
