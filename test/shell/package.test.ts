/**
 * The package as electron-builder makes it from electron-builder.yml, with a stub in place of Electron's binary: it
 * carries a fuse wire, so that the fuses are really set and read back.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import electronPackage from 'electron/package.json' with { type: 'json' };
import { packageProblems } from '../../build/verifyPackage.ts';
import { launchApp } from '../doubles/electron/launch.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const builder = path.join(root, 'node_modules/electron-builder/cli.js');
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

let dir: string;
let unpackedApp: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'package-'));
  const electronDist = path.join(dir, 'electron');
  await mkdir(electronDist);
  await writeFile(path.join(electronDist, 'version'), electronPackage.version);
  // Version 1 of the wire, nine fuses, all off.
  await writeFile(path.join(electronDist, 'electron'), `#!/bin/sh\nexit 1\n${sentinel}\u0001\u0009000000000`, 'latin1');
  await chmod(path.join(electronDist, 'electron'), 0o755);
  const out = path.join(dir, 'out');
  // The builder says on stdout what went wrong.
  await run(
    process.execPath,
    [builder, '--linux', 'dir', '--x64', '--publish', 'never', `-c.electronDist=${electronDist}`, `-c.directories.output=${out}`],
    { cwd: root },
  ).catch((error: Error & { stdout: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  unpackedApp = path.join(out, 'linux-unpacked');
}, 300_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

test('The package holds the built application and its servers, nothing of the other shells, and the fuses are set', async () => {
  expect(await packageProblems(path.join(unpackedApp, 'resources'), path.join(unpackedApp, 'maitre'))).toEqual([]);
});

test('A package with another fuse or a missing part is found out', async () => {
  const stub = path.join(dir, 'stub');
  await writeFile(stub, `${sentinel}\u0001\u0008${'1'.repeat(8)}`, 'latin1');
  const problems = await packageProblems(path.join(unpackedApp, 'resources'), stub);
  expect(problems).toContain('The fuse RunAsNode is on.');
  expect(await packageProblems(dir, stub)).toEqual([expect.stringContaining('app.asar is missing')]);
});

test('What was packed starts: its own main, preload and page, on the Electron double', { timeout: 120_000 }, async () => {
  const extracted = path.join(dir, 'app');
  extractAll(path.join(unpackedApp, 'resources/app.asar'), extracted);
  const app = await launchApp({ main: path.join(extracted, 'dist/main/electron.js'), packaged: true });
  const page = await app.firstWindow();
  expect(await page.title()).toBe('Maitre');
  expect(await app.evaluate(`({ app }) => app.isPackaged`)).toBe(true);
  expect(await app.close()).toBe(0);
});
