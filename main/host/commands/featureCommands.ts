import type { featureCommands as contract } from '../../../preload/contract/commands/featureCommands.ts';
import type { FeatureAnswer } from '../mcp/features.ts';
import { fillTemplate } from '../mcp/uriTemplate.ts';
import { leadsOutOf } from '../policy/templateLook.ts';
import { refuse } from '../refusal.ts';
import { blocksOfContents, shapeResult } from '../tools/result.ts';
import { createResultStore } from '../tools/resultStore.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

export type FeatureHandlers = Pick<Handlers<'resource' | 'prompt' | 'completion' | 'task' | 'server'>, keyof typeof contract>;

/** Resources, prompts, completion, logging and tasks of servers. */
export function featureCommands({ servers, definitions, blobs, calls, events, ports }: CommandContext): FeatureHandlers {
  /** Nobody but the time-out ends a request of a person: there is no command that would. */
  const asker = () => ({ signal: new AbortController().signal });
  const shape = (content: unknown[]) => shapeResult({ content, hasStructuredContent: false }, createResultStore(blobs, undefined));

  return {
    'resource.read': async ({ serverId, uri }) => {
      const { contents } = valueOf(await servers.readResource(serverId, uri, asker()));
      return { blocks: shape(blocksOfContents(contents)) };
    },
    'resource.fill': async ({ serverId, uriTemplate, values, confirmed }) => {
      const filled = fillTemplate(uriTemplate, values);
      if (!('uri' in filled)) return refuse('invalidInput', filled.problem);
      // Elsewhere a path means another disk.
      const isHere = servers.list().some(({ id, kind }) => id === serverId && kind !== 'remote');
      if (confirmed || !isHere) return filled;
      const system = { platform: process.platform, home: ports.paths.home };
      const leadsTo = await leadsOutOf({ uri: filled.uri, uriTemplate, folders: servers.foldersOf(serverId) }, system);
      return leadsTo === undefined ? filled : { leadsTo };
    },
    'resource.subscribe': async ({ serverId, uri }) => ({ told: await servers.watchResource(serverId, uri) }),
    'resource.unsubscribe': async ({ serverId, uri }) => {
      await servers.unwatchResource(serverId, uri);
      return done;
    },
    'prompt.get': async ({ serverId, name, values }) => {
      definitions.agreedPrompt(serverId, name);
      const { description, messages } = valueOf(await servers.getPrompt(serverId, name, values, asker()));
      return {
        ...(description === undefined ? {} : { description }),
        messages: messages.map(({ role, content }) => ({ role, blocks: shape(Array.isArray(content) ? content : [content]) })),
      };
    },
    'completion.complete': async ({ serverId, of, argument, others }) => {
      const ref =
        of.kind === 'prompt' ? ({ type: 'ref/prompt', name: of.name } as const) : ({ type: 'ref/resource', uri: of.uriTemplate } as const);
      const { values, total, hasMore } = valueOf(await servers.complete(serverId, ref, argument, others, asker()));
      return { values, ...(total === undefined ? {} : { total }), hasMore };
    },
    'server.icon': async ({ serverId, icon, theme }) => {
      const dataUrl = await servers.readIcon(serverId, icon, theme);
      return dataUrl === undefined ? {} : { dataUrl };
    },
    'server.setLogLevel': ({ serverId, level }) => {
      servers.setLogLevel(serverId, level ?? undefined);
      return done;
    },
    'task.list': () => ({ tasks: calls.tasks.list(), revision: events.revision('servers') }),
    'task.cancel': ({ callId }) => {
      calls.tasks.cancel(callId);
      return done;
    },
  };
}

function valueOf<Value>(answer: FeatureAnswer<Value>): Value {
  switch (answer.kind) {
    case 'ok':
      return answer.value;
    case 'notFound':
      return refuse('notFound', answer.message);
    case 'cancelled':
      return refuse('cancelled', 'It was stopped.');
    case 'failed':
      return refuse('serverFailed', answer.message, answer.detail === undefined ? {} : { detail: answer.detail });
  }
}
