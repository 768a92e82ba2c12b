// `npm test`: every check, every test and the official conformance suite, beside one another; the last line is the sum of all. Words after `npm test --` choose test files by part of their path.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startVitest, type Reporter } from 'vitest/node';
import { runChecks } from './checks.ts';
import { provideBrowser, provideKeychain, providePostgres, provideSandbox } from './testPrograms.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

interface Sum {
  passed: number;
  failed: number;
}

/** Counts what ran. A file that cannot be loaded and an error outside every test count as failures, like in Vitest's own exit code. */
function countingReporter(counts: Sum): Reporter {
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

/** Runs the official scenarios as `npm run conformance` does, takes its sum over, and tells what it has said. */
function runConformance(): Promise<Sum & { output: string }> {
  const script = fileURLToPath(new URL('../test/conformance/run.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', () => {
      const sum = /(\d+) passed, (\d+) failed\s*$/.exec(output);
      resolve({ output, ...(sum ? { passed: Number(sum[1]), failed: Number(sum[2]) } : { passed: 0, failed: 1 }) });
    });
  });
}

const words = process.argv.slice(2);
const wrong = provideBrowser(say);
if (wrong !== '') say(`✗ browser\n${wrong}`);
provideKeychain(say);
providePostgres(say);
provideSandbox(say);

// What is said beside the tests would stand between their lines: it is said behind them.
const lines: string[] = [];
const checking = runChecks(fileURLToPath(new URL('..', import.meta.url)), (line) => void lines.push(line));
const none = { passed: 0, failed: 0, output: '' };
const conforming = words.length === 0 || words.some((word) => 'test/conformance'.includes(word)) ? runConformance() : none;
const tests = { passed: 0, failed: wrong === '' ? 0 : 1 };
const vitest = await startVitest(words, {
  config: 'build/vitest.config.ts',
  run: true,
  watch: false,
  reporters: ['default', countingReporter(tests)],
});
await vitest.close();
const [checks, conformance] = await Promise.all([checking, conforming]);
for (const line of lines) say(line);
say(conformance.output);

const passed = checks.passed + tests.passed + conformance.passed;
const failed = checks.failed + tests.failed + conformance.failed;
const ran = tests.passed + tests.failed + conformance.passed + conformance.failed;
if (ran === 0) say('No test ran.');
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || tests.passed + conformance.passed === 0 ? 1 : 0;
