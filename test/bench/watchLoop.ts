// Loaded into a shell's process by `--import`. From the message on that the shell listens it watches the event loop, and when the process ends it
// leaves in the file MAITRE_BENCH_LOOP how long the loop stood at most. Loading the program before that is no work of a running host.
import { writeFileSync } from 'node:fs';
import { startLoopWatch } from './loopWatch.ts';

const file = process.env['MAITRE_BENCH_LOOP'];
if (file === undefined) throw new Error('MAITRE_BENCH_LOOP names no file.');
process.once('message', () => {
  const watch = startLoopWatch();
  process.on('exit', () => writeFileSync(file, String(watch.end())));
});
process.channel?.unref();
