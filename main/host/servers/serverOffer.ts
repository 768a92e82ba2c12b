import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Server, ServerState } from '../../../preload/contract/servers.ts';
import type { ServerTool } from '../mcp/callTool.ts';
import type { Connection } from '../mcp/connection.ts';
import type { ListedTool, ServerLists } from '../mcp/serverLists.ts';
import type { Definitions } from '../policy/definitions.ts';
import type { Clock, Log } from '../ports.ts';
import type { Db } from '../store/database.ts';
import { createCachedLists } from './cachedLists.ts';

/** What a server offers now, else what it offered the last time under its very configuration. */
export interface KnownOffer {
  lists: ServerLists;
  protocol: Server['protocol'];
}

/** A tool that can be named only: its server is not there. */
export type AbsentTool = Pick<ServerTool, 'serverId' | 'serverName' | 'name'>;

/** What one configured server offers: tools, resources, prompts, instructions, as far as that is known. */
export interface ServerOffer {
  /** Undefined where nothing is known. */
  known(): KnownOffer | undefined;
  /** The same array, and in it the same objects, for as long as they stand: what is worked out of a tool is kept by its object. */
  tools(): ServerTool[];
  /** Those that it had the last time, while it gives none: it is off, has failed or wants a sign-in. */
  absentTools(): AbsentTool[];
  /** What of it was not agreed to yet. */
  toReview(): Server['toReview'];
  /** Keeps for the next start what was listed under the configuration of this hash. */
  keep(configHash: string, connection: Connection): void;
}

const noTools: ListedTool[] = [];
const noServerTools: ServerTool[] = [];

export function createServerOffer(
  id: ServerId,
  server: {
    name(): string;
    configHash(): string | undefined;
    /** Who is signed in now: what the server has said to somebody else is not theirs. */
    authorizationKey(): string;
    runnable(): boolean;
    status(): ServerState;
    connection(): Connection | undefined;
  },
  deps: { db: Db; clock: Clock; log: Log; definitions?: Pick<Definitions, 'waiting'> | undefined },
): ServerOffer {
  const cached = createCachedLists(id, deps);
  let offered: { listed: ListedTool[]; serverName: string; tools: ServerTool[] } | undefined;

  const remembered = (): KnownOffer | undefined => {
    const configHash = server.configHash();
    return configHash === undefined ? undefined : cached.of(configHash, server.authorizationKey());
  };

  const known = (): KnownOffer | undefined => {
    const connection = server.connection();
    if (connection) return { lists: connection.lists(), protocol: { ...connection.protocol } };
    return remembered();
  };

  const isThere = (): boolean => {
    if (!server.runnable()) return false;
    const now = server.status();
    return now.state === 'ready' || now.state === 'starting' || (now.state === 'failed' && now.retryAt !== undefined);
  };

  return {
    known,

    tools() {
      if (!server.runnable()) return noServerTools;
      const listed = isThere() ? (known()?.lists.tools ?? noTools) : noTools;
      const serverName = server.name();
      if (offered?.listed !== listed || offered.serverName !== serverName) {
        const tools = listed.flatMap(({ problem, ...tool }) => (problem === undefined ? [{ serverId: id, serverName, ...tool }] : []));
        offered = { listed, serverName, tools };
      }
      return offered.tools;
    },

    absentTools: () =>
      isThere() ? [] : (remembered()?.lists.tools ?? noTools).map(({ name }) => ({ serverId: id, serverName: server.name(), name })),

    toReview() {
      // Nothing of a server that is not to run waits for anybody; while it starts, what is known is from the last time.
      if (!server.runnable()) return undefined;
      const offer = server.status().state === 'starting' ? remembered() : known();
      return offer && deps.definitions?.waiting(id, offer.lists);
    },

    keep: (configHash, { protocol, lists }) =>
      cached.keep({ configHash, authorizationKey: server.authorizationKey(), protocol, lists: lists() }),
  };
}
