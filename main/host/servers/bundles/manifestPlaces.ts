import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ManifestPlaces } from './fillManifest.ts';

/**
 * The places that a manifest may name. On Linux the desktop says where they are, in the person's own language
 * (`user-dirs.dirs` of xdg-user-dirs); elsewhere they have fixed names.
 */
export function manifestPlaces({
  home,
  platform,
  env,
}: {
  home: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}): ManifestPlaces {
  const said = platform === 'linux' ? userDirs(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), home) : new Map<string, string>();
  return {
    home,
    desktop: said.get('DESKTOP') ?? join(home, 'Desktop'),
    documents: said.get('DOCUMENTS') ?? join(home, 'Documents'),
    downloads: said.get('DOWNLOAD') ?? join(home, 'Downloads'),
  };
}

function userDirs(configHome: string, home: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of readText(join(configHome, 'user-dirs.dirs')).matchAll(/^\s*XDG_([A-Z]+)_DIR="([^"]*)"/gm)) {
    const path = value.replace(/^\$HOME(?=\/|$)/, home);
    // A place that is the home folder itself is one that was switched off.
    if (isAbsolute(path) && path !== home && path !== `${home}/`) found.set(name, path);
  }
  return found;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
