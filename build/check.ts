// `npm run check`
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { passed, failed } = await runChecks(fileURLToPath(new URL('..', import.meta.url)), say);
say(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
