import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'acorn';
import { expect, test } from 'vitest';
import { root, temporaryFolder, writeFiles } from './project.ts';

const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const lockOf = (packages: Readonly<Record<string, object>>) => JSON.stringify({ lockfileVersion: 3, packages });
const required = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } };
const elsewhere = { 'node_modules/other-system': { version: '1.0.0', optional: true, os: ['none'] } };
const forHere = { 'node_modules/for-here': { version: '1.0.0', optional: true, os: [process.platform] } };

/** Reports on stdout how it was started. */
const report = `
import { delimiter } from 'node:path';
const { execPath, argv, env } = process;
console.log(JSON.stringify({ execPath, args: argv.slice(2), path: env.PATH.split(delimiter)[0], folder: process.cwd() }));
`;

/** Plays npm: notes its arguments and writes the record of what it installed, one file of \`answers\` per call. */
const npmDouble = `
const fs = require('node:fs');
fs.appendFileSync('npm-calls', process.argv.slice(2, 4).join(' ') + '\\n');
const [answer, ...rest] = JSON.parse(fs.readFileSync('npm-answers', 'utf8'));
fs.writeFileSync('npm-answers', JSON.stringify(rest));
if (answer === undefined) process.exit(1);
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(answer));
`;

/** Plays Vite: notes which configuration it built and makes the file that the set-up expects of it. */
const viteDouble = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const name = /vite\\.(\\w+)\\.config/.exec(process.argv.join(' '))[1];
const output = { renderer: 'dist/renderer/index.html', preload: 'dist/preload/preload.cjs', electron: 'dist/main/electron.js' }[name];
appendFileSync('builds', name + '\\n');
mkdirSync(output.slice(0, output.lastIndexOf('/')), { recursive: true });
writeFileSync(output, '');
`;

/** A project around the real set-up script and the real Node for this system; npm and Vite are doubles at its edge. */
function project({ installed, npmAnswers = [] }: { installed?: object; npmAnswers?: object[] }): string {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'package.json': '{"type":"module"}',
    'package-lock.json': lockOf({ '': {}, ...required, ...elsewhere, ...forHere }),
    'npm-answers': JSON.stringify(npmAnswers),
    'npm/npm-cli.cjs': npmDouble,
    'main/cli/main.ts': report,
    'node_modules/vite/bin/vite.js': viteDouble,
    'node_modules/vite/package.json': '{"type":"module"}',
    'build/vite.renderer.config.ts': '',
    'build/vite.preload.config.ts': '',
    'build/vite.electron.config.ts': '',
    'renderer/main.tsx': '',
    'preload/contract/result.ts': '',
  });
  if (installed !== undefined) writeFiles(folder, { 'node_modules/.package-lock.json': JSON.stringify(installed) });
  cpSync(join(root, 'build/setup.mjs'), join(folder, 'build/setup.mjs'));
  symlinkSync(join(root, 'node_modules', nodePackage), join(folder, 'node_modules', nodePackage), 'junction');
  return folder;
}

function setUp(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const npm = { npm_execpath: join(folder, 'npm/npm-cli.cjs'), npm_node_execpath: process.execPath };
  const { INIT_CWD: _callersFolder, ...inherited } = process.env;
  return spawnSync(process.execPath, [join(folder, 'build/setup.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...inherited, ...npm, ...env },
  });
}

const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const complete = { packages: { ...required, ...forHere } };

test('The set-up script is in the syntax of Node 18 and imports nothing but Node.', () => {
  const { body } = parse(readFileSync(join(root, 'build/setup.mjs'), 'utf8'), { ecmaVersion: 2022, sourceType: 'module' });
  const imports = body.flatMap((node) => (node.type === 'ImportDeclaration' ? [String(node.source.value)] : []));
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test('Where nothing is stale the program starts at once, silently, on the locked Node, with its folder first in PATH.', () => {
  const folder = project({ installed: complete });
  const { stdout, stderr, status } = setUp(folder, ['cli', 'run', '--data', 'a b']);
  const node = realpathSync(join(folder, 'node_modules', nodePackage, 'bin', 'node'));
  const started = JSON.parse(stdout);
  expect({ ...started, path: realpathSync(started.path), folder: realpathSync(started.folder) }).toEqual({
    execPath: node,
    args: ['run', '--data', 'a b'],
    path: dirname(node),
    folder: realpathSync(folder),
  });
  expect({ stderr, status, npm: linesOf(join(folder, 'npm-calls')) }).toEqual({ stderr: '', status: 0, npm: [] });
});

test('The command line runs in the folder where the person typed it.', () => {
  const folder = project({ installed: complete });
  const { stdout } = setUp(folder, ['cli'], { INIT_CWD: join(folder, 'main') });
  expect(realpathSync(JSON.parse(stdout).folder)).toBe(realpathSync(join(folder, 'main')));
});

const staleRecords: [string, object | undefined][] = [
  ['nothing is installed', undefined],
  ['a package is missing', { packages: forHere }],
  ['a package has another version', { packages: { ...complete.packages, 'node_modules/a': { version: '0.9.0', integrity: 'sha512-a' } } }],
  ['a package has another content', { packages: { ...complete.packages, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } } }],
  ['an optional package for this system is missing', { packages: required }],
];

test.each(staleRecords)(
  'Where %s the packages are installed from the lockfile, with one line of progress, and the program starts.',
  (_, installed) => {
    const folder = project({ npmAnswers: [complete], ...(installed === undefined ? {} : { installed }) });
    const { stdout, stderr, status } = setUp(folder, ['cli']);
    expect(linesOf(join(folder, 'npm-calls'))).toEqual(['ci --include=dev']);
    expect({ stderr, status, args: JSON.parse(stdout).args }).toEqual({ stderr: 'Installing packages …\n', status: 0, args: [] });
  },
);

test('What npm leaves out under an old Node is completed in a second pass.', () => {
  const folder = project({ npmAnswers: [{ packages: required }, complete] });
  expect(setUp(folder, ['cli']).status).toBe(0);
  expect(linesOf(join(folder, 'npm-calls'))).toEqual(['ci --include=dev', 'install --no-save']);
});

test('When installing fails the person is told so and the program does not start.', () => {
  const { stdout, stderr, status } = setUp(project({}), ['cli']);
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toBe(
    'Installing packages …\nInstalling the packages failed; what npm says about it stands above. Then run the same command again.\n',
  );
});

test('When the set-up of `npm test` fails, the last line is a sum that tells of a failure.', () => {
  expect(setUp(project({}), ['test']).stdout).toBe('0 passed, 1 failed\n');
});

test('Only the bundles whose sources changed are built again.', () => {
  const folder = project({ installed: complete });
  const builds = join(folder, 'builds');
  expect(setUp(folder, ['build']).status).toBe(0);
  expect(linesOf(builds)).toEqual(['renderer', 'preload', 'electron']);
  expect(setUp(folder, ['build']).stderr).toBe('');
  expect(linesOf(builds)).toHaveLength(3);
  appendFileSync(join(folder, 'renderer/main.tsx'), '// changed');
  expect(setUp(folder, ['build']).stderr).toBe('Building renderer …\n');
  appendFileSync(join(folder, 'preload/contract/result.ts'), '// changed');
  setUp(folder, ['build']);
  expect(linesOf(builds).slice(3)).toEqual(['renderer', 'renderer', 'preload', 'electron']);
});

test('The exit code of the program is the exit code of the command.', () => {
  const folder = project({ installed: complete });
  writeFiles(folder, { 'main/cli/main.ts': 'process.exit(7);' });
  expect(setUp(folder, ['cli']).status).toBe(7);
});

test.skipIf(process.platform === 'win32')('A signal to the command reaches the program, which may end in order.', async () => {
  const folder = project({ installed: complete });
  const ending = `process.on('SIGTERM', () => { console.log('closed in order'); process.exit(3); }); setInterval(() => {}, 1000); console.log('up');`;
  writeFiles(folder, { 'main/cli/main.ts': ending });
  const child = spawn(process.execPath, [join(folder, 'build/setup.mjs'), 'cli'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') child.kill('SIGTERM');
    output += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, output }).toEqual({ code: 3, output: 'up\nclosed in order\n' });
});

test.skipIf(process.platform === 'win32')('A program whose npm was ended ends too, in order.', async () => {
  const folder = project({ installed: complete });
  const ending = `process.on('SIGTERM', () => { console.log('closed in order'); process.exit(); }); setInterval(() => {}, 1000); console.log('up');`;
  writeFiles(folder, { 'main/cli/main.ts': ending });
  // What npm runs: a shell that waits for the script.
  const shell = spawn('sh', ['-c', '"$1" "$2" cli; :', 'sh', process.execPath, join(folder, 'build/setup.mjs')], {
    env: { ...process.env, npm_lifecycle_event: 'cli' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') shell.kill('SIGTERM');
    output += text;
  });
  await once(shell.stdout, 'close');
  expect(output).toBe('up\nclosed in order\n');
});

test('An unknown script name is answered with the names there are.', () => {
  const folder = project({ installed: complete });
  mkdirSync(join(folder, 'main'), { recursive: true });
  const { stderr, status } = setUp(folder, ['constructor']);
  expect(status).toBe(1);
  expect(stderr).toContain('start | cli | build | check | test | bench');
});
