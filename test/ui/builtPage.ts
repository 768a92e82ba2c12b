import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folders and files that a page is made of. */
const sources = ['renderer', 'preload/contract', 'package-lock.json', 'build/vite.renderer.config.ts', 'build/vite.fixtures.config.ts'];

/**
 * Builds the window's page, or that of all its states, once for all files of tests, and resolves to its folder. The folder is named after
 * what the page is made of, so that it is never stale, and nobody changes one that another file of tests is served from.
 */
export async function builtPage(name: 'renderer' | 'fixtures'): Promise<string> {
  const folder = path.join(root, 'dist/testPages');
  for (;;) {
    const hash = hashOfSources();
    const place = path.join(folder, `${name}-${hash}`);
    if (existsSync(place)) {
      // It is not old for others.
      await utimes(place, new Date(), new Date());
      return place;
    }
    await mkdir(folder, { recursive: true });
    await removeOld(folder);
    const made = await mkdtemp(path.join(folder, 'making-'));
    await build({
      configFile: path.join(root, `build/vite.${name}.config.ts`),
      logLevel: 'error',
      build: { outDir: made, emptyOutDir: false },
    });
    // What was edited meanwhile would lie under a name that is not its own.
    const isOfItsName = hashOfSources() === hash;
    if (isOfItsName && (await isNamed(made, place))) return place;
    await rm(made, { recursive: true });
  }
}

/** Those of other sources, unless they are young enough for somebody to be served from them. */
async function removeOld(folder: string): Promise<void> {
  const hourMs = 3_600_000;
  for (const name of readdirSync(folder)) {
    const old = path.join(folder, name);
    if ((statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - hourMs)
      await rm(old, { recursive: true, force: true });
  }
}

/** False where another file of tests has made the same folder meanwhile. */
async function isNamed(made: string, place: string): Promise<boolean> {
  try {
    await rename(made, place);
    return true;
  } catch (error) {
    if (existsSync(place)) return false;
    throw error;
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of sources.flatMap(filesBelow)) hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(place: string): string[] {
  if (path.extname(place) !== '') return [place];
  return readdirSync(path.join(root, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
