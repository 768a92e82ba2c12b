import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Effects } from '../../../preload/contract/policy.ts';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import { readResourceMethod } from '../mcp/callTool.ts';
import type { Clock } from '../ports.ts';
import type { Db } from '../store/database.ts';
import { getToolEffects, setToolEffects } from '../store/serverRows.ts';
import { claimedServerOf, type KnownServer, knownServerOf } from './profiles/knownServers.ts';
import type { ToolProfile } from './toolProfile.ts';

/** What a tool counts as that nobody classified: the worst that is usual. */
export const unreviewed = (): Effects => ({ set: ['changes', 'sendsOut'], source: 'nobody' });

/** What the tools of one server do: by the user's word, else by what is known of a well-known server. */
export interface ToolEffects {
  of(tool: string): Effects;
  /** Which server it is, by what its configuration starts or calls. */
  known(): KnownServer | undefined;
  profileOf(tool: string): ToolProfile | undefined;
  /** What it would be if it were the package that its own folder says it is. For the person to look at, never to decide by. */
  claimedOf(tool: string): Effects['set'] | undefined;
  /** The user's word; an empty list takes it back. */
  classify(tool: string, effects: Effects['set']): void;
  /** The rows were changed elsewhere. */
  reload(): void;
}

export function createToolEffects(id: ServerId, deps: { db: Db; clock: Clock; config(): ServerConfig | undefined }): ToolEffects {
  // Asked for at every step of a turn, for every tool: kept here beside the rows.
  let byUser = getToolEffects(deps.db, id);
  const reload = (): void => void (byUser = getToolEffects(deps.db, id));
  let found: { config: ServerConfig | undefined; server: KnownServer | undefined } | undefined;
  const known = (): KnownServer | undefined => {
    const config = deps.config();
    if (!found || found.config !== config) found = { config, server: knownServerOf(config) };
    return found.server;
  };
  const profileOf = (tool: string): ToolProfile | undefined => toolOf(known(), tool);
  return {
    known,
    profileOf,
    claimedOf: (tool) => toolOf(claimedServerOf(deps.config()), tool)?.effects.slice(),
    of(tool) {
      const said = byUser.get(tool);
      if (said) return { set: said, source: 'user' };
      // By the protocol it is a read; what it reads is the server's own.
      if (tool === readResourceMethod) return { set: ['reads'], source: 'profile' };
      const profile = profileOf(tool);
      return profile ? { set: [...profile.effects], source: 'profile' } : unreviewed();
    },
    classify(tool, effects) {
      setToolEffects(deps.db, id, tool, effects, deps.clock.now());
      reload();
    },
    reload,
  };
}

function toolOf(server: KnownServer | undefined, tool: string): ToolProfile | undefined {
  const tools = server?.profile.tools;
  return tools && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
}
