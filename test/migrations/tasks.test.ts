import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../main/host/store/database.ts';
import { first } from '../../main/host/store/migrations/001_first.ts';
import { tasks } from '../../main/host/store/migrations/002_tasks.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

const call = `
  INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'C', 1, 1);
  INSERT INTO messages VALUES ('m', 'c', NULL, 'user', 1), ('a', 'c', 'm', 'assistant', 2);
  INSERT INTO turns (id, conversation_id, user_message_id, assistant_message_id, state, model, step_limit, started_at) VALUES ('t', 'c', 'm', 'a', 'running', 'demo', 25, 1);
  INSERT INTO parts (id, message_id, position, kind) VALUES ('part', 'a', 0, 'call');
  INSERT INTO calls (id, part_id, turn_id, step, model_call_id, wire_name, server_name, tool, arguments, arguments_hash, effects, state, created_at)
    VALUES ('call', 'part', 't', 0, 'x', 'research', 'Lab', 'research', '{}', 'h', '{}', 'running', 1);
  INSERT INTO servers (id, consent_hash, consent_at) VALUES ('s', 'agreed', 1);`;

test('schema 2 keeps what schema 1 held, after a copy, and asks no server to log', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, [first]);
  old.exec(call);
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock(), migrations: [first, tasks] });
  expect(db.prepare('SELECT consent_hash, log_level FROM servers').get()).toEqual({ consent_hash: 'agreed', log_level: null });
  expect(db.prepare('SELECT state FROM calls').pluck().get()).toBe('running');
  expect(db.pragma('user_version', { simple: true })).toBe(2);
  expect(readdirSync(path.join(dataDir, 'backups'))).toEqual([expect.stringMatching(/schema1\.db$/)]);
  db.close();
});

test('a task goes with the call it belongs to, and one of no call is refused', () => {
  const { db } = tempDatabase(tempFolder(), [first, tasks]);
  db.exec(call);
  const insert = (id: string) =>
    db.exec(
      `INSERT INTO tasks (call_id, server_id, config_hash, authorization_key, era, created_at) VALUES ('${id}', 's', 'h', '', 'modern', 1)`,
    );
  insert('call');
  expect(() => insert('nowhere')).toThrow(/constraint failed/);
  db.exec("DELETE FROM conversations WHERE id = 'c'");
  expect(db.prepare('SELECT count(*) FROM tasks').pluck().get()).toBe(0);
});
