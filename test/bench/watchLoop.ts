// Loaded into a shell's process by `--import`: when that process ends it leaves in the file MAITRE_BENCH_LOOP how long its event loop stood at most.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { longestDelayMs } from './row.ts';

const file = process.env['MAITRE_BENCH_LOOP'];
if (file === undefined) throw new Error('MAITRE_BENCH_LOOP names no file.');
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('exit', () => writeFileSync(file, String(longestDelayMs(delay.max))));
