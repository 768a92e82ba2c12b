import type { z } from 'zod';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { BundledServerConfig, LocalServerConfig, RemoteServerConfig, type ServerConfig } from '../../../preload/contract/servers.ts';

/** One entry of a configuration as it was understood. `problem` is a sentence for the person. */
export type ReadEntry = { config: ServerConfig; problem?: undefined } | { config?: undefined; problem: string };

/** An entry of the file as it was adopted: references stand where plain secrets stood, and `plain` holds those by name. */
export interface AdoptedEntry {
  name: string;
  value: unknown;
  text: string;
  plain: ReadonlyMap<string, string>;
}

/** Owner of the secrets of one server. */
export const secretOwner = (id: ServerId): string => `server:${id}`;

/** Other applications' words for `streamable-http`. */
const transportWords: Record<string, RemoteServerConfig['type']> = {
  streamableHttp: 'streamable-http',
  streamable_http: 'streamable-http',
  StreamableHttp: 'streamable-http',
};

export const isEntryObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads one value of an `mcpServers` map. Members that no schema names are left out of `config`; they stay in the file. */
export function readEntry(value: unknown): ReadEntry {
  if (!isEntryObject(value)) {
    return { problem: 'This entry is not an object. It needs a "command" (a program on this computer) or a "url" (a remote server).' };
  }
  const entry = withUsualNames(value);
  const kinds = ['bundled', 'command', 'url'].filter((name) => name in entry);
  if (kinds.length > 1) return { problem: `This entry has "${kinds.join('" and "')}" at once. Keep one of them: it decides what is run.` };
  if ('bundled' in entry) return checked(BundledServerConfig, entry);
  if ('command' in entry) return checked(LocalServerConfig, entry);
  if ('url' in entry) return checked(RemoteServerConfig, entry);
  return { problem: 'This entry has neither a "command" (a program on this computer) nor a "url" (a remote server). Add one of them.' };
}

export const isEnabled = (value: unknown): boolean => !(isEntryObject(value) && 'disabled' in value && value.disabled === true);

export const kindOf = (value: unknown): 'bundled' | 'local' | 'remote' => {
  if (!isEntryObject(value)) return 'local';
  if ('bundled' in value) return 'bundled';
  return 'command' in value || !('url' in withUsualNames(value)) ? 'local' : 'remote';
};

function withUsualNames(value: object): Record<string, unknown> {
  const entry: Record<string, unknown> = Object.assign(Object.create(null), value);
  for (const alias of ['serverUrl', 'httpUrl']) {
    if (typeof entry[alias] === 'string' && !('url' in entry)) entry['url'] = entry[alias];
  }
  const type = entry['type'];
  if (typeof type === 'string') {
    const usual = Object.hasOwn(transportWords, type) ? transportWords[type] : undefined;
    if (usual) entry['type'] = usual;
  }
  // Many files write null for "not set".
  for (const name of Object.keys(entry)) if (entry[name] === null) delete entry[name];
  return entry;
}

function checked(schema: z.ZodType<ServerConfig>, entry: Record<string, unknown>): ReadEntry {
  const read = schema.safeParse({ ...entry });
  if (read.success) return { config: read.data };
  const sentences = read.error.issues.slice(0, 3).map((issue) => `"${issue.path.map(String).join('.')}": ${issue.message}`);
  return { problem: `Some members of this entry have the wrong form: ${sentences.join('; ')}.` };
}
