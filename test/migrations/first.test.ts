import { describe, expect, test } from 'vitest';
import type { Db } from '../../main/host/store/database.ts';
import { first } from '../../main/host/store/migrations/001_first.ts';
import { tempDatabase, tempFolder } from '../doubles/hostParts.ts';

/** One row for every table, in an order in which each finds what it refers to. */
const rows: Record<string, string> = {
  settings: "INSERT INTO settings VALUES ('theme', '\"dark\"')",
  providers: "INSERT INTO providers VALUES ('p', 'P', 'http://127.0.0.1:1', 1)",
  model_lists: "INSERT INTO model_lists VALUES ('p', '[]', 1)",
  secrets: "INSERT INTO secrets VALUES ('provider:p', 'key', 'account', zeroblob(12), zeroblob(20), 1)",
  conversations: "INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'C', 1, 1)",
  messages: "INSERT INTO messages VALUES ('m', 'c', NULL, 'user', 1), ('a', 'c', 'm', 'assistant', 2)",
  turns:
    "INSERT INTO turns (id, conversation_id, user_message_id, assistant_message_id, state, model, step_limit, started_at) VALUES ('t', 'c', 'm', 'a', 'running', 'demo', 25, 1)",
  steps: "INSERT INTO steps VALUES ('t', 0, NULL)",
  parts: "INSERT INTO parts (id, message_id, position, kind) VALUES ('part', 'a', 0, 'call')",
  calls: `INSERT INTO calls (id, part_id, turn_id, step, model_call_id, wire_name, server_name, tool, arguments, arguments_hash, effects, state, created_at)
          VALUES ('call', 'part', 't', 0, 'x', 'files_read', 'Files', 'read', '{}', 'h', '{}', 'proposed', 1)`,
  approvals: "INSERT INTO approvals (id, call_id, arguments_hash, card, created_at) VALUES ('ap', 'call', 'h', '{}', 1)",
  rules:
    "INSERT INTO rules (id, server_id, tool, verdict, scope, conversation_id, turn_id, created_at) VALUES ('r', 's', 'read', 'allow', 'turn', 'c', 't', 1)",
  servers: "INSERT INTO servers (id) VALUES ('s')",
  tool_effects: "INSERT INTO tool_effects VALUES ('s', 'read', '[\"reads\"]', 1)",
  file_server_ids: "INSERT INTO file_server_ids VALUES ('/f.json', 'mail', 's')",
  processes: "INSERT INTO processes VALUES (1, 'boot/1', 's')",
  blobs: "INSERT INTO blobs VALUES ('b', 'text/plain', 1, 1)",
  blob_owners: "INSERT INTO blob_owners VALUES ('b', 'c')",
  search_rows: "INSERT INTO search_rows VALUES (1, 'c', 'm', 'some words', 1)",
  search_words: "INSERT INTO search_words (rowid, words) VALUES (1, 'some words')",
};
/** Goes with its conversation; everything else stays. */
const ofConversation = [
  'conversations',
  'messages',
  'turns',
  'steps',
  'parts',
  'calls',
  'approvals',
  'rules',
  'blob_owners',
  'search_rows',
  'search_words',
];

function filled(): Db {
  const { db } = tempDatabase(tempFolder(), [first]);
  for (const sql of Object.values(rows)) db.exec(sql);
  return db;
}
const tables = (db: Db): string[] =>
  db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_words_%' ORDER BY name",
    )
    .pluck()
    .all();
const count = (db: Db, table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();

describe('schema 1', () => {
  test('takes a row in every table', () => {
    const db = filled();
    expect(tables(db)).toEqual(Object.keys(rows).sort());
    expect(tables(db).filter((table) => count(db, table) === 0)).toEqual([]);
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  test('what a conversation holds goes with it, and nothing else does', () => {
    const db = filled();
    db.exec("DELETE FROM conversations WHERE id = 'c'");
    const left = tables(db).filter((table) => count(db, table) !== 0);
    expect(left).toEqual(
      Object.keys(rows)
        .filter((table) => !ofConversation.includes(table))
        .sort(),
    );
  });

  test('a part that nobody labelled counts as untrusted and private', () => {
    const db = filled();
    expect(db.prepare("SELECT source_kind, source, untrusted, private FROM parts WHERE id = 'part'").get()).toEqual({
      source_kind: 'unknown',
      source: null,
      untrusted: 1,
      private: 1,
    });
  });

  test.each([
    ['a message of no conversation', "INSERT INTO messages VALUES ('x', 'nowhere', NULL, 'user', 1)"],
    ['a part of no message', "INSERT INTO parts (id, message_id, position, kind) VALUES ('x', 'nowhere', 0, 'text')"],
    ['two parts at one place', "INSERT INTO parts (id, message_id, position, kind) VALUES ('x', 'a', 0, 'text')"],
    [
      'an approval of no call',
      "INSERT INTO approvals (id, call_id, arguments_hash, card, created_at) VALUES ('x', 'nowhere', 'h', '{}', 1)",
    ],
    ['a role of nobody', "INSERT INTO messages VALUES ('x', 'c', NULL, 'system', 1)"],
    [
      'a rule with a scope unknown',
      "INSERT INTO rules (id, server_id, tool, verdict, scope, created_at) VALUES ('x', 's', 'read', 'allow', 'ever', 1)",
    ],
    ['a number where text belongs, as far as that loses anything', "INSERT INTO blobs VALUES ('x', 'text/plain', 'many', 1)"],
  ])('refuses %s', (_what, sql) => {
    const db = filled();
    expect(() => db.exec(sql)).toThrow(/constraint failed|cannot store/);
  });
});
