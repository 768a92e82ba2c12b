/** Ends at once with code 7, after saying why. */
import { recordStart } from './startRecord.ts';

recordStart();
process.stderr.write('Error: DATABASE_URL is not set\n');
process.exitCode = 7;
