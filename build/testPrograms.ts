import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { findBrowser } from './browser.ts';
import { findPostgres } from './postgres.ts';

type Say = (line: string) => void;

const mayInstall = (): boolean => process.getuid?.() === 0;

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * Finds a browser for the tests or installs one, says which, and hands it on in `MAITRE_TEST_BROWSER`. Returns what is wrong, as a sentence, or
 * an empty text.
 */
export function provideBrowser(say: Say): string {
  const found = findBrowser() ?? installBrowser(say);
  if (found === null) {
    return 'No Chrome, Chromium or Edge was found, and none could be installed; why stands above. Install one, or name one in MAITRE_TEST_BROWSER.';
  }
  process.env['MAITRE_TEST_BROWSER'] = found;
  say(`Browser for the tests: ${found}`);
  return '';
}

function installBrowser(say: Say): string | null {
  if (mayInstall() && isDebian()) {
    installDebianPackages(['chromium'], say);
  } else {
    say('Installing Chromium (by Playwright) …');
    const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js');
    const systemLibraries = mayInstall() && process.platform === 'linux' ? ['--with-deps'] : [];
    spawnSync(process.execPath, [cli, 'install', ...systemLibraries, 'chromium'], { stdio: ['ignore', 2, 2] });
  }
  return findBrowser();
}

/** What the tests of the real keychain start: a session bus of their own and a keyring on it. Only Linux needs them. */
const keychainPrograms = ['dbus-run-session', 'gnome-keyring-daemon'];

/** Names of the programs that the tests of the real keychain lack here; none on a system that has a keychain of its own. */
function missingKeychainPrograms(): string[] {
  return process.platform === 'linux' ? missingPrograms(keychainPrograms) : [];
}

function missingPrograms(names: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.filter((name) => !folders.some((folder) => isExecutable(join(folder, name))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs what the keychain tests need where that is possible; otherwise says why they will be skipped. */
export function provideKeychain(say: Say): void {
  if (missingKeychainPrograms().length > 0 && mayInstall() && isDebian()) {
    installDebianPackages(['dbus', 'gnome-keyring', 'libsecret-1-0'], say);
  }
  const missing = missingKeychainPrograms();
  if (missing.length > 0) say(`Tests of the real keychain are skipped: ${missing.join(' and ')} not installed here.`);
}

/** What confines servers on Linux: ripgrep is not among them, since the part of the library that needs it is not used. */
const sandboxPrograms = ['bwrap', 'socat'];

/** Installs what the tests of the sandbox need, where that is possible; otherwise says why they will be skipped. macOS has it, Windows has none. */
export function provideSandbox(say: Say): void {
  if (process.platform !== 'linux') return;
  if (missingPrograms(sandboxPrograms).length > 0 && mayInstall() && isDebian()) installDebianPackages(['bubblewrap', 'socat'], say);
  const missing = missingPrograms(sandboxPrograms);
  if (missing.length > 0) say(`Tests of the sandbox are skipped: ${missing.join(' and ')} not installed here.`);
}

/** Installs the database that the test of the public Postgres server starts, where that is possible; otherwise says why it will be skipped. */
export function providePostgres(say: Say): void {
  if (findPostgres() === null && mayInstall() && isDebian()) installDebianPackages(['postgresql'], say);
  if (findPostgres() === null) say('The test of the public Postgres server is skipped: PostgreSQL is not installed here.');
}

function installDebianPackages(names: readonly string[], say: Say): void {
  say(`Installing ${names.join(', ')} (by apt-get) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 'ignore', 2] satisfies ['ignore', 'ignore', number] };
  const steps = [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...names],
  ];
  for (const args of steps) {
    const { status, error } = spawnSync('apt-get', args, options);
    if (status !== 0) say(`apt-get ${args[0]} failed${error === undefined ? `, code ${status}` : `: ${error.message}`}.`);
  }
}
