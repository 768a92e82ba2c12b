import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { freePort } from '../host/mcp/harness.ts';

const run = promisify(execFile);

export interface Postgres {
  host: '127.0.0.1';
  port: number;
  user: string;
  password: string;
}

/** PostgreSQL refuses to run as root: there it runs as the user that its package made. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts a real PostgreSQL with the programs in `bin`, over a folder of its own that goes with the test, and runs `sql` in it. */
export async function startPostgres(bin: string, sql: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'maitre-postgres-'));
  const as = owner();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const answer: Postgres = { host: '127.0.0.1', port: await freePort(), user: 'ada', password: 'kettle-4711-secret' };
  writeFileSync(passwordFile, answer.password);
  if (as.uid !== undefined && as.gid !== undefined) for (const path of [folder, passwordFile]) chownSync(path, as.uid, as.gid);
  const options = { ...as, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };
  const initial = ['-D', data, '-U', answer.user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-sync'];
  await run(join(bin, 'initdb'), initial, options);

  const single = spawn(join(bin, 'postgres'), ['--single', '-j', '-F', '-D', data, 'postgres'], options);
  let said = '';
  single.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  single.stdout.resume();
  const seeded = new Promise((resolve) => single.once('close', resolve));
  // Statements end with `;` and an empty line in this mode.
  single.stdin.end(`${sql.trim().replace(/;$/, '')};\n\n`);
  if ((await seeded) !== 0 || said.includes('ERROR')) throw new Error(said);

  const settings = { listen_addresses: answer.host, port: answer.port, unix_socket_directories: '', fsync: 'off' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const running = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  // What is registered last runs first: the folder goes when nobody writes into it any more.
  onTestFinished(async () => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGINT');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('ready to accept connections')) resolve();
    });
    running.once('error', reject);
    running.once('exit', () => reject(new Error(log)));
  });
  return answer;
}
