import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { Db } from './database.ts';

const run = promisify(execFile);

/** Remembers a child process of its own group, so that the next start can end it should this one crash. */
export async function recordProcess(db: Db, pid: number, serverId: ServerId): Promise<void> {
  const startedAt = await startTimeOf(pid);
  if (startedAt === undefined) return;
  db.prepare('INSERT OR REPLACE INTO processes (pid, started_at, server_id) VALUES (?, ?, ?)').run(pid, startedAt, serverId);
}

/** Call when the child and everything under it has ended. */
export function forgetProcess(db: Db, pid: number): void {
  db.prepare('DELETE FROM processes WHERE pid = ?').run(pid);
}

/**
 * Ends what an earlier run left behind, and forgets it. A pid that another program has got since is left alone: only a process
 * that began at the recorded moment is ended, with its group (POSIX) or its tree (Windows). Returns the pids that were ended.
 */
export async function sweepOrphans(db: Db, log: Log): Promise<number[]> {
  const rows = db
    .prepare<[], { pid: number; started_at: string; server_id: string }>('SELECT pid, started_at, server_id FROM processes')
    .all();
  const ended: number[] = [];
  for (const { pid, started_at, server_id } of rows) {
    if ((await startTimeOf(pid)) === started_at) {
      try {
        await endTree(pid);
        ended.push(pid);
        log.info('A server that an earlier run left behind was ended.', { pid, serverId: server_id });
      } catch (error) {
        log.warn('A server that an earlier run left behind could not be ended.', { pid, serverId: server_id, error: messageOf(error) });
      }
    }
    db.prepare('DELETE FROM processes WHERE pid = ? AND started_at = ?').run(pid, started_at);
  }
  return ended;
}

async function endTree(pid: number): Promise<void> {
  if (process.platform === 'win32') await run('taskkill', ['/PID', String(pid), '/T', '/F']);
  else process.kill(-pid, 'SIGKILL');
}

/**
 * When a process began, in a form that only equality means something for; undefined when there is none. Two processes
 * that share a pid differ in it, those before and after a restart of the computer included.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') {
      const [stat, boot] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/sys/kernel/random/boot_id', 'utf8')]);
      // The second field is the program's name in brackets and may itself hold blanks and brackets; the start time is field 22.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // A zombie has ended: nothing of it can be killed.
      return fields[0] === 'Z' ? undefined : `${boot.trim()}/${fields[19]}`;
    }
    if (process.platform === 'win32') {
      const { stdout } = await run('powershell.exe', [
        '-NoProfile',
        '-NonInteractive',
        '-Command',
        `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`,
      ]);
      return stdout.trim() || undefined;
    }
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } });
    return stdout.trim() || undefined;
  } catch (error) {
    // No such file (Linux), or an exit code of ps or PowerShell: the process does not exist.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH' || typeof error.code === 'number'))
      return undefined;
    throw error;
  }
}
