// `npm run bench [-- words] [--json FILE]`: what must hold in figures, one row each. Words choose rows by part of their file's name.
import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Line, Row } from './row.ts';

const loopBoundMs = 100;

/** Whoever reads the table has gone, as `| head` does: no row begins any more, and the one that runs clears up behind itself. */
let nobodyReads = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  nobodyReads = true;
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const { values: flags, positionals: words } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true });
const rowFiles = readdirSync(new URL('rows/', import.meta.url))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (rowFiles.length === 0) throw new Error(`No row is called ${words.join(' or ')}.`);

const table: (Line & { holds: boolean })[] = [];
const print = (measured: Line, detail: string): void => {
  const line = { ...measured, holds: measured.value <= measured.bound };
  table.push(line);
  const figure = `${line.value.toFixed(2)} ${line.unit}`.padStart(12);
  say(`${line.holds ? '✓' : '✗'} ${line.name.padEnd(66)} ${figure}   <= ${line.bound} ${line.unit}   ${detail}`);
};

// A host whose servers are all gone waits by timers that keep no process alive; in a shell its window or its address does.
const alive = setInterval(() => undefined, 60_000);
let slowest = { loopDelayMs: 0, name: '' };
for (const file of rowFiles) {
  if (nobodyReads) break;
  const { row }: { row: Row } = await import(`./rows/${file}`);
  const { value, loopDelayMs, detail, more = [] } = await row.run();
  if (loopDelayMs > slowest.loopDelayMs) slowest = { loopDelayMs, name: row.name };
  print({ name: row.name, value, unit: row.unit, bound: row.bound }, detail);
  for (const line of more) print(line, '');
}
clearInterval(alive);
const { loopDelayMs, name } = slowest;
print(
  {
    name: "Host's event loop during the other rows",
    value: loopDelayMs,
    unit: 'ms',
    bound: loopBoundMs,
  },
  `most in “${name}”; time without a processor does not count`,
);

if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(table, null, 2)}\n`);
if (table.some(({ holds }) => !holds)) process.exitCode = 1;
