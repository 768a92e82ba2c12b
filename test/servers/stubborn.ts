/** Works, but ignores the end of stdin and SIGTERM. Writes its process id to the file named first on the command line. */
import { writeFileSync } from 'node:fs';
import { serveLegacy } from './rawStdio.ts';

process.on('SIGTERM', () => process.stderr.write('no\n'));
setInterval(() => undefined, 1000);
if (process.argv[2] !== undefined) writeFileSync(process.argv[2], String(process.pid));
serveLegacy({});
