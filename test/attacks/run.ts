// `npm run attacks [-- words] [--json FILE]`: the attacks, three runs each, and one table of what came of them. Words choose files by part of their name.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import type { AttackRow } from './attack.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const word = (value: boolean | null, good: boolean): string =>
  value === null ? '-' : `${value === good ? '' : '!'}${value ? 'yes' : 'no'}`;

const { values: flags, positionals: words } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true });
const folder = mkdtempSync(path.join(os.tmpdir(), 'attacks-'));
const file = path.join(folder, 'rows');
writeFileSync(file, '');
process.env['MAITRE_ATTACKS'] = file;

const places = words.length === 0 ? ['test/attacks/'] : words.map((each) => `test/attacks/${each}`);
const vitest = await startVitest(places, { config: 'build/vitest.config.ts', run: true, watch: false });
await vitest.close();
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as AttackRow)
  .sort((a, b) => a.attack.localeCompare(b.attack));
rmSync(folder, { recursive: true });

say(`\n${'attack'.padEnd(88)} ${'guard'.padEnd(34)} left_on left_off twin`);
for (const { attack, guard, left_on, left_off, twin } of rows)
  say(
    `${attack.slice(0, 88).padEnd(88)} ${guard.slice(0, 34).padEnd(34)} ${word(left_on, false).padEnd(7)} ${word(left_off, true).padEnd(8)} ${word(twin, true)}`,
  );
const held = rows.filter(({ left_on, left_off, twin }) => left_on === false && left_off === true && twin === true);
say(`\n${held.length} of ${rows.length} attacks were stopped by the guard that is named, and only what is hostile was stopped.`);

if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(rows, null, 2)}\n`);
process.exitCode = held.length === rows.length && rows.length > 0 && process.exitCode !== 1 ? 0 : 1;
