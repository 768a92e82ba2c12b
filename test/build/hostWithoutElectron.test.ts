import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, temporaryFolder, writeFiles } from './project.ts';

/** A hook that lets no module of this process load `electron`, by import or by require. */
const blocker = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/^electron(\\/|$)/.test(specifier)) throw new Error('electron is blocked');
    return next(specifier, context);
  },
});
`;

function load(file: string) {
  const folder = temporaryFolder();
  writeFiles(folder, { 'blocker.mjs': blocker });
  const script = `console.log(Object.keys(await import(${JSON.stringify(join(root, file))})).join());`;
  return spawnSync(process.execPath, ['--import', join(folder, 'blocker.mjs'), '--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  });
}

test.each(['main/host/createHost.ts', 'main/host/nodePorts.ts'])('%s loads where there is no Electron.', (file) => {
  const { stderr, status } = load(file);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});

test('The block is real: what needs Electron does not load behind it.', () => {
  const { stderr, status } = load('main/electron/main.ts');
  expect(status).not.toBe(0);
  expect(stderr).toContain('electron is blocked');
});
