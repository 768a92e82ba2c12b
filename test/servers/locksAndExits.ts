/** An old server that owns a lock file while it lives, ends on `server/discover`, and takes its time to end. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { serveLegacy } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

const lock = `${process.argv[2] ?? '/tmp/odd'}.lock`;
try {
  closeSync(openSync(lock, 'wx'));
} catch (error) {
  process.stderr.write(`another copy is running: ${String(error)}\n`);
  process.exit(1);
}
recordStart();
process.on('exit', () => rmSync(lock, { force: true }));
serveLegacy({ 'server/discover': () => setTimeout(() => process.exit(1), 300) });
