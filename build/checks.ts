import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importViolations } from './checkImports.ts';

export interface Check {
  name: string;
  /** What is wrong, for people; an empty text when nothing is. */
  run(): Promise<string>;
}

/** What `npm run check` runs on the project at `root`. */
export function checksOf(root: string): Check[] {
  const tool = (packageName: string, bin: string, args: readonly string[]) => () => runTool(root, packageName, bin, args);
  return [
    { name: 'types', run: tool('typescript', 'tsc', ['-b', '--pretty', 'false']) },
    { name: 'imports', run: () => Promise.resolve(importViolations(root).join('\n')) },
    // One configuration holds for all: a copy of the project below node_modules, as a mutation run makes it, is not looked at by its own.
    { name: 'lint', run: tool('oxlint', 'oxlint', ['--disable-nested-config', '--format', 'unix']) },
    { name: 'unused code', run: tool('knip', 'knip', ['--no-progress']) },
    { name: 'format', run: tool('prettier', 'prettier', ['--check', '--log-level', 'warn', ...formatCache, '.']) },
  ];
}

/** A file whose content was found well laid out is not read again. The key is the content, with the version and the options of the tool. */
const formatCache = ['--cache', '--cache-strategy', 'content', '--cache-location', join('dist', 'stamps', 'format')];

/** Runs all beside one another, however many fail; says one line each as it ends, and the whole output of those that fail. */
export async function runChecks(root: string, say: (line: string) => void): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 };
  await Promise.all(
    checksOf(root).map(async ({ name, run }) => {
      const wrong = await run();
      if (wrong === '') counts.passed += 1;
      else counts.failed += 1;
      say(wrong === '' ? `✓ ${name}` : `✗ ${name}\n${wrong}`);
    }),
  );
  return counts;
}

/** Runs the program that a package has under `bin`. Resolves to its output when it ends with another code than 0. */
function runTool(root: string, packageName: string, bin: string, args: readonly string[]): Promise<string> {
  const folder = join(root, 'node_modules', packageName);
  const { bin: bins }: { bin: string | Record<string, string> } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const program = typeof bins === 'string' ? bins : bins[bin];
  if (program === undefined) throw new Error(`The package ${packageName} has no program ${bin}.`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(folder, program), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? '' : output.trim() || `${bin} ended with code ${code}.`));
  });
}
