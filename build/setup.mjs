// The first thing that every npm script runs. It is plain JavaScript in the syntax of Node 18 and uses no package, because at this point there
// may be nothing on the computer but npm and an old Node. Everything it says goes to stderr: stdout belongs to the program it starts.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const neededMajor = 24;

/**
 * What each npm script runs, and whether it needs the bundles. The two that take paths on the command line run in the folder where the person
 * typed the command, all others in the project's.
 * @type {Record<string, { file?: string, args?: string[], bundles: boolean, callersFolder?: boolean }>}
 */
const programs = {
  start: { file: 'build/start.ts', bundles: true, callersFolder: true },
  cli: { file: 'main/cli/main.ts', bundles: false, callersFolder: true },
  build: { bundles: true },
  check: { file: 'build/check.ts', bundles: false },
  test: { file: 'build/test.ts', bundles: true },
  bench: { file: 'test/bench/run.ts', bundles: true },
  screenshots: { file: 'test/ui/screenshots.ts', bundles: false },
  soak: { file: 'test/soak/run.ts', bundles: false },
  conformance: { file: 'test/conformance/run.ts', bundles: false },
  attacks: { file: 'test/attacks/run.ts', bundles: true },
  format: { file: 'node_modules/prettier/bin/prettier.cjs', args: ['--write', '.'], bundles: false },
  mutation: { file: 'node_modules/@stryker-mutator/core/bin/stryker.js', args: ['run', 'build/stryker.config.mjs'], bundles: false },
};

/** Each bundle is made again when its configuration, a source or a locked package has changed. */
const bundles = [
  { name: 'renderer', sources: ['renderer', 'preload/contract'], output: 'dist/renderer/index.html' },
  { name: 'preload', sources: ['preload'], output: 'dist/preload/preload.cjs' },
  { name: 'electron', sources: ['main', 'preload/contract'], output: 'dist/main/electron.js' },
];

class SetupFailure extends Error {}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} path relative to the project */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/**
 * A field of the lockfile (a word, or a list that may hold `!word`) against this system's value; none means all.
 * @param {string | string[] | undefined} field @param {string} value
 */
function admits(field, value) {
  if (field === undefined) return true;
  const words = [field].flat();
  return words.includes(value) || (words.every((word) => word.startsWith('!')) && !words.includes(`!${value}`));
}

/** The C library that prebuilt Linux programs here must be made for. */
function libc() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * Compares the lockfile with the record that npm keeps of what it installed, so that packages installed by hand count too. An optional package
 * may be missing only when it is made for other systems.
 */
function packagesAreStale() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(join(root, record))) return true;
  const installed = readJson(record).packages;
  return Object.entries(readJson('package-lock.json').packages).some(([path, locked]) => {
    if (path === '') return false;
    const found = installed[path];
    if (found !== undefined) return found.version !== locked.version || found.integrity !== locked.integrity;
    if (!locked.optional) return true;
    const madeForHere = locked.os !== undefined && admits(locked.os, process.platform) && admits(locked.cpu, process.arch);
    return madeForHere && (locked.libc === undefined || admits(locked.libc, libc()));
  });
}

/** @param {string} node the Node that npm runs on @param {string[]} args */
function runNpm(node, args) {
  const more = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress'];
  const options = { cwd: root, stdio: /** @type {['ignore', 'ignore', 2]} */ (['ignore', 'ignore', 2]) };
  const npm = process.env.npm_execpath;
  const npmIsKnown = npm !== undefined && /npm-cli\.c?js$/.test(npm);
  const result = npmIsKnown
    ? spawnSync(node, [npm, ...args, ...more], options)
    : spawnSync('npm', [...args, ...more], { ...options, shell: process.platform === 'win32' });
  if (result.error) throw new SetupFailure(`npm could not be started (${result.error.message}). Install Node with npm from nodejs.org.`);
  if (result.status !== 0) {
    throw new SetupFailure('Installing the packages failed; what npm says about it stands above. Then run the same command again.');
  }
}

function installPackages() {
  say('Installing packages …');
  // npm deletes everything first; a running program cannot be deleted on Windows, and this may be the Node that came as a package.
  const runsFromPackages = process.platform === 'win32' && process.execPath.startsWith(join(root, 'node_modules') + sep);
  const complete = ['install', '--no-save'];
  runNpm(process.env.npm_node_execpath || process.execPath, runsFromPackages ? complete : ['ci']);
  // npm leaves out, without a word, optional packages whose `engines` do not admit the Node it runs on: an old one lacks half of the build
  // tools. The Node that has just come as a package is new enough to complete them.
  if (packagesAreStale()) runNpm(findNode(), complete);
  if (packagesAreStale())
    throw new SetupFailure('npm did not install every package of package-lock.json. Delete node_modules and run the command again.');
}

/** @param {string} program */
function starts(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && Number(stdout.slice(1).split('.')[0]) >= neededMajor;
}

/** The Node that everything after this script runs on: the locked one for this system, else the one that runs now. */
function findNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  if (existsSync(join(root, 'node_modules', name, 'package.json'))) {
    const program = join(root, 'node_modules', name, readJson(`node_modules/${name}/package.json`).bin.node);
    // It may be there and not start: its build needs glibc, which Alpine lacks.
    if (existsSync(program) && (realpathSync(program) === realpathSync(process.execPath) || starts(program))) return program;
  }
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  throw new SetupFailure(
    `Maitre needs Node ${neededMajor} or newer. This is Node ${process.versions.node}, and the package ${name} does not exist or does not run on ` +
      `this system. Install Node ${neededMajor} from nodejs.org, then run the command again.`,
  );
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
}

/** @param {string[]} files */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

/** @param {string} node */
function buildBundles(node) {
  for (const { name, sources, output } of bundles) {
    const config = `build/vite.${name}.config.ts`;
    const stamp = join(root, 'dist', 'stamps', name);
    const wanted = hashOf([config, 'package-lock.json', ...sources.flatMap(filesIn)]);
    if (existsSync(join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue;
    say(`Building ${name} …`);
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    const result = spawnSync(node, [vite, 'build', '--config', config, '--logLevel', 'warn'], { cwd: root, stdio: ['ignore', 2, 2] });
    if (result.status !== 0 || !existsSync(join(root, output))) {
      throw new SetupFailure(`Building ${name} failed; the reason stands above.`);
    }
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  }
}

/**
 * Runs a program in this one's place: same streams, its exit code is ours, signals reach it.
 * @param {string} node @param {string} file @param {string[]} args @param {string} cwd
 */
function run(node, file, args, cwd) {
  const pathName = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') || 'PATH';
  // Node strips and compiles hundreds of files at each start; kept beside the packages, that halves the time until the window.
  const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };
  const env = { ...compiled, ...process.env, [pathName]: [dirname(node), process.env[pathName]].filter(Boolean).join(delimiter) };
  const child = spawn(node, [join(root, file), ...args], { cwd, env, stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  // npm ends its script by ending the shell in between, which tells nobody: without a look at who our parent is, the program would live on.
  if (process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32') {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 500);
  }
  child.on('error', (error) => {
    say(`${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? code || 0 : 128 + constants.signals[signal]);
  });
}

function main() {
  const [name = '', ...args] = process.argv.slice(2);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) throw new SetupFailure(`Usage: node build/setup.mjs ${Object.keys(programs).join(' | ')} [-- arguments]`);
  if (packagesAreStale()) installPackages();
  const node = findNode();
  if (program.bundles) buildBundles(node);
  if (program.file === undefined) return;
  run(node, program.file, [...(program.args || []), ...args], (program.callersFolder && process.env.INIT_CWD) || root);
}

try {
  main();
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error;
  say(error.message);
  // Whoever reads the last line of `npm test` must not find an older sum.
  if (process.argv[2] === 'test') process.stdout.write('0 passed, 1 failed\n');
  process.exitCode = 1;
}
