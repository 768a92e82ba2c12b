// `npm run check`
import { runChecks } from './checks.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { passed, failed } = await runChecks(say);
say(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
