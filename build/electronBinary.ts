import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { downloadArtifact, type Progress } from '@electron/get';

const packageFile = createRequire(import.meta.url).resolve('electron/package.json');
const folder = dirname(packageFile);

/** Absolute path of Electron's program, or null while it has not been downloaded. */
export function electronBinary(): string | null {
  const nameFile = join(folder, 'path.txt');
  if (!existsSync(nameFile)) return null;
  const binary = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), readFileSync(nameFile, 'utf8'));
  return existsSync(binary) ? binary : null;
}

/**
 * Downloads Electron's program, which is not in its package, checks it against the hashes in the package and unpacks it there.
 * Rejects with a sentence when the download fails or brings nothing new for `stallMs`; a slow one that moves may take its time.
 * `cacheRoot` takes the place of Electron's cache folder; a mirror can be named as Electron's documentation says (`ELECTRON_MIRROR`).
 */
export async function downloadElectron(stallMs: number, say: (line: string) => void, cacheRoot?: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));
  const stalled = new AbortController();
  const giveUp = () => stalled.abort(new Error(`nothing arrived for ${Math.round(stallMs / 1000)} seconds`));
  let timer = setTimeout(giveUp, stallMs);
  let shown = 0;
  const progressed = ({ percent }: Progress) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, stallMs);
    const quarter = Math.floor(percent * 4) * 25;
    if (quarter > shown) say(`Downloading Electron … ${(shown = quarter)} %`);
  };
  say(`Downloading Electron ${version}, once …`);
  try {
    await downloadArtifact({
      version,
      artifactName: 'electron',
      platform: process.platform,
      arch: process.arch,
      ...(cacheRoot === undefined ? {} : { cacheRoot }),
      checksums: JSON.parse(readFileSync(join(folder, 'checksums.json'), 'utf8')),
      downloadOptions: { quiet: true, signal: stalled.signal, getProgressCallback: progressed },
    });
  } finally {
    clearTimeout(timer);
  }
  // The package's own installer finds the file in the cache and knows how each system's is unpacked.
  const installer = spawn(process.execPath, [join(folder, 'install.js')], { stdio: ['ignore', 'ignore', 2] });
  const [code] = await once(installer, 'exit');
  const binary = electronBinary();
  if (code !== 0 || binary === null) throw new Error('it could not be unpacked');
  return binary;
}
