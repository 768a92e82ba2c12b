import { expect, test } from 'vitest';
import type { CallId, ConversationId, ServerId } from '../../preload/contract/ids.ts';
import { deleteConversation } from '../../main/host/store/conversations.ts';
import { openDatabase } from '../../main/host/store/database.ts';
import { migrations } from '../../main/host/store/migrations/index.ts';
import { deleteServerRows, removeGrants } from '../../main/host/store/serverRows.ts';
import {
  agreedView,
  chatOfView,
  conversationOfView,
  getForView,
  setAgreedView,
  setForView,
  setShowsViews,
  showsViews,
} from '../../main/host/store/views.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

const server = 's' as ServerId;
const rows = `
  INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'C', 1, 1);
  INSERT INTO messages VALUES ('m', 'c', NULL, 'user', 1), ('a', 'c', 'm', 'assistant', 2);
  INSERT INTO turns (id, conversation_id, user_message_id, assistant_message_id, state, model, step_limit, started_at) VALUES ('t', 'c', 'm', 'a', 'done', 'demo', 25, 1);
  INSERT INTO parts (id, message_id, position, kind) VALUES ('part', 'a', 0, 'call');
  INSERT INTO calls (id, part_id, turn_id, step, model_call_id, wire_name, server_name, tool, arguments, arguments_hash, effects, state, created_at)
    VALUES ('call', 'part', 't', 0, 'x', 'show', 'Lab', 'show', '{}', 'h', '{}', 'succeeded', 1);`;

test('nothing of an older database was agreed to, its results have nothing for views alone, and views are shown once they are agreed to', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, migrations.slice(0, 12));
  old.exec(rows);
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock() });
  expect([agreedView(db, server, 'ui://a'), getForView(db, 'call' as CallId), showsViews(db, server)]).toEqual([
    undefined,
    undefined,
    true,
  ]);
  db.close();
});

test('what was agreed to goes with the program of a server, what the person does not want with the server', () => {
  const { db } = tempDatabase(tempFolder());
  setAgreedView(db, server, 'ui://a', 'one', 1);
  setAgreedView(db, server, 'ui://a', 'two', 2);
  setShowsViews(db, server, false);
  expect([agreedView(db, server, 'ui://a'), agreedView(db, 'other' as ServerId, 'ui://a')]).toEqual(['two', undefined]);
  removeGrants(db, server);
  expect([agreedView(db, server, 'ui://a'), showsViews(db, server)]).toEqual([undefined, false]);
  deleteServerRows(db, server);
  expect(showsViews(db, server)).toBe(true);
});

test('the calls of a view are found from its chat, and go with it', () => {
  const { db } = tempDatabase(tempFolder());
  db.exec(rows);
  const [call, chat] = ['call' as CallId, 'c' as ConversationId];
  setForView(db, call, '{}');
  expect(getForView(db, call)).toBe('{}');
  const own = conversationOfView(call);
  db.exec(`INSERT INTO conversations (id, kind, title, created_at, updated_at) VALUES ('${own}', 'bench', '', 1, 1);
    INSERT INTO messages VALUES ('v', '${own}', 'a', 'user', 3)`);
  expect([chatOfView(db, own), chatOfView(db, chat)]).toEqual([chat, undefined]);
  deleteConversation(db, chat);
  expect(db.prepare('SELECT id FROM conversations UNION SELECT id FROM messages').all()).toEqual([]);
});
