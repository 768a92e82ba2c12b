import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const needed = ['initdb', 'postgres'];

/** The folder with the programs of the newest PostgreSQL on this computer, or null. Debian keeps them outside of PATH, one folder a version. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) => folder !== '' && needed.every((name) => isExecutable(join(folder, name)))) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
