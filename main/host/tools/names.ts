import { createHash } from 'node:crypto';

/** What a wire name is made of. `serverId` is the identity; `serverName` only makes the name readable. */
export interface ToolIdentity {
  serverId: string;
  serverName: string;
  name: string;
}

/** Both directions of one assignment, so that a name given to a model and the tool it calls cannot drift apart. */
export interface WireNames<Tool extends ToolIdentity> {
  /** Undefined for a tool that was not part of the assignment, and for a repeat of the same tool on the same server. */
  nameOf(tool: Tool): string | undefined;
  find(wireName: string): Tool | undefined;
}

/** The narrowest rule among providers: 64 characters, no digit in front. */
const maxLength = 64;
const maxServerLength = 24;
/** The host's own tools hold no `__`, so no server can take their names. */
const separator = '__';

/**
 * Names for model APIs: `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`, readable (`files__read_file`), unique by server, independent of the order of `tools`.
 * A name that had to lose letters or length ends in a hash of what it stands for; of two that would be equal, the later one by server id does.
 */
export function assignWireNames<Tool extends ToolIdentity>(tools: readonly Tool[]): WireNames<Tool> {
  const byTool = new Map<Tool, string>();
  const byName = new Map<string, Tool>();
  const seen = new Set<string>();
  const wishes = tools
    .filter((tool) => {
      const identity = `${tool.serverId}\0${tool.name}`;
      return seen.has(identity) ? false : (seen.add(identity), true);
    })
    .map((tool) => ({ tool, wish: wishFor(tool) }))
    .sort(
      (a, b) =>
        Number(b.wish.exact) - Number(a.wish.exact) || compare(a.tool.serverId, b.tool.serverId) || compare(a.tool.name, b.tool.name),
    );
  for (const { tool, wish } of wishes) {
    let name = wish.name;
    for (let attempt = 0; byName.has(name); attempt += 1) name = withHash(tool, `${tool.serverId}\0${attempt}`);
    byName.set(name, tool);
    byTool.set(tool, name);
  }
  return { nameOf: (tool) => byTool.get(tool), find: (wireName) => byName.get(wireName) };
}

function wishFor(tool: ToolIdentity): { name: string; exact: boolean } {
  const server = slug(tool.serverName);
  const own = slug(tool.name);
  const name = legalStart(`${server.text}${separator}${own.text}`);
  if (server.lossy || own.lossy || name.length > maxLength) return { name: withHash(tool, ''), exact: false };
  return { name, exact: server.text === tool.serverName && own.text === tool.name };
}

function withHash(tool: ToolIdentity, salt: string): string {
  const hash = createHash('sha256').update(`${tool.serverName}\0${tool.name}\0${salt}`).digest('hex').slice(0, 8);
  const server = legalStart(slug(tool.serverName).text.slice(0, maxServerLength));
  const own = slug(tool.name).text.slice(0, maxLength - server.length - separator.length - hash.length - 1);
  return `${server}${separator}${own}_${hash}`;
}

/** `lossy` when letters or digits were dropped, not only punctuation replaced. */
function slug(text: string): { text: string; lossy: boolean } {
  const plain = text.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const lossy = /[^\x20-\x7e]/.test(plain);
  const slugged = plain.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+(?=[a-zA-Z0-9])|(?<=[a-zA-Z0-9])_+$/g, '');
  // A part that is empty or holds the separator could be read as another split of the same name.
  const single = slugged.replace(/_{2,}/g, '_');
  return { text: single === '' || single === '_' ? 'tool' : single, lossy: lossy || single === '' || single === '_' };
}

function legalStart(name: string): string {
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
