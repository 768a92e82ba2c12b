import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchApp } from '../doubles/electron/launch.ts';
import type { RunningApp } from '../doubles/electron/launch.ts';

let app: RunningApp;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'utility-'));
  app = await launchApp({ main: fileURLToPath(new URL('./utilityApp.ts', import.meta.url)) });
  await app.evaluate(`({ app }) => app.whenReady().then(() => undefined)`);
});
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true, force: true });
});

async function script(name: string, code: string): Promise<string> {
  const file = path.join(dir, name);
  await writeFile(file, code);
  return file;
}
const start = (file: string, args: string[] = []): Promise<number> =>
  app.evaluate(`(_electron, { file, args }) => offers.start(file, args)`, { file, args });
const converse = (index: number, lines: string[], until: string): Promise<string[]> =>
  app.evaluate(`(_electron, { index, lines, until }) => offers.converse(index, lines, until)`, { index, lines, until });
const kill = (index: number): Promise<void> => app.evaluate(`(_electron, index) => offers.program(index).kill()`, index);
const end = (index: number): Promise<void> => app.evaluate(`(_electron, index) => { offers.program(index).end(); }`, index);
const exit = (index: number): Promise<{ code: number }> => app.evaluate(`(_electron, index) => offers.program(index).exited`, index);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

describe('A Node script in a utility process', () => {
  test('that is a real MCP server answers over a stdin that a utility process does not have', async () => {
    const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
    const index = await start(everything, ['stdio']);
    const rpc = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const answers = await converse(
      index,
      [
        rpc(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }),
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        rpc(2, 'tools/call', { name: 'echo', arguments: { message: 'through the shim' } }),
      ],
      '"id":2',
    );
    expect(answers.join('\n')).toContain('through the shim');
    await kill(index);
    expect(await exit(index)).toHaveProperty('code');
  });

  test('gets its arguments and exactly the environment it was given', async () => {
    const file = await script(
      'facts.mjs',
      `console.log(JSON.stringify({ args: process.argv.slice(1), given: process.env.GIVEN, home: process.env.HOME ?? null, data: process.env.MAITRE_DATA_DIR ?? null }));
       process.stdin.resume();`,
    );
    const index = await start(file, ['a b', '--c']);
    const [line = ''] = await converse(index, [], '');
    expect(JSON.parse(line)).toEqual({ args: [file, 'a b', '--c'], given: 'yes', home: null, data: null });
    await kill(index);
  });

  test('gets every byte of a long input in order, and the end of it', async () => {
    const file = await script(
      'count.cjs',
      `const hash = require('crypto').createHash('sha256'); let bytes = 0;
       process.stdin.on('data', (chunk) => { hash.update(chunk); bytes += chunk.length; });
       process.stdin.on('end', () => console.log(bytes + ' ' + hash.digest('hex')));`,
    );
    const index = await start(file);
    const [got, wanted] = await app.evaluate<[string, string]>(
      `async (_electron, index) => {
        const program = offers.program(index);
        const { createHash, randomBytes } = process.getBuiltinModule('node:crypto');
        const hash = createHash('sha256');
        let bytes = 0;
        let text = '';
        program.stdout.on('data', (chunk) => { text += chunk; });
        for (let turn = 0; turn < 40; turn += 1) {
          const chunk = randomBytes(100_000 + turn);
          hash.update(chunk);
          bytes += chunk.length;
          await program.write(chunk);
        }
        program.end();
        await program.exited;
        return [text.trim(), bytes + ' ' + hash.digest('hex')];
      }`,
      index,
    );
    expect(got).toBe(wanted);
  });

  test('that has nothing left to do ends with its code, and takes no more input', async () => {
    const index = await start(
      await script('end.mjs', `process.stdin.on('data', () => {}); process.stdin.on('end', () => { process.exitCode = 7; });`),
    );
    await end(index);
    expect(await exit(index)).toEqual({ code: 7, signal: null });
    await expect(app.evaluate(`(_electron, index) => offers.program(index).write(Buffer.from('x'))`, index)).rejects.toThrow(/has ended/);
  });

  test('that fails while it loads says why on stderr', async () => {
    const index = await start(await script('broken.mjs', `throw new Error('no such luck');`));
    const stderr = await app.evaluate<string>(
      `async (_electron, index) => {
        const program = offers.program(index);
        let text = '';
        program.stderr.on('data', (chunk) => { text += chunk; });
        await program.exited;
        await new Promise((resolve) => (program.stderr.readableEnded ? resolve() : program.stderr.once('end', resolve)));
        return text;
      }`,
      index,
    );
    expect(stderr).toContain('no such luck');
  });

  test('is ended with everything it has started, even when it does not want to', async () => {
    const index = await start(
      await script(
        'stubborn.mjs',
        `import { spawn } from 'node:child_process';
         process.on('SIGTERM', () => {});
         const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
         console.log(child.pid);
         process.stdin.resume();`,
      ),
    );
    const [grandchild = ''] = await converse(index, [], '');
    const pid = await app.evaluate<number>(`(_electron, index) => offers.program(index).pid`, index);
    expect(isAlive(pid)).toBe(true);
    expect(isAlive(Number(grandchild))).toBe(true);
    await kill(index);
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => isZombieOrGone(Number(grandchild))).toBe(true);
  });
});

/** A killed orphan is a zombie until somebody collects it, which in a container may be nobody. */
async function isZombieOrGone(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return true;
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

describe('The double, as a packaged build', () => {
  test('does not run its own program as Node', async () => {
    const ran = await app.evaluate<{ status: number; stderr: string }>(
      `() => {
        const { spawnSync } = process.getBuiltinModule('node:child_process');
        const { status, stderr } = spawnSync(process.execPath, ['-e', '0'], { encoding: 'utf8', env: { ELECTRON_RUN_AS_NODE: '1' } });
        return { status, stderr };
      }`,
    );
    expect(ran.status).toBe(97);
    expect(ran.stderr).toContain('does not run as Node');
  });

  test('gives a utility process no stdin', async () => {
    await expect(
      app.evaluate(`({ utilityProcess }, file) => { utilityProcess.fork(file, [], { stdio: ['pipe', 'pipe', 'pipe'] }); }`, __filename),
    ).rejects.toThrow(/supports only 'ignore'/);
    const file = await script('bare.mjs', `try { process.stdin; process.exitCode = 1; } catch { process.exitCode = 42; }`);
    const code = await app.evaluate<number>(
      `({ utilityProcess }, file) => new Promise((resolve) => {
        utilityProcess.fork(file, [], { stdio: ['ignore', 'pipe', 'pipe'], env: {} }).once('exit', resolve);
      })`,
      file,
    );
    expect(code).toBe(42);
  });

  test('says so where it plays nothing', async () => {
    await expect(app.evaluate(`({ app }) => app.getBadgeCount()`)).rejects.toThrow(/not played/);
  });
});
