// `npm run soak [-- --minutes N] [--seed S]`: for N minutes (10) what `npm test` does for seconds: kills at random moments, odd input over the
// bridge, odd servers, servers that differ only in their words. Ends at the first broken promise with the seed that shows it again.
import { parseArgs } from 'node:util';
import { fuzzBridge } from './bridge.ts';
import { killOnce } from './kills.ts';
import { fuzzServer } from './oddServer.ts';
import { comparePairs } from './pairs.ts';
import { createRandom } from './random.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!(minutes > 0) || !Number.isSafeInteger(first)) throw new Error('Usage: npm run soak [-- --minutes N] [--seed S]');

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const runs = {
  kills: (seed: number) => killOnce(createRandom(seed)),
  bridge: (seed: number) => fuzzBridge(seed, 200),
  servers: (seed: number) => fuzzServer(seed, 200),
  pairs: (seed: number) => comparePairs(seed, 100),
};

const until = Date.now() + minutes * 60_000;
const counts = new Map<string, number>();
for (let seed = first; Date.now() < until && process.exitCode === undefined; seed += 1) {
  for (const [name, run] of Object.entries(runs)) {
    try {
      await run(seed);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } catch (error) {
      say(`✗ ${name} with seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      process.exitCode = 1;
    }
  }
}
say(
  `${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}, seeds from ${first}${process.exitCode === undefined ? ', nothing broke' : ''}`,
);
process.exit();
