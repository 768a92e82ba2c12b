import { expect, test } from 'vitest';
import { openDatabase } from '../../main/host/store/database.ts';
import { first } from '../../main/host/store/migrations/001_first.ts';
import { listRules } from '../../main/host/store/rules.ts';
import { handClock, rememberingLog, tempDatabase, tempFolder } from '../doubles/hostParts.ts';

test('permissions and prohibitions of the first schema hold under the newest', () => {
  const dataDir = tempFolder();
  const { db: old } = tempDatabase(dataDir, [first]);
  old.exec(`INSERT INTO rules (id, server_id, tool, verdict, scope, created_at, last_used_at, uses) VALUES
    ('r1', 's', 'list', 'allow', 'always', 1, 5, 7), ('r2', 's', 'drop', 'deny', 'always', 2, NULL, 0)`);
  old.close();
  const db = openDatabase({ dataDir, log: rememberingLog(), clock: handClock() });
  expect(db.pragma('user_version', { simple: true })).toBeGreaterThan(1);
  expect(listRules(db)).toEqual([
    { id: 'r2', serverId: 's', tool: 'drop', verdict: 'deny', scope: 'always', createdAt: 2, patterns: [], uses: 0 },
    { id: 'r1', serverId: 's', tool: 'list', verdict: 'allow', scope: 'always', createdAt: 1, lastUsedAt: 5, patterns: [], uses: 7 },
  ]);
  db.close();
});
