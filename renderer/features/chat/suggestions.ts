import type { ServerDetails } from '../../../preload/contract/servers.ts';

export type Suggestion =
  { kind: 'listFiles'; folder: string } | { kind: 'readGraph' } | { kind: 'echo' } | { kind: 'tool'; server: string };

/** At most three first messages, each made from a tool that is really there. */
export function suggestionsFor(servers: readonly ServerDetails[]): Suggestion[] {
  const found: Suggestion[] = [];
  for (const { server, tools } of servers) {
    const has = (name: string) => tools.some((tool) => tool.name === name && tool.problem === undefined);
    const folder = server.folders?.[0]?.path;
    if (server.bundled === 'files' && folder !== undefined && has('list_directory')) found.push({ kind: 'listFiles', folder });
    else if (server.bundled === 'memory' && has('read_graph')) found.push({ kind: 'readGraph' });
    else if (server.bundled === 'everything' && has('echo')) found.push({ kind: 'echo' });
    else if (tools.length > 0) found.push({ kind: 'tool', server: server.name });
  }
  return found.slice(0, 3);
}

/** A path as it stands in a sentence: in quotes where its end could not be told otherwise. */
export function pathInSentence(path: string): string {
  return /^[\w/\\:.~-]*$/.test(path) ? path : `"${path}"`;
}
