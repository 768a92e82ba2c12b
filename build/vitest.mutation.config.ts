import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of `stryker.config.mjs`: they run hundreds of times, so that none of them may start a program. */
const tests = [
  'uriTemplate',
  'callClock',
  'httpParts',
  'passingBody',
  'readCache',
  'listChanges',
  'listEntries',
  'paramHeaders',
  'declaredFeatures',
  'callResult',
  'requiredPages',
  'setEra',
];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { include: tests.map((name) => `test/host/mcp/${name}.test.ts`) },
});
