import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseFile, openDatabase, refusalOf, withFullSync } from '../../../main/host/store/database.ts';
import { migrations } from '../../../main/host/store/migrations/index.ts';
import { Refusal } from '../../../main/host/refusal.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../../doubles/hostParts.ts';

const program = fileURLToPath(new URL('./programs/openDatabase.ts', import.meta.url));
const open = (dataDir: string) => openDatabase({ dataDir, log: rememberingLog(), clock: handClock() });

function refusalFrom(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('openDatabase', () => {
  test('a new data folder gets the newest schema, a write-ahead log and foreign keys', () => {
    const { db } = tempDatabase();
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
  });

  test('what was saved is there after the next start', () => {
    const dataDir = tempFolder();
    const first = open(dataDir);
    first.prepare("INSERT INTO settings VALUES ('a', '1')").run();
    first.close();
    const { db } = tempDatabase(dataDir);
    expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('1');
  });

  test('a database of a newer version is refused and not a byte of it changes', () => {
    const dataDir = tempFolder();
    const db = open(dataDir);
    db.pragma(`user_version = ${migrations.length + 1}`);
    db.close();
    const before = readFileSync(databaseFile(dataDir));
    const { failure } = refusalFrom(() => open(dataDir));
    expect(failure.code).toBe('databaseTooNew');
    expect(failure.message).toContain('newer version');
    expect(readFileSync(databaseFile(dataDir)).equals(before)).toBe(true);
  });

  test('a file that is no database is refused as damaged and kept as it is', () => {
    const dataDir = tempFolder();
    writeFileSync(databaseFile(dataDir), 'This is a letter, not a database. '.repeat(200));
    const { failure } = refusalFrom(() => open(dataDir));
    expect(failure).toMatchObject({ code: 'databaseDamaged', message: expect.stringContaining('backups') });
    expect(readFileSync(databaseFile(dataDir), 'utf8')).toContain('This is a letter');
  });

  test('a database with a damaged schema is refused as damaged', () => {
    const dataDir = tempFolder();
    open(dataDir).close();
    const bytes = readFileSync(databaseFile(dataDir));
    bytes.fill(0xff, 100, 4096);
    writeFileSync(databaseFile(dataDir), bytes);
    expect(refusalFrom(() => open(dataDir)).failure.code).toBe('databaseDamaged');
  });

  test('a data folder that is a file is refused with its path and what to do', () => {
    const file = path.join(tempFolder(), 'file');
    writeFileSync(file, '');
    const { failure } = refusalFrom(() => open(file));
    expect(failure).toMatchObject({ code: 'dataFolderUnusable', message: expect.stringContaining(file) });
  });

  test.runIf(process.platform !== 'win32')('a data folder that may only be read is refused, with or without a database in it', () => {
    // Outside the private folder of the test: the program runs as nobody where this is root, whom no permission stops.
    const parent = mkdtempSync('/tmp/maitre-readonly-');
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    chmodSync(parent, 0o755);
    for (const name of ['empty', 'used']) {
      const dataDir = path.join(parent, name);
      mkdirSync(dataDir);
      if (name === 'used') open(dataDir).close();
      execFileSync('chmod', ['-R', 'a+rX,a-w', dataDir]);
      const run = spawnSync(process.execPath, [program, dataDir], {
        encoding: 'utf8',
        ...(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}),
      });
      expect(run.stderr).toBe('');
      expect(JSON.parse(run.stdout)).toMatchObject({ code: 'dataFolderUnusable', message: expect.stringContaining(dataDir) });
    }
  });

  const canMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
  test.runIf(canMount)('a full disk is refused as such, at the start and later', () => {
    const onSmallDisk = (size: string, megabytes: string, migrated = ''): unknown => {
      const dir = tempFolder();
      const script = 'mount -t tmpfs -o size="$1" tmpfs "$2" && exec "$3" "$4" "$2" "$5" "$6"';
      const run = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', size, dir, process.execPath, program, megabytes, migrated], {
        encoding: 'utf8',
      });
      expect(run.stderr).toBe('');
      return JSON.parse(run.stdout);
    };
    expect(onSmallDisk('16k', '0')).toMatchObject({ code: 'diskFull' });
    expect(onSmallDisk('4m', '8')).toMatchObject({ code: 'diskFull', message: expect.stringContaining('Free some space') });
    // Each try would else leave a piece of a copy and fill the disk for good.
    expect(onSmallDisk('14m', '8', 'migrated')).toMatchObject({ code: 'diskFull', copies: [] });
  });
});

describe('migrations', () => {
  /** A database that stands one migration before the newest. */
  const olderDatabase = (dataDir: string): void => {
    open(dataDir).close();
    const db = new Database(databaseFile(dataDir));
    db.prepare("INSERT INTO settings VALUES ('kept', '1')").run();
    db.close();
  };

  test('an existing file is copied before it is migrated, and five copies are kept', () => {
    const dataDir = tempFolder();
    olderDatabase(dataDir);
    const backups = path.join(dataDir, 'backups');
    mkdirSync(backups);
    for (let day = 1; day <= 6; day += 1) writeFileSync(path.join(backups, `maitre-2026-01-0${day}T00-00-00-000Z-schema1.db`), '');
    writeFileSync(path.join(backups, 'mine.txt'), 'not ours');
    const next = [...migrations, 'CREATE TABLE added (id TEXT) STRICT'];
    openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: next }).close();

    const copies = readdirSync(backups)
      .filter((name) => name.startsWith('maitre-'))
      .sort();
    expect(copies).toHaveLength(5);
    expect(copies[0]).toContain('2026-01-03');
    expect(existsSync(path.join(backups, 'mine.txt'))).toBe(true);
    const copy = new Database(path.join(backups, copies.at(-1) ?? ''), { readonly: true });
    onTestFinished(() => void copy.close());
    expect(copy.pragma('user_version', { simple: true })).toBe(migrations.length);
    expect(copy.prepare('SELECT value FROM settings').pluck().get()).toBe('1');
    expect(copy.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'added'").pluck().get()).toBe(0);
  });

  test('the copy is the newest by its name, and kept, though the clock was set back; what a crash left of one goes', () => {
    const dataDir = tempFolder();
    olderDatabase(dataDir);
    const backups = path.join(dataDir, 'backups');
    mkdirSync(backups);
    for (let day = 1; day <= 5; day += 1) writeFileSync(path.join(backups, `maitre-2031-01-0${day}T23-59-59-999Z-schema1.db`), '');
    for (const name of ['unfinished.db', 'unfinished.db-journal']) writeFileSync(path.join(backups, name), 'half');
    openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: [...migrations, 'SELECT 1'] }).close();

    const copies = readdirSync(backups).sort();
    expect(copies).toHaveLength(5);
    const newest = `maitre-2031-01-06T00-00-00-000Z-schema${migrations.length}.db`;
    expect(copies.at(-1)).toBe(newest);
    const copy = new Database(path.join(backups, newest), { readonly: true });
    onTestFinished(() => void copy.close());
    expect(copy.prepare("SELECT value FROM settings WHERE name = 'kept'").pluck().get()).toBe('1');
  });

  test('a copy that is put in place as the sentence says is read; beside the log of a crash it would not be', () => {
    const dataDir = tempFolder();
    const db = open(dataDir);
    const file = databaseFile(dataDir);
    db.prepare('VACUUM INTO ?').run(path.join(dataDir, 'copy.db'));
    const fill = db.prepare('INSERT INTO settings VALUES (?, ?)');
    for (let row = 0; row < 500; row += 1) fill.run(`row ${row}`, 'x'.repeat(1000));
    const log = readFileSync(`${file}-wal`);
    db.close();
    const restore = (): void => {
      for (const name of readdirSync(dataDir).filter((each) => each.startsWith('maitre.db'))) rmSync(path.join(dataDir, name));
      copyFileSync(path.join(dataDir, 'copy.db'), file);
    };
    restore();
    writeFileSync(`${file}-wal`, log);
    const { failure } = refusalFrom(() => open(dataDir).prepare('SELECT count(*) FROM settings').get());
    expect(failure).toMatchObject({
      code: 'databaseDamaged',
      message: expect.stringContaining('every file whose name begins with maitre.db'),
    });
    restore();
    expect(open(dataDir).prepare('SELECT count(*) FROM settings').pluck().get()).toBe(0);
  });

  test('a migration that fails leaves the database as it was', () => {
    const dataDir = tempFolder();
    olderDatabase(dataDir);
    const next = [...migrations, 'CREATE TABLE added (id TEXT) STRICT; INSERT INTO nowhere VALUES (1)'];
    expect(() => openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: next })).toThrow('nowhere');
    const { db } = tempDatabase(dataDir);
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'added'").pluck().get()).toBe(0);
    expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('1');
  });

  test('a start without a migration makes no copy', () => {
    const dataDir = tempFolder();
    open(dataDir).close();
    open(dataDir).close();
    expect(existsSync(path.join(dataDir, 'backups'))).toBe(false);
  });
});

describe('withFullSync', () => {
  test('commits with full synchronisation and goes back to the usual one, after a failure too', () => {
    const { db } = tempDatabase();
    const during = withFullSync(db, () => {
      db.prepare("INSERT INTO settings VALUES ('a', '1')").run();
      return db.pragma('synchronous', { simple: true });
    });
    expect(during).toBe(2);
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
    expect(() =>
      withFullSync(db, () => {
        db.prepare("INSERT INTO settings VALUES ('b', '1')").run();
        throw new Error('stopped');
      }),
    ).toThrow('stopped');
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
    expect(db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1);
  });

  test('is refused inside another transaction, where the level cannot be changed', () => {
    const { db } = tempDatabase();
    expect(() => db.transaction(() => withFullSync(db, () => undefined))()).toThrow('inside a transaction');
  });
});

describe('refusalOf', () => {
  test('a file that has reached its limit, one that became read-only and a bug are told apart', () => {
    const { db, dataDir } = tempDatabase();
    const thrownBy = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const full = thrownBy(() => db.prepare('INSERT INTO settings VALUES (?, ?)').run('big', 'x'.repeat(1_000_000)));
    expect(refusalOf(full)?.failure.code).toBe('diskFull');
    const reader = new Database(databaseFile(dataDir), { readonly: true });
    onTestFinished(() => void reader.close());
    expect(refusalOf(thrownBy(() => reader.exec("INSERT INTO settings VALUES ('a', '1')")))?.failure.code).toBe('dataFolderUnusable');
    expect(refusalOf(thrownBy(() => db.exec('SELECT nothing FROM nowhere')))).toBeUndefined();
    expect(refusalOf(new TypeError('a bug'))).toBeUndefined();
  });
});

test.runIf(process.platform !== 'win32')('the data folder is made for its owner alone', () => {
  const dataDir = path.join(tempFolder(), 'data');
  open(dataDir).close();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});
