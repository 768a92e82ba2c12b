import type { ServerTool } from '../mcp/callTool.ts';
import type { ModelLimits, ModelTool } from '../model/model.ts';
import { estimateTokens } from '../model/tokens.ts';
import { assignWireNames, type WireNames } from './names.ts';
import { plainText } from './plainText.ts';
import { projectSchema } from './projection.ts';
import { searchTools } from './toolSearch.ts';

/** All tools of all servers as one model gets them in one request. */
export interface Catalogue {
  /** All that it was built of, with the definitions that calls are held to. */
  tools: readonly ServerTool[];
  /** In a stable order, so that providers can cache the start of a prompt. */
  modelTools: ModelTool[];
  /** The tool behind a name, offered in this request or not; the host's own tools are not among them. */
  find(wireName: string): ServerTool | undefined;
  /** True when the tools are too many: the model is offered `find_tools` and what it has loaded. */
  deferred: boolean;
  /** Estimated tokens of `modelTools`. */
  tokens: number;
  /** Answers a call of `find_tools`; the turn adds `wireNames` to what is loaded. */
  findTools(argumentsOfCall: Record<string, unknown>): { text: string; isError: boolean; wireNames: string[] };
}

export const findToolsName = 'find_tools';

/** Above this share of the context window, tools are found instead of listed. */
const schemaShare = 0.1;
const foundAtOnce = 8;
const maxDescription: Record<ModelLimits['dialect'], number> = { anthropic: 4096, google: 4096, openai: 1024, plain: 1024 };

/** Projections by schema and dialect: a server's list stands for many requests. */
const projections = new WeakMap<Record<string, unknown>, Map<string, ModelTool & { tokens: number }>>();

/**
 * What a model is offered of `tools`. Names are unique by server, schemas projected, texts bounded and without invisible characters.
 * `loaded` holds the wire names found in this conversation; of more than fit, the ones loaded last stay.
 */
export function buildCatalogue(tools: readonly ServerTool[], limits: ModelLimits, loaded: ReadonlySet<string>): Catalogue {
  const names = namesOf(tools);
  const named = tools.flatMap((tool) => {
    const wireName = names.nameOf(tool);
    return wireName === undefined ? [] : [{ tool, wireName }];
  });
  const toolOf = ({ tool, wireName }: (typeof named)[number]): ModelTool & { tokens: number } =>
    modelToolOf(tool, wireName, limits.dialect);
  const budget = limits.contextTokens * schemaShare;
  const tooMany = named.length > limits.maxTools;
  // Too many to list: then only what is loaded is worth projecting.
  const all = (tooMany ? named.filter(({ wireName }) => loaded.has(wireName)) : named).map(toolOf);
  const deferred = tooMany || all.reduce((sum, { tokens }) => sum + tokens, 0) > budget;
  const offered = deferred ? withinBudget(all, loaded, limits.maxTools - 1, budget) : all;
  const modelTools: ModelTool[] = offered.map(({ tokens: _tokens, ...tool }) => tool);
  let tokens = offered.reduce((sum, tool) => sum + tool.tokens, 0);
  if (deferred) {
    const finder = finderOf(tools);
    modelTools.unshift(finder);
    tokens += tokensOf(finder);
  }
  return {
    tools,
    modelTools,
    find: (wireName) => names.find(wireName),
    deferred,
    tokens,
    findTools: (argumentsOfCall) => {
      const query = argumentsOfCall['query'];
      if (typeof query !== 'string' || query.trim() === '')
        return { text: 'find_tools needs a query: a few words that say what the tool should do.', isError: true, wireNames: [] };
      const found = searchTools(tools, query, foundAtOnce).flatMap((tool) => {
        const wireName = names.nameOf(tool);
        return wireName === undefined ? [] : [{ tool, wireName }];
      });
      if (found.length === 0)
        return { text: `No tool fits ${JSON.stringify(plainText(query, 200))}. Try other words.`, isError: false, wireNames: [] };
      const lines = found.map(
        ({ tool, wireName }) => `- ${wireName}: ${plainText(tool.description ?? tool.title ?? '', 200).replace(/\s+/g, ' ')}`,
      );
      return {
        text: `These tools can be called from your next message on:\n${lines.join('\n')}`,
        isError: false,
        wireNames: found.map(({ wireName }) => wireName),
      };
    },
  };
}

/** Names by the array of all tools, which stands for many requests. */
const assigned = new WeakMap<readonly ServerTool[], WireNames<ServerTool>>();

function namesOf(tools: readonly ServerTool[]): WireNames<ServerTool> {
  let names = assigned.get(tools);
  if (!names) assigned.set(tools, (names = assignWireNames(tools)));
  return names;
}

function withinBudget<Tool extends { wireName: string; tokens: number }>(
  all: readonly Tool[],
  loaded: ReadonlySet<string>,
  maxTools: number,
  budget: number,
): Tool[] {
  const byName = new Map(all.map((tool) => [tool.wireName, tool]));
  const kept = new Set<string>();
  let tokens = 0;
  for (const wireName of [...loaded].reverse()) {
    const tool = byName.get(wireName);
    if (tool === undefined) continue;
    if (kept.size >= maxTools || (kept.size > 0 && tokens + tool.tokens > budget)) break;
    kept.add(wireName);
    tokens += tool.tokens;
  }
  return all.filter(({ wireName }) => kept.has(wireName));
}

function modelToolOf(tool: ServerTool, wireName: string, dialect: ModelLimits['dialect']): ModelTool & { tokens: number } {
  const key = [dialect, wireName, tool.serverId, tool.serverName, tool.title ?? '', tool.description ?? ''].join('\0');
  let known = projections.get(tool.inputSchema);
  if (known === undefined) projections.set(tool.inputSchema, (known = new Map()));
  let made = known.get(key);
  if (made === undefined) {
    const { inputSchema, notes } = projectSchema(tool.inputSchema, dialect);
    const words = plainText(tool.description ?? tool.title ?? '', maxDescription[dialect]);
    const modelTool: ModelTool = {
      wireName,
      description: plainText([words, ...notes].filter((text) => text !== '').join('\n'), maxDescription[dialect]),
      inputSchema,
      origin: { serverId: tool.serverId, serverName: tool.serverName, tool: tool.name, title: tool.title && plainText(tool.title, 200) },
    };
    made = { ...modelTool, tokens: tokensOf(modelTool) };
    known.set(key, made);
  }
  return made;
}

/** What a model reads of one tool at most, whichever model it is: no dialect takes more of a text than the first. */
export const readTool = (tool: ServerTool): ModelTool & { tokens: number } => modelToolOf(tool, tool.name, 'anthropic');

function tokensOf(tool: ModelTool): number {
  return estimateTokens(JSON.stringify({ name: tool.wireName, description: tool.description, parameters: tool.inputSchema }));
}

function finderOf(tools: readonly ServerTool[]): ModelTool {
  const counts = new Map<string, { name: string; count: number }>();
  for (const tool of tools) {
    const known = counts.get(tool.serverId) ?? { name: tool.serverName, count: 0 };
    counts.set(tool.serverId, { ...known, count: known.count + 1 });
  }
  const servers = [...counts.values()].map(({ name, count }) => `${plainText(name, 60)} (${count})`).join(', ');
  return {
    wireName: findToolsName,
    description: plainText(
      `Finds tools by what they do and makes them callable. ${tools.length} tools are connected, too many to list at once. Call this first when none of your tools fits. Servers, with their number of tools: ${servers}.`,
      1024,
    ),
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words: what the tool should do, and on what.' } },
      required: ['query'],
    },
  };
}
