import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { listPackage } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';

/** What the fuses of a packaged application must be; the same table as `electronFuses` in electron-builder.yml. */
const fuses: readonly [FuseV1Options, FuseState][] = [
  [FuseV1Options.RunAsNode, FuseState.DISABLE],
  [FuseV1Options.EnableCookieEncryption, FuseState.ENABLE],
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable, FuseState.DISABLE],
  [FuseV1Options.EnableNodeCliInspectArguments, FuseState.DISABLE],
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation, FuseState.ENABLE],
  [FuseV1Options.OnlyLoadAppFromAsar, FuseState.ENABLE],
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot, FuseState.DISABLE],
  [FuseV1Options.GrantFileProtocolExtraPrivileges, FuseState.DISABLE],
];

const needed = [
  '/package.json',
  '/dist/main/electron.js',
  '/dist/main/utilityShim.js',
  '/dist/main/worker.js',
  '/dist/preload/preload.cjs',
  '/dist/renderer/index.html',
  '/build/icons/tray.png',
  '/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
  '/node_modules/@modelcontextprotocol/server-memory/dist/index.js',
  '/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
];

/** Outside `node_modules` nothing lies in a package but what these begin with. */
const own = ['/package.json', '/dist', '/dist/main', '/dist/preload', '/dist/renderer', '/build', '/build/icons'];
const ownFolders = ['/dist/main/', '/dist/preload/', '/dist/renderer/', '/build/icons/tray'];

/**
 * What is wrong with a packaged application; nothing, for a good one. `resources` is the folder that holds `app.asar`,
 * `executable` the binary whose fuses count.
 */
export async function packageProblems(resources: string, executable: string): Promise<string[]> {
  const archive = path.join(resources, 'app.asar');
  if (!existsSync(archive)) return [`${archive} is missing.`];
  const files = listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'));
  const listed = new Set(files);
  const problems = needed.filter((file) => !listed.has(file)).map((file) => `${file} is not in the package.`);
  for (const file of files) {
    const isOwn = own.includes(file) || ownFolders.some((folder) => file.startsWith(folder));
    if (!isOwn && file !== '/node_modules' && !file.startsWith('/node_modules/'))
      problems.push(`${file} does not belong into the package.`);
    if (/^\/node_modules\/node-(linux|darwin|win)-/.test(file)) problems.push(`${file}: Node itself does not belong into the package.`);
    if (file.endsWith('.map')) problems.push(`${file} is a source map.`);
  }
  const unpacked = path.join(`${archive}.unpacked`, 'node_modules');
  const natives = existsSync(unpacked)
    ? readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.node'))
    : [];
  if (!natives.some((file) => file.includes('better-sqlite3'))) problems.push('The database module is not unpacked.');
  const wire = await getCurrentFuseWire(executable);
  for (const [fuse, wanted] of fuses) {
    if (wire[fuse] !== wanted) problems.push(`The fuse ${FuseV1Options[fuse]} is ${wanted === FuseState.ENABLE ? 'off' : 'on'}.`);
  }
  return problems;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [resources, executable] = process.argv.slice(2);
  if (resources === undefined || executable === undefined) throw new Error('Usage: node build/verifyPackage.ts RESOURCES_DIR EXECUTABLE');
  const problems = await packageProblems(resources, executable);
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'The package is as it should be.' : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
