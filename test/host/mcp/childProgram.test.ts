import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SpawnFailure, spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import { env, eventually, folder, isAlive, linesOf, testServer } from './harness.ts';

const posix = process.platform !== 'win32';

test.runIf(posix)('no orphan stays behind a shell wrapper whose server ignores the end of stdin and SIGTERM', async () => {
  const file = join(folder(), 'pid');
  const child = spawnProgram('/bin/sh', ['-c', `"$0" "$1" "$2"; true`, process.execPath, testServer('stubborn'), file], { env });
  const pid = Number(await eventually(() => linesOf(file)[0]));
  expect(pid).not.toBe(child.pid);
  expect(isAlive(pid)).toBe(true);
  child.end();
  await child.kill();
  expect(isAlive(pid)).toBe(false);
  expect(child.pid !== undefined && isAlive(child.pid)).toBe(false);
});

test.runIf(posix)('a program that refuses the polite end is ended though the clock of the computer is set back', async () => {
  const file = join(folder(), 'pid');
  const child = spawnProgram(process.execPath, [testServer('stubborn'), file], { env });
  const pid = Number(await eventually(() => linesOf(file)[0]));
  const began = Date.now();
  let looks = 0;
  const time = vi.spyOn(Date, 'now').mockImplementation(() => began - 1000 * (looks += 1));
  onTestFinished(() => void time.mockRestore());
  await child.kill();
  expect(isAlive(pid)).toBe(false);
});

test.runIf(posix)('a grandchild that outlives its parent is ended with the group', async () => {
  const file = join(folder(), 'pid');
  const child = spawnProgram('/bin/sh', ['-c', `"$0" "$1" "$2" & exit 4`, process.execPath, testServer('stubborn'), file], { env });
  expect(await child.exited).toEqual({ code: 4, signal: null });
  const pid = Number(await eventually(() => linesOf(file)[0]));
  expect(isAlive(pid)).toBe(true);
  await child.kill();
  expect(isAlive(pid)).toBe(false);
});

test('a program that does not exist rejects as such, everywhere and without an unhandled rejection', async () => {
  const child = spawnProgram('no-such-program-anywhere', [], { env });
  await expect(child.exited).rejects.toMatchObject({
    name: 'SpawnFailure',
    code: 'ENOENT',
    command: 'no-such-program-anywhere',
    missingFolder: undefined,
  });
  await expect(child.write(Buffer.from('x'))).rejects.toBeInstanceOf(SpawnFailure);
  await child.kill();
});

test('arguments that no program can have are a failure of the start, not of the host', async () => {
  await expect(spawnProgram(process.execPath, ['a\0b'], { env }).exited).rejects.toBeInstanceOf(SpawnFailure);
});

test('the environment is exactly what was given, arguments reach the program unchanged', async () => {
  const script = 'console.log(JSON.stringify([Object.keys(process.env).sort(), process.argv.slice(1)]))';
  const args = ['a b', '"quoted"', '$HOME', '`id`', '张三', '*'];
  const child = spawnProgram(process.execPath, ['-e', script, ...args], { env: { ONLY: '1' } });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await child.exited;
  const [names, received]: [string[], string[]] = JSON.parse(await eventually(() => said.endsWith('\n') && said));
  expect(names).toEqual(['ONLY']);
  expect(received).toEqual(args);
});
