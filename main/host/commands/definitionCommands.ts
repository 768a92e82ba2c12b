import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerLists } from '../mcp/serverLists.ts';
import { definitionReview, definitionWhole } from '../policy/definitionReview.ts';
import { checkSeen } from '../policy/definitions.ts';
import { refuse } from '../refusal.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** What servers define, and what of it the person agreed to. */
export function definitionCommands({ servers, definitions, pool }: CommandContext): Handlers<'definition'> {
  const listsOf = (serverId: ServerId): ServerLists =>
    servers.listsOf(serverId) ??
    refuse('wrongState', 'This server was never connected, so nothing is known of what it offers. Start it first.');

  return {
    'definition.review': async ({ serverId }) => ({
      review: await definitionReview({ servers, definitions, pool }, serverId, listsOf(serverId)),
    }),
    'definition.one': ({ serverId, kind, name }) => ({
      definition:
        definitionWhole(serverId, definitions.review(serverId, listsOf(serverId)), { kind, name }) ??
        refuse('notFound', 'The server does not define this any more.'),
    }),
    'definition.accept': ({ serverId, seen, only, off, effects }) => {
      const lists = listsOf(serverId);
      checkSeen(lists, seen);
      // First what the tools do: once they are agreed to, a model may ask for them.
      for (const { tool, effects: set } of effects) servers.classifyTool(serverId, tool, set);
      definitions.accept(serverId, lists, seen, { only, off });
      return done;
    },
    'definition.leave': ({ serverId, seen }) => {
      definitions.leave(serverId, listsOf(serverId), seen);
      return done;
    },
    'definition.setOff': ({ serverId, kind, name, isOff }) => {
      definitions.setOff(serverId, { kind, name }, isOff);
      return done;
    },
  };
}
