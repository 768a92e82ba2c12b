import type { BundledServerConfig, ServerConfig } from '../../../../preload/contract/servers.ts';
import type { ServerProfile } from '../toolProfile.ts';
import { everything } from './everything.ts';
import { filesystem } from './files.ts';
import { bundledMemory } from './memory.ts';

/** A server that somebody has read, found by what its configuration starts or calls. What it calls itself proves nothing. */
export interface KnownServer {
  /** The package, image or host, for the eye. */
  name: string;
  profile: ServerProfile;
  /** Key of what it keeps in `remembered_labels`, where that outlives the server's entry. */
  store?: string | undefined;
}

/** Key of what the bundled memory keeps. */
export const bundledMemoryStore = 'bundled:memory';

/** At the versions that package.json pins. */
const bundled: Readonly<Record<BundledServerConfig['bundled'], KnownServer>> = {
  files: { name: '@modelcontextprotocol/server-filesystem', profile: filesystem },
  memory: { name: '@modelcontextprotocol/server-memory', profile: bundledMemory, store: bundledMemoryStore },
  everything: { name: '@modelcontextprotocol/server-everything', profile: everything },
};

/** Undefined where nobody has read what the configuration starts or calls. */
export function knownServerOf(config: ServerConfig | undefined): KnownServer | undefined {
  return config && 'bundled' in config ? bundled[config.bundled] : undefined;
}
