/** Decisions of the MCP client that need neither a program nor a server to be tested: see `vitest.mutation.config.ts`. */
const pureParts = [
  'callClock',
  'callResult',
  'declaredFeatures',
  'listChanges',
  'lists',
  'paramHeaders',
  'passingBody',
  'readCache',
  'retryAfter',
  'era',
  'splitBatches',
  'uriTemplate',
  'urlElicitation',
];

/** What decides, and what its decisions are bound to: here every fault must be noticed. */
const decisions = ['decide', 'bindings', 'denials', 'patterns'];

export default {
  mutate: [...pureParts.map((name) => `main/host/mcp/${name}.ts`), ...decisions.map((name) => `main/host/policy/${name}.ts`)],
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'build/vitest.mutation.config.ts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  thresholds: { high: 90, low: 80, break: 80 },
  reporters: ['clear-text'],
  clearTextReporter: { reportTests: false, logTests: false },
  // Node strips the types by itself; and TypeScript 7 lacks what would rewrite the project files for the copy.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', 'release', 'docs/images', 'renderer'],
  tempDirName: 'node_modules/.cache/stryker',
};
