import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { forgetProcess, recordProcess, startTimeOf, sweepOrphans } from '../../../main/host/store/processes.ts';
import { rememberingLog, tempDatabase } from '../../doubles/hostParts.ts';

const server = 'server-a' as ServerId;

/** A child that leads its own group and has a child of its own, which says its pid. Both ignore the end of their stdin. */
async function startTree(): Promise<{ child: ChildProcess; pid: number; grandchild: number }> {
  const child = spawn('sh', ['-c', 'sleep 300 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('sh did not start.');
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
  });
  const [line] = await once(child.stdout, 'data');
  return { child, pid, grandchild: Number(String(line).trim()) };
}

const goneSoon = (pid: number) => expect.poll(() => startTimeOf(pid)).toBeUndefined();

describe.runIf(process.platform !== 'win32')('child processes that a crash left behind', () => {
  test('are ended with their children at the next start, and are forgotten', async () => {
    const { db } = tempDatabase();
    const { child, pid, grandchild } = await startTree();
    await recordProcess(db, pid, server);
    const exit = once(child, 'exit');
    expect(await sweepOrphans(db, rememberingLog())).toEqual([pid]);
    await exit;
    await goneSoon(grandchild);
    expect(await sweepOrphans(db, rememberingLog())).toEqual([]);
  });

  test('a program that has got the same pid since is left alone', async () => {
    const { db } = tempDatabase();
    const { child, pid } = await startTree();
    db.prepare('INSERT INTO processes (pid, started_at, server_id) VALUES (?, ?, ?)').run(pid, 'another boot/1', server);
    expect(await sweepOrphans(db, rememberingLog())).toEqual([]);
    expect(child.exitCode).toBeNull();
    expect(child.signalCode).toBeNull();
    expect(await startTimeOf(pid)).toBeDefined();
    expect(db.prepare('SELECT count(*) FROM processes').pluck().get()).toBe(0);
  });

  test('one that ended in order is forgotten', async () => {
    const { db } = tempDatabase();
    const { pid } = await startTree();
    await recordProcess(db, pid, server);
    forgetProcess(db, pid);
    expect(await sweepOrphans(db, rememberingLog())).toEqual([]);
    expect(await startTimeOf(pid)).toBeDefined();
  });

  test('the start time of a process stays the same, and one that does not exist has none', async () => {
    expect(await startTimeOf(process.pid)).toBe(await startTimeOf(process.pid));
    expect(await startTimeOf(2 ** 22 + 1)).toBeUndefined();
  });
});
