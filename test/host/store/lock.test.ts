import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '../../../main/host/refusal.ts';
import { takeLock } from '../../../main/host/store/lock.ts';
import { tempFolder } from '../../doubles/hostParts.ts';

const program = fileURLToPath(new URL('./programs/holdLock.ts', import.meta.url));
const us = { pid: process.pid, shell: 'test' };

test('a second host is told which process and shell hold the folder, and gets it once that one is killed', async () => {
  const dataDir = tempFolder();
  const owner = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  await once(owner.stdout, 'data');

  let refused: unknown;
  try {
    takeLock(dataDir, us);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(Refusal);
  expect((refused as Refusal).failure).toMatchObject({ code: 'dataFolderInUse', message: expect.stringContaining('already running') });
  expect((refused as Refusal).failure.detail).toContain(`process ${owner.pid}, shell cli`);

  owner.kill('SIGKILL');
  await once(owner, 'exit');
  takeLock(dataDir, us).release();
});

test('the lock holds within one process too, until it is released', () => {
  const dataDir = tempFolder();
  const lock = takeLock(dataDir, us);
  expect(() => takeLock(dataDir, us)).toThrow('already running');
  lock.release();
  const again = takeLock(dataDir, us);
  expect(() => takeLock(dataDir, us)).toThrow('already running');
  again.release();
});
