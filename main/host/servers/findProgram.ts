import { accessSync, constants, statSync } from 'node:fs';
import { extname, isAbsolute, join, resolve } from 'node:path';

/**
 * The program that `command` names, looked up as the system does: with a separator in it relative to `cwd`, else in the
 * folders of `path`. Undefined where there is none.
 */
export function findProgram(
  command: string,
  options: { path: string; cwd: string; platform: NodeJS.Platform; pathExtensions?: string | undefined },
): string | undefined {
  const windows = options.platform === 'win32';
  const extensions = windows && extname(command) === '' ? (options.pathExtensions ?? '.COM;.EXE;.BAT;.CMD').split(';') : [''];
  const named = command.includes('/') || (windows && command.includes('\\')) || isAbsolute(command);
  const folders = named ? [options.cwd] : options.path.split(windows ? ';' : ':').filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const extension of extensions) {
      const candidate = named ? resolve(folder, command + extension) : join(folder, command + extension);
      if (isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
