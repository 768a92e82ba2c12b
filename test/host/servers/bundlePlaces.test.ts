import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createBundlePlaces } from '../../../main/host/servers/bundles/bundlePlaces.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import { rememberingLog, tempFolder } from '../../doubles/hostParts.ts';

test('what a server has kept stays when nobody knows its id any more: the database may have been put back or begun anew', async () => {
  const dataDir = tempFolder();
  const log = rememberingLog();
  const places = createBundlePlaces({ dataDir, pool: createWorkerPool({ size: 1, log }), log });
  const file = (...names: string[]) => path.join(dataDir, 'bundles', ...names);
  const write = (...names: string[]): void => {
    mkdirSync(path.dirname(file(...names)), { recursive: true });
    writeFileSync(file(...names), 'x');
  };
  write('used', 'version', 'index.js');
  write('used', 'data', 'notes.db');
  write('begun', 'version', 'index.js');
  mkdirSync(file('begun', 'data'));
  write('unread', 'version', 'index.js');
  places.sweep((id) => (id === 'unread' ? undefined : 'unknown'));
  await places.close();
  expect(existsSync(file('used', 'data', 'notes.db'))).toBe(true);
  expect(existsSync(file('used', 'version'))).toBe(false);
  expect(existsSync(file('begun'))).toBe(false);
  expect(existsSync(file('unread', 'version', 'index.js'))).toBe(true);
});
