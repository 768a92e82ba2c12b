import { expect, test } from 'vitest';
import { ServerId } from '../../preload/contract/ids.ts';
import { getClientFeatures, setClientFeatures } from '../../main/host/store/clientFeatures.ts';
import { openDatabase } from '../../main/host/store/database.ts';
import { first } from '../../main/host/store/migrations/001_first.ts';
import { tasks } from '../../main/host/store/migrations/002_tasks.ts';
import { clientFeatures } from '../../main/host/store/migrations/003_client_features.ts';
import { trust } from '../../main/host/store/migrations/004_trust.ts';
import { audit } from '../../main/host/store/migrations/005_audit.ts';
import { traceIds } from '../../main/host/store/migrations/006_trace_ids.ts';
import { serverIcons } from '../../main/host/store/migrations/007_server_icons.ts';
import { deleteServerRows } from '../../main/host/store/serverRows.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

const [one, two] = [ServerId.parse('one'), ServerId.parse('two')];

test('schema 3 keeps the servers of schema 2, tells none of them of a folder and blocks nobody', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, [first, tasks]);
  old.exec("INSERT INTO servers (id, consent_hash, consent_at) VALUES ('one', 'agreed', 1)");
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: [first, tasks, clientFeatures] });
  expect(db.prepare('SELECT consent_hash FROM servers').pluck().get()).toBe('agreed');
  expect(db.prepare('SELECT * FROM told_folders').all()).toEqual([]);
  expect(db.prepare('SELECT * FROM client_features').all()).toEqual([]);
  db.close();
});

test('schema 6 keeps what servers are told and sends trace ids to none of them; schema 7 begins without pictures', () => {
  const dataDir = tempFolder();
  const before = [first, tasks, clientFeatures, trust, audit];
  const { db: old } = tempDatabase(dataDir, before);
  old.exec("INSERT INTO client_features (server_id, questions_blocked) VALUES ('one', 1)");
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: [...before, traceIds, serverIcons] });
  expect(getClientFeatures(db, one)).toMatchObject({ questionsBlocked: true, sendsTraceIds: false });
  expect(db.prepare('SELECT * FROM server_icons').all()).toEqual([]);
  db.close();
});

test('folders are kept in their order, each once; a choice of none is a choice; what is not set stays', () => {
  const { db } = tempDatabase();
  setClientFeatures(db, one, { folders: ['/b', '/a', '/b'], questionsBlocked: true });
  setClientFeatures(db, one, { deprecatedInModern: true });
  setClientFeatures(db, one, { sendsTraceIds: true });
  expect(getClientFeatures(db, one)).toEqual({
    folders: ['/b', '/a'],
    foldersChosen: true,
    questionsBlocked: true,
    deprecatedInModern: true,
    sendsTraceIds: true,
  });
  setClientFeatures(db, one, { folders: [] });
  expect(getClientFeatures(db, one)).toMatchObject({ folders: [], foldersChosen: true, questionsBlocked: true });
  expect(getClientFeatures(db, two).foldersChosen).toBe(false);
});

test('a removed server takes along what it was told; the same id later inherits nothing', () => {
  const { db } = tempDatabase();
  for (const id of [one, two]) setClientFeatures(db, id, { folders: ['/a'], questionsBlocked: true });
  deleteServerRows(db, one);
  expect(getClientFeatures(db, one)).toMatchObject({ folders: [], foldersChosen: false, questionsBlocked: false });
  expect(getClientFeatures(db, two)).toMatchObject({ folders: ['/a'], questionsBlocked: true });
});
