// `npm test`: every check, then every test; the last line is the sum of both. Words after `npm test --` choose test files by part of their path.
import { fileURLToPath } from 'node:url';
import { startVitest, type Reporter } from 'vitest/node';
import { runChecks } from './checks.ts';
import { provideBrowser, provideKeychain } from './testPrograms.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Counts what ran. A file that cannot be loaded and an error outside every test count as failures, like in Vitest's own exit code. */
function countingReporter(counts: { passed: number; failed: number }): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      counts.failed += unhandledErrors.length;
      for (const module of modules) {
        const failedBefore = counts.failed;
        for (const test of module.children.allTests()) {
          const result = test.result();
          if (result.state === 'passed') counts.passed += 1;
          else if (result.state === 'failed') counts.failed += 1;
          else if (result.state === 'skipped') say(`Skipped: ${test.fullName}${result.note === undefined ? '' : ` (${result.note})`}`);
        }
        if (!module.ok() && counts.failed === failedBefore) counts.failed += 1;
      }
    },
  };
}

const wrong = provideBrowser(say);
if (wrong !== '') say(`✗ browser\n${wrong}`);
provideKeychain(say);

const checks = await runChecks(fileURLToPath(new URL('..', import.meta.url)), say);
const tests = { passed: 0, failed: wrong === '' ? 0 : 1 };
const vitest = await startVitest(process.argv.slice(2), {
  config: 'build/vitest.config.ts',
  run: true,
  watch: false,
  reporters: ['default', countingReporter(tests)],
});
await vitest.close();

const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
if (tests.passed + tests.failed === 0) say('No test ran.');
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || tests.passed === 0 ? 1 : 0;
