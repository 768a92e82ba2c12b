import { basename } from 'node:path';
import type { SandboxWord, ServerConfig } from '../../../preload/contract/servers.ts';
import type { Confinement, SandboxObstacles } from './sandbox.ts';
import { isInside } from './sandboxRules.ts';

/**
 * What a server is held to. Undefined for remote ones. A local entry gets what it says, and does not start where that cannot be had; one
 * without a word is from before there was a sandbox. A bundled server is protected where that is possible.
 */
export function sandboxWordOf(config: ServerConfig, obstacles: SandboxObstacles): SandboxWord | undefined {
  if ('url' in config) return undefined;
  if ('bundled' in config) return config.sandbox === 'off' || obstacles.protected ? 'off' : 'protected';
  return config.sandbox ?? 'off';
}

/** As {@link sandboxWordOf}, with the lists that go with the word; undefined for `off`. `told`: folders that the server is told of. */
export function confinementOf(
  config: ServerConfig,
  told: readonly string[],
  obstacles: SandboxObstacles,
): Omit<Confinement, 'own'> | undefined {
  const word = sandboxWordOf(config, obstacles);
  if (word === undefined || word === 'off') return undefined;
  const own = 'bundled' in config ? (config.folders ?? []) : 'writable' in config ? (config.writable ?? []) : [];
  const network = word === 'strict' && 'network' in config ? (config.network ?? []) : [];
  return { word, folders: [...new Set([...own, ...told])], network };
}

/** Whether `after` lets a server do something that `before` did not. Both of the same program. */
export function loosens(before: Omit<Confinement, 'own'> | undefined, after: Omit<Confinement, 'own'> | undefined): boolean {
  if (before === undefined) return false;
  if (after === undefined) return true;
  if (before.word === 'strict' && (after.word !== 'strict' || !after.network.every((host) => before.network.includes(host)))) return true;
  // Only where it is named itself is `.git` given with the folder around it.
  const had = (folder: string): boolean =>
    before.folders.some((outer) => folder === outer || (basename(folder) !== '.git' && isInside(folder, outer)));
  return !after.folders.every(had);
}
