import type { ServerConfig } from '../../../preload/contract/servers.ts';
import { existingFolders } from './target.ts';

/** What a person should know of a configuration although it works. `plainSecrets`: names of those that stand readable in the file. */
export function configWarnings(config: ServerConfig | undefined, plainSecrets: readonly string[]): string[] {
  const warnings: string[] = [];
  if (plainSecrets.length > 0) {
    const names = plainSecrets.join(', ');
    warnings.push(
      `In servers.json stands readable for everyone who can open the file: ${names}. It stays there while there is no keychain to keep it.`,
    );
  }
  if (config && 'url' in config && isUnprotected(config.url)) {
    warnings.push(
      'The address begins with http://, so everything that is sent can be read on the way. Use https:// where the server has it.',
    );
  }
  if (config && 'bundled' in config && config.bundled === 'files') {
    const present = existingFolders(config.folders ?? []);
    const missing = (config.folders ?? []).filter((folder) => !present.includes(folder));
    if (missing.length > 0) warnings.push(`These folders do not exist any more: ${missing.join(', ')}.`);
  }
  return warnings;
}

/** An address to which data would go readable for everyone on the way: not this computer, and no https. */
function isUnprotected(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(parsed.hostname);
}
