import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { SandboxObstacle } from '../../../preload/contract/servers.ts';
import { spawnProgram } from '../mcp/childProgram.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { outsideArchive } from './bundledServers.ts';
import { type BubblewrapPrograms, bubblewrapStart } from './sandboxBubblewrap.ts';
import type { seatbeltStart } from './sandboxSeatbelt.ts';

/** How long a system may take to show that it can build walls, in milliseconds. */
const probeMs = 5000;
/** Programs that build walls are looked for where only root writes, then where the user keeps programs. */
const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/wrappers/bin', '/run/current-system/sw/bin'];

/** What builds the walls here. */
export type Walls = { kind: 'bubblewrap'; programs: BubblewrapPrograms } | { kind: 'seatbelt'; start: typeof seatbeltStart };

interface Here {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
}

export const isRoot = (): boolean => process.geteuid?.() === 0;

/** Looks for it and tries it once. Never rejects because of what the system lacks. */
export async function findWalls(here: Here): Promise<Walls | SandboxObstacle> {
  if (here.platform === 'linux') return findBubblewrap(here);
  return here.platform === 'darwin' ? findSeatbelt() : 'system';
}

async function findSeatbelt(): Promise<Walls> {
  return { kind: 'seatbelt', start: (await import('./sandboxSeatbelt.ts')).seatbeltStart };
}

async function findBubblewrap(deps: Here): Promise<Walls | SandboxObstacle> {
  const folders = [...systemFolders, ...(deps.env['PATH'] ?? '').split(delimiter)];
  const find = (name: string): string | undefined =>
    folders
      .filter((folder) => folder.startsWith('/'))
      .map((folder) => join(folder, name))
      .find(isExecutable);
  const filter = filterProgram();
  if (filter === undefined) return 'system';
  const bwrap = find('bwrap');
  if (bwrap === undefined) return 'bubblewrap';
  const programs = { bwrap, filter, socat: find('socat') };
  const problem = await probe(programs, deps);
  if (problem === undefined) return { kind: 'bubblewrap', programs };
  deps.log.warn('Servers cannot be protected here.', { reason: problem.slice(0, 500) });
  return /unknown option/i.test(problem) ? 'bubblewrap' : 'refused';
}

/** Runs nothing inside of walls, as a server would be run. Returns why that failed. */
async function probe(programs: BubblewrapPrograms, { clock }: { clock: Clock }): Promise<string | undefined> {
  const temp = mkdtempSync(join(tmpdir(), 'maitre-probe-'));
  const { command, args, feeds } = bubblewrapStart(
    { command: '/bin/sh', args: ['-c', 'exit 42'], cwd: '/', env: {}, rules: [], temp, isRoot: isRoot() },
    programs,
  );
  const child = spawnProgram(command, args, { env: { PATH: '/usr/bin:/bin' }, cwd: '/', feeds });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text.slice(0, 4000)));
  child.stdout.resume();
  let cancel: () => void = () => undefined;
  const overrun = new Promise<string>((resolve) => (cancel = clock.after(probeMs, () => resolve(`No answer within ${probeMs} ms.`))));
  const ended = child.exited.then(
    ({ code }) => (code === 42 ? undefined : said || `exit code ${code}`),
    (error: unknown) => messageOf(error),
  );
  const problem = await Promise.race([ended, overrun]);
  cancel();
  await child.kill();
  rmSync(temp, { recursive: true, force: true });
  return problem;
}

/** The filter for this processor, outside of the archive of a packaged application: a program cannot be started in there. */
function filterProgram(): string | undefined {
  if (process.arch !== 'x64' && process.arch !== 'arm64') return undefined;
  const manifest = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime/package.json');
  const path = outsideArchive(join(dirname(manifest), 'vendor', 'seccomp', process.arch, 'apply-seccomp'));
  return isExecutable(path) ? path : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
