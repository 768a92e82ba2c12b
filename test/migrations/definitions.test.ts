import { expect, test } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import { openDatabase } from '../../main/host/store/database.ts';
import { definitionChoices } from '../../main/host/store/definitions.ts';
import { migrations } from '../../main/host/store/migrations/index.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

test('what was agreed to before single definitions could be switched off is on', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, migrations.slice(0, 4));
  old.exec(
    `INSERT INTO definitions (server_id, kind, name, hash, definition, accepted_at) VALUES ('s', 'tool', 'list', 'h', '{"name":"list"}', 1)`,
  );
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock() });
  const { agreed, left } = definitionChoices(db, 's' as ServerId);
  expect([...agreed.values()]).toEqual([{ kind: 'tool', name: 'list', hash: 'h', value: { name: 'list' }, isOff: false }]);
  expect(left.size).toBe(0);
  db.close();
});
