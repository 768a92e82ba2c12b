import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * SHA-256 in hex over the names, the rights to be run and the contents of everything in a folder, in the order of the names' code units. A
 * file that is added, removed, renamed or changed gives another one, as does a link in the place of a file. Windows has no right to be run.
 */
export async function digestFolder({ folder }: { folder: string }): Promise<{ digest: string }> {
  const all = createHash('sha256');
  for (const path of await pathsIn(folder, '')) all.update(`${await lineOf(folder, path)}\n`);
  return { digest: all.digest('hex') };
}

async function pathsIn(folder: string, path: string): Promise<string[]> {
  const entries = await readdir(join(folder, path), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const inside = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await pathsIn(folder, inside)));
    else found.push(inside);
  }
  return found.sort();
}

async function lineOf(folder: string, path: string): Promise<string> {
  const whole = join(folder, path);
  const stat = await lstat(whole);
  if (stat.isSymbolicLink()) return JSON.stringify([path, 'link', await readlink(whole)]);
  if (!stat.isFile()) return JSON.stringify([path, 'other']);
  const content = createHash('sha256');
  await pipeline(createReadStream(whole), content);
  const runs = process.platform !== 'win32' && (stat.mode & 0o111) !== 0;
  return JSON.stringify([path, runs, stat.size, content.digest('hex')]);
}
