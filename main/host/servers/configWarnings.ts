import type { ServerConfig } from '../../../preload/contract/servers.ts';
import { isUnencrypted } from '../net/addressPolicy.ts';
import { existingFolders, openHeaders } from './target.ts';

/** What a person should know of a configuration although it works. `plainSecrets`: names of those that stand readable in the file. */
export function configWarnings(config: ServerConfig | undefined, plainSecrets: readonly string[]): string[] {
  const warnings: string[] = [];
  if (plainSecrets.length > 0) {
    const names = plainSecrets.join(', ');
    warnings.push(
      `In servers.json stands readable for everyone who can open the file: ${names}. It stays there while there is no keychain to keep it.`,
    );
  }
  if (config && 'url' in config && URL.canParse(config.url) && isUnencrypted(config.url)) {
    const open = openHeaders(config.headers ?? {});
    const withheld = Object.keys(config.headers ?? {}).filter((name) => !Object.hasOwn(open, name));
    warnings.push(
      `Not encrypted: the address begins with http://, so everything that is sent can be read on the way. No sign-in is possible${withheld.length === 0 ? '' : `, and these headers are not sent: ${withheld.join(', ')}`}. Use https:// where the server has it.`,
    );
  }
  if (config && 'bundled' in config && config.bundled === 'files') {
    const present = existingFolders(config.folders ?? []);
    const missing = (config.folders ?? []).filter((folder) => !present.includes(folder));
    if (missing.length > 0) warnings.push(`These folders do not exist any more: ${missing.join(', ')}.`);
  }
  return warnings;
}
