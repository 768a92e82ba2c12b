import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes. Begun last, one of them would run alone for as long at the end. */
const longest = ['test/ui/fixtures.test.ts', 'test/attacks/window.test.ts'];
/** Somewhat more than there are processors: for a good part of their time tests wait for programs, pages and the network. */
const workers = Math.min(Math.ceil(1.5 * availableParallelism()), 8);

// Also where Vitest was not started by npm: each thread of a host would else strip and compile its files anew.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (longest.some((name) => moduleId.endsWith(name)) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    pool: 'forks',
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine makes nothing wrong.
    expect: { poll: { timeout: 30_000 } },
  },
});
