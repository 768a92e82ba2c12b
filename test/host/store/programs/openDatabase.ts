import { openDatabase } from '../../../../main/host/store/database.ts';
import { Refusal } from '../../../../main/host/refusal.ts';

// Opens the data folder that is named and writes until it is told to stop. Prints the refusal, or `opened`.
const [dataDir = '', megabytes = '0'] = process.argv.slice(2);
const quiet = { info() {}, warn() {}, error() {} };
try {
  const db = openDatabase({ dataDir, log: quiet, clock: { now: () => 0 } });
  const insert = db.prepare('INSERT INTO settings (name, value) VALUES (?, ?)');
  for (let number = 0; number < Number(megabytes); number += 1) insert.run(`filler.${number}`, 'x'.repeat(1_048_576));
  db.close();
  console.log('opened');
} catch (error) {
  const { refusalOf } = await import('../../../../main/host/store/database.ts');
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (!refusal) throw error;
  console.log(JSON.stringify(refusal.failure));
}
