// `npm run screenshots [-- NAME]`: every state of the window in every theme and width, where `npm test` looks at one of each. The pictures
// lie in `dist/screenshots` then. NAME: of the fixtures only those whose name begins so.
import { startVitest } from 'vitest/node';
import { provideBrowser } from '../../build/testPrograms.ts';

const wrong = provideBrowser((line) => void process.stdout.write(`${line}\n`));
if (wrong !== '') throw new Error(wrong);
const [name] = process.argv.slice(2);
process.env['MAITRE_SCREENSHOTS'] = 'all';
if (name !== undefined) process.env['MAITRE_FIXTURE'] = name;
const files = name === undefined ? ['fixtures', 'settingsStates', 'audit', 'inspector', 'icons'] : ['fixtures'];
const vitest = await startVitest(
  files.map((file) => `test/ui/${file}.test.ts`),
  { config: 'build/vitest.config.ts', run: true, watch: false },
);
await vitest.close();
