import { expect, test } from 'vitest';
import type { MessageId } from '../../preload/contract/ids.ts';
import { chatLabels } from '../../main/host/policy/labels.ts';
import { openDatabase } from '../../main/host/store/database.ts';
import { migrations } from '../../main/host/store/migrations/index.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

test('reads the labels of what stood there before: what nobody labelled is untrusted and private', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, migrations.slice(0, 7));
  old.exec(`
    INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'C', 1, 1);
    INSERT INTO messages VALUES ('m', 'c', NULL, 'user', 1), ('a', 'c', 'm', 'assistant', 2), ('own', 'c', NULL, 'user', 3);
    INSERT INTO parts (id, message_id, position, kind, source_kind, untrusted, private) VALUES ('p', 'm', 0, 'text', 'user', 0, 0);
    INSERT INTO parts (id, message_id, position, kind) VALUES ('q', 'a', 0, 'text');
    INSERT INTO parts (id, message_id, position, kind, source_kind, source, untrusted, private)
      VALUES ('r', 'a', 1, 'call', 'tool', '{"serverId":"mail","tool":"read","callId":"x"}', 1, 0);
  `);
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock() });
  const labels = (leaf: string) => chatLabels(db, leaf as MessageId, () => undefined);
  expect(labels('a')).toEqual({ untrusted: true, private: true, untrustedFrom: ['a server that was removed'], privateFrom: [] });
  for (const leaf of ['m', 'own', 'none'])
    expect(labels(leaf)).toEqual({ untrusted: false, private: false, untrustedFrom: [], privateFrom: [] });
  expect(db.prepare('SELECT * FROM remembered_labels').all()).toEqual([]);
  db.close();
});
