import { existsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { startTimeOf } from '../../main/host/store/processes.ts';
import { tempFolder } from '../doubles/hostParts.ts';

describe('the ports of plain Node', () => {
  test('the data folder is the one asked for, else MAITRE_DATA_DIR, else the place the system has for it; absolute, and not made yet', () => {
    const dir = path.join(tempFolder(), 'data');
    expect(nodePorts({ dataDir: dir, env: { MAITRE_DATA_DIR: '/elsewhere' } }).paths.dataDir).toBe(dir);
    expect(nodePorts({ env: { MAITRE_DATA_DIR: dir } }).paths.dataDir).toBe(dir);
    expect(nodePorts({ env: { MAITRE_DATA_DIR: 'relative' } }).paths.dataDir).toBe(path.resolve('relative'));
    for (const env of [{}, { MAITRE_DATA_DIR: '' }]) {
      const { dataDir } = nodePorts({ env }).paths;
      expect(path.isAbsolute(dataDir)).toBe(true);
      expect(dataDir.startsWith(process.env['XDG_DATA_HOME'] ?? os.homedir())).toBe(true);
      expect(dataDir).toContain('Maitre');
    }
    expect(existsSync(dir)).toBe(false);
  });

  test('ids never repeat and sort in the order they were made', () => {
    const { ids } = nodePorts({ env: {} });
    const made = Array.from({ length: 20_000 }, ids);
    expect(new Set(made).size).toBe(made.length);
    expect(made.toSorted()).toEqual(made);
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('a timer runs once at its time, a cancelled one never', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock } = nodePorts({ env: {} });
    const ran: string[] = [];
    clock.after(10, () => ran.push('cancelled'))();
    clock.after(10, () => ran.push('in time'));
    vi.advanceTimersByTime(9);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(ran).toEqual(['in time']);
  });

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@example.com/',
    'https://:secret@example.com/',
    'smb://server/share',
    '--version',
    '',
  ])('the address %j is not opened', async (address) => {
    await expect(nodePorts({ env: {} }).openUrl(address)).rejects.toMatchObject({ failure: { code: 'invalidInput' } });
  });

  test.runIf(process.platform !== 'win32')(
    'a Node script gets the environment it was given, answers, and is killed with its children',
    async () => {
      const dir = tempFolder();
      const script = path.join(dir, 'script.mjs');
      writeFileSync(
        script,
        `import { spawn } from 'node:child_process';
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
       console.log(JSON.stringify({ child: child.pid, args: process.argv.slice(2), env: Object.keys(process.env), cwd: process.cwd() }));
       process.stdin.resume().on('end', () => console.log('stdin ended, but I stay'));
       setInterval(() => {}, 1000);`,
      );
      const program = nodePorts({ env: {} }).runNodeScript(script, ['a b', '$HOME'], { env: { ONLY: 'this' }, cwd: dir });
      const [first] = await program.stdout.take(1).toArray();
      const said = JSON.parse(String(first));
      expect(said).toMatchObject({ args: ['a b', '$HOME'], cwd: dir });
      expect(said.env).toContain('ONLY');
      expect(said.env).not.toContain('PATH');
      await program.kill();
      await program.exited;
      expect(await startTimeOf(said.child)).toBeUndefined();
      expect(await startTimeOf(program.pid ?? 0)).toBeUndefined();
    },
  );

  test('what a script writes to stderr is not mixed with its answers', async () => {
    const script = path.join(tempFolder(), 'script.mjs');
    writeFileSync(script, `console.error('a warning'); console.log('an answer');`);
    const program = nodePorts({ env: {} }).runNodeScript(script, [], { env: {} });
    const [out, err, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.exited]);
    expect([out, err, exit.code]).toEqual(['an answer\n', 'a warning\n', 0]);
  });
});
