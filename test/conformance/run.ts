/**
 * `npm run conformance [-- words]`: the official client scenarios against this project's own host. One line a scenario, then the sum.
 * Words choose scenarios by part of their names. What may fail, and why, stands in `baseline.json`; what stands there and passes is a
 * failure too, so that the list cannot grow old.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

interface Job {
  scenario: string;
  /** Absent for extensions, which belong to no revision. */
  revision?: string;
  scored: boolean;
}

const suite = new URL('../../node_modules/@modelcontextprotocol/conformance/', import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
const scenarioMs = 60_000;
/** Each is a whole host and a whole suite: more of them at a time only wait for one another, and for the tests beside which they run. */
const atATime = 2;

const Requirements = z.looseObject({
  client: z.array(z.string()),
  not_scored: z.array(z.looseObject({ scenario: z.string(), leg: z.string(), reason: z.string() })),
});
const Baseline = z.array(z.strictObject({ scenario: z.string(), reason: z.string() }));

/** The suite has no list of these: what was in force when the revision was written. */
const olderRevisions: Readonly<Record<string, readonly string[]>> = {
  '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  '2025-06-18': ['initialize', 'tools_call', ...['basic', 'post', 'none'].map((method) => `auth/token-endpoint-auth-${method}`)],
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function jobsOf(words: readonly string[]): Job[] {
  const jobs: Job[] = Object.entries(olderRevisions).flatMap(([revision, scenarios]) =>
    scenarios.map((scenario) => ({ scenario, revision, scored: true })),
  );
  const extensions = new Set<string>();
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const required = Requirements.parse(parse(readFileSync(new URL(`requirements/${revision}.yaml`, suite), 'utf8')));
    jobs.push(...required.client.map((scenario) => ({ scenario, revision, scored: true })));
    for (const { scenario, leg, reason } of required.not_scored) {
      if (leg !== 'client') continue;
      if (reason === 'extension') extensions.add(scenario);
      else jobs.push({ scenario, revision, scored: false });
    }
  }
  for (const what of ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter']) extensions.add(`sep-2640-client-${what}`);
  jobs.push(...[...extensions].map((scenario) => ({ scenario, scored: false })));
  return jobs.filter(({ scenario }) => words.length === 0 || words.some((word) => scenario.includes(word)));
}

/** `checks` counts what the suite looked at: an extension that nobody uses gives it nothing to look at. */
function run({ scenario, revision }: Job): Promise<{ passes: boolean; checks: number; output: string }> {
  const path = [dirname(process.execPath), process.env['PATH']].filter(Boolean).join(delimiter);
  const args = [
    fileURLToPath(new URL('dist/index.js', suite)),
    ...['client', '--scenario', scenario, '--timeout', String(scenarioMs)],
    // The suite takes the command apart at blanks, so that it can hold no path of this computer.
    ...['--command', 'node test/conformance/adapter.ts'],
    ...(revision === undefined ? [] : ['--spec-version', revision]),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ passes: code === 0, checks: Number(/Passed: \d+\/(\d+)/.exec(output)?.[1] ?? 0), output: output.trim() }),
    );
  });
}

const baseline = new Map(
  Baseline.parse(JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8'))).map(({ scenario, reason }) => [
    scenario,
    reason,
  ]),
);
const jobs = jobsOf(process.argv.slice(2));
let passed = 0;
let failed = 0;

const judge = async (job: Job): Promise<void> => {
  const { passes, checks, output } = await run(job);
  const reason = baseline.get(job.scenario);
  const name = `${(job.revision ?? 'extension').padEnd(10)} ${job.scenario}${job.scored ? '' : ' (not scored)'}`;
  if (passes && checks === 0 && !job.scored) {
    say(`– ${name} was not used, so nothing was checked`);
  } else if (passes && checks > 0 && reason === undefined) {
    passed += 1;
    say(`✓ ${name} (${checks} checks)`);
  } else if (!passes && reason !== undefined) {
    passed += 1;
    say(`– ${name} fails as it may: ${reason}`);
  } else {
    failed += 1;
    say(`✗ ${name}\n${passes ? 'It passes, but is expected not to, or nothing was checked.' : output}`);
  }
};
const queue = [...jobs];
await Promise.all(
  Array.from({ length: atATime }, async () => {
    for (let job = queue.shift(); job; job = queue.shift()) await judge(job);
  }),
);

if (jobs.length === 0) say('No scenario is called that.');
say(`${passed} passed, ${failed} failed`);
if (failed > 0 || jobs.length === 0) process.exitCode = 1;
