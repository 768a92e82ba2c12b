import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of `stryker.config.mjs`: they run hundreds of times, so that none of them may start a program. */
const tests = [
  'mcp/uriTemplate',
  'mcp/callClock',
  'mcp/httpParts',
  'mcp/passingBody',
  'mcp/readCache',
  'mcp/listChanges',
  'mcp/listEntries',
  'mcp/paramHeaders',
  'mcp/declaredFeatures',
  'mcp/callResult',
  'mcp/requiredPages',
  'mcp/era',
  'policy/bindings',
  'policy/decide',
  'policy/patterns',
];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { include: tests.map((name) => `test/host/${name}.test.ts`) },
});
