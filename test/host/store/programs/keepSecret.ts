import { nodePorts } from '../../../../main/host/nodePorts.ts';
import { openDatabase } from '../../../../main/host/store/database.ts';
import { createSecrets } from '../../../../main/host/store/secrets.ts';

// Uses the real keychain of this session on the data folder that is named. `set VALUE`, `get` or `loseKey`; one line of JSON out.
const [dataDir = '', what, value = ''] = process.argv.slice(2);
const { ids, clock, log, keychain } = nodePorts({ dataDir, env: {} });
const db = openDatabase({ dataDir, log, clock });
const secrets = createSecrets(db, keychain, { ids, clock, log });
await secrets.ready;
if (what === 'loseKey') {
  for (const account of db.prepare<[], string>('SELECT DISTINCT key_account FROM secrets').pluck().all()) await keychain.remove(account);
  console.log(JSON.stringify({ available: secrets.available() }));
} else {
  const set = what === 'set' ? await secrets.set('provider:anthropic', 'key', value) : undefined;
  log.info(`A line that should not hold ${value}.`, { value });
  console.log(
    JSON.stringify({
      available: secrets.available(),
      set,
      get: await secrets.get('provider:anthropic', 'key'),
      has: secrets.has('provider:anthropic', 'key'),
    }),
  );
}
db.close();
