import { appendFileSync } from 'node:fs';

/** Writes `start PID` now and `end PID` at the end to the file named first on the command line, so that starts can be counted. */
export function recordStart(): void {
  const file = process.argv[2];
  if (file === undefined) return;
  appendFileSync(file, `start ${process.pid}\n`);
  process.on('exit', () => appendFileSync(file, `end ${process.pid}\n`));
}
