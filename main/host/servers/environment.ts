import { delimiter } from 'node:path';

/**
 * What every child may know of this computer. Everything else that the host was started with (keys of models, tokens of
 * other tools, `NODE_OPTIONS`) stays with the host; a server gets it only when its entry lists it.
 */
const posixNames = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'];
const posixPrefixes = ['LC_', 'XDG_'];
const windowsNames = [
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMMONPROGRAMFILES(X86)',
  'COMMONPROGRAMW6432',
  'COMPUTERNAME',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LANG',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PUBLIC',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'TZ',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** Python writes in the system's code page unless told otherwise, and breaks on the first character outside it. */
const defaults = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8' };

/** The host's own settings and keys. They never reach a child, listed or not. */
export const isOwnVariable = (name: string): boolean => name.toUpperCase().startsWith('MAITRE_');

/** The value of a variable; on Windows names differ by case only in how they are written. */
export function readVariable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined;
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}

/**
 * The whole environment of a child: a safe base out of `base`, `path` in place of its PATH, and over it what was `listed` for
 * the server. Merging (never replacing) matters: a server with one listed variable still needs PATH and APPDATA.
 */
export function childEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  listed: Readonly<Record<string, string>>,
  options: { platform: NodeJS.Platform; path?: string | undefined },
): Record<string, string> {
  const windows = options.platform === 'win32';
  const environment = new Map<string, [name: string, value: string]>();
  const put = (name: string, value: string | undefined): void => {
    if (value === undefined || isOwnVariable(name)) return;
    // On Windows two spellings of one name would both be passed, and which of them counts is chance.
    environment.set(windows ? name.toUpperCase() : name, [name, value]);
  };

  for (const [name, value] of Object.entries(defaults)) put(name, value);
  for (const [name, value] of Object.entries(base)) {
    const allowed = windows
      ? windowsNames.includes(name.toUpperCase())
      : posixNames.includes(name) || posixPrefixes.some((prefix) => name.startsWith(prefix));
    if (allowed) put(name, value);
  }
  if (options.path !== undefined) put(windows ? 'Path' : 'PATH', options.path);
  for (const [name, value] of Object.entries(listed)) put(name, value);
  return Object.fromEntries(environment.values());
}

/** Folders of both, each once, those of `first` before those of `second`. */
export function mergePaths(first: string, second: string, separator: string = delimiter): string {
  return [...new Set([...first.split(separator), ...second.split(separator)])].filter((folder) => folder !== '').join(separator);
}
