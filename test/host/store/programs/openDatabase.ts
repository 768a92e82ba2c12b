import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../../../../main/host/store/database.ts';
import { migrations } from '../../../../main/host/store/migrations/index.ts';
import { Refusal } from '../../../../main/host/refusal.ts';

// Opens the data folder that is named, writes as much as it is told to, and brings it to one schema more where it is told to. Prints the
// refusal with what stands in the folder of copies, or `opened`.
const [dataDir = '', megabytes = '0', migrated = ''] = process.argv.slice(2);
const quiet = { info() {}, warn() {}, error() {} };
try {
  const db = openDatabase({ dataDir, log: quiet, clock: { now: () => 0 } });
  const insert = db.prepare('INSERT INTO settings (name, value) VALUES (?, ?)');
  for (let number = 0; number < Number(megabytes); number += 1) insert.run(`filler.${number}`, 'x'.repeat(1_048_576));
  db.close();
  if (migrated !== '')
    openDatabase({
      dataDir,
      log: quiet,
      clock: { now: () => 0 },
      migrations: [...migrations, 'CREATE TABLE added (id TEXT) STRICT'],
    }).close();
  console.log('opened');
} catch (error) {
  const { refusalOf } = await import('../../../../main/host/store/database.ts');
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (!refusal) throw error;
  const backups = path.join(dataDir, 'backups');
  console.log(JSON.stringify({ ...refusal.failure, copies: existsSync(backups) ? readdirSync(backups) : [] }));
}
