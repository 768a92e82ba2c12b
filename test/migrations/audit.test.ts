import { expect, test } from 'vitest';
import { openDatabase } from '../../main/host/store/database.ts';
import { first } from '../../main/host/store/migrations/001_first.ts';
import { tasks } from '../../main/host/store/migrations/002_tasks.ts';
import { clientFeatures } from '../../main/host/store/migrations/003_client_features.ts';
import { trust } from '../../main/host/store/migrations/004_trust.ts';
import { audit } from '../../main/host/store/migrations/005_audit.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

const before = [first, tasks, clientFeatures, trust];
const insert = (seq: number) => `INSERT INTO audit (seq, at, kind, digest) VALUES (${seq}, 1, 'call.ended', zeroblob(32))`;

test('schema 5 keeps the permissions of schema 4 and begins with an empty log', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, before);
  old.exec("INSERT INTO rules (id, server_id, tool, verdict, scope, created_at) VALUES ('r', 's', 'list', 'allow', 'always', 1)");
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: [...before, audit] });
  expect(db.prepare('SELECT id FROM rules').pluck().all()).toEqual(['r']);
  expect(db.prepare('SELECT count(*) FROM audit').pluck().get()).toBe(0);
  db.close();
});

test('a row of the log can be signed once and then stays as it is, for every statement', () => {
  const { db } = tempDatabase(tempFolder(), [...before, audit]);
  db.exec(insert(1));
  expect(() => db.exec("UPDATE audit SET digest = x'00'")).toThrow('only grows');
  db.exec("UPDATE audit SET key_account = 'a', mac = zeroblob(32)");
  for (const sql of ["UPDATE audit SET mac = x'00'", 'UPDATE audit SET at = 2', 'DELETE FROM audit']) {
    expect(() => db.exec(sql)).toThrow('only grows');
  }
  expect(() => db.exec(insert(1).replace('INSERT', 'INSERT OR REPLACE'))).toThrow('only grows');
});
