import { wordsOf } from '../../tools/toolSearch.ts';
import type { ModelTool } from '../model.ts';
import { fillArguments } from './fillArguments.ts';
import { fitsSentence, knownTools } from './knownTools.ts';
import type { KnownTool } from './knownTools.ts';
import type { SentenceParts } from './sentenceParts.ts';

export type Choice =
  | { kind: 'call'; tool: ModelTool; known: KnownTool | undefined; arguments: Record<string, unknown> }
  /** A tool fits, but the sentence leaves out arguments that it demands. */
  | { kind: 'incomplete'; tool: ModelTool; missing: string[] }
  | { kind: 'none' };

/** Words that say nothing about which tool is meant. */
const stopWords = new Set(
  'a an and are as at be by can could do for from get give have how i in is it its me my of on or please show so tell that the then this to use using was what when where which with would you your call tool run'.split(
    ' ',
  ),
);

/**
 * The tool that a sentence asks for: one that it names, else one of a bundled server whose words it holds, else the one whose name and description share most
 * with it. A word of the name must be among what they share: a guess from descriptions alone would call anything.
 */
export function chooseCall(parts: SentenceParts, tools: readonly ModelTool[]): Choice {
  const named = namedTool(parts.text, tools);
  if (named !== undefined) {
    const known = knownTools.find(({ tool }) => tool === named.tool.origin?.tool);
    const rest = parts.rest.replace(named.name, ' ').replace(/^\s*(call|use|run|调用|使用|用)\s*/i, '');
    return complete(named.tool, known, { ...parts, rest });
  }
  for (const known of knownTools) {
    const tool = tools.find(({ origin }) => origin?.tool === known.tool);
    if (tool !== undefined && fitsSentence(known, parts)) return complete(tool, known, parts);
  }
  const guessed = bestByWords(parts, tools);
  return guessed === undefined ? { kind: 'none' } : complete(guessed, undefined, parts);
}

function complete(tool: ModelTool, known: KnownTool | undefined, parts: SentenceParts): Choice {
  const own = known?.fill?.(parts);
  const properties = tool.inputSchema['properties'];
  const fitsSchema =
    own !== undefined &&
    typeof properties === 'object' &&
    properties !== null &&
    Object.keys(own).every((name) => Object.hasOwn(properties, name));
  if (fitsSchema) return { kind: 'call', tool, known, arguments: own };
  const filled = fillArguments(parts, tool.inputSchema);
  return filled.missing.length > 0
    ? { kind: 'incomplete', tool, missing: filled.missing }
    : { kind: 'call', tool, known, arguments: filled.arguments };
}

function namedTool(text: string, tools: readonly ModelTool[]): { tool: ModelTool; name: string } | undefined {
  for (const tool of tools) {
    const { origin, wireName } = tool;
    if (origin === undefined) continue;
    const names = [wireName, `${origin.serverName}.${origin.tool}`, ...(/[_-]/.test(origin.tool) ? [origin.tool] : [])];
    const name = names.find((candidate) => new RegExp(`(?<![\\w/.-])${escaped(candidate)}(?![\\w/-])`).test(text));
    if (name !== undefined) return { tool, name };
  }
  return undefined;
}

function bestByWords(parts: SentenceParts, tools: readonly ModelTool[]): ModelTool | undefined {
  const wanted = [...new Set(wordsOf(parts.rest))].filter((word) => word.length > 1 && !stopWords.has(word));
  const indexed = tools.flatMap((tool) =>
    tool.origin === undefined
      ? []
      : [
          {
            tool,
            name: new Set(wordsOf(`${tool.origin.tool} ${tool.origin.title ?? ''}`)),
            server: new Set(wordsOf(tool.origin.serverName)),
            text: new Set(wordsOf(tool.description)),
          },
        ],
  );
  const rarity = (word: string): number =>
    Math.log(1 + indexed.length / (1 + indexed.filter(({ name, text }) => name.has(word) || text.has(word)).length));
  let best: { tool: ModelTool; score: number } | undefined;
  for (const { tool, name, server, text } of indexed) {
    const shared = wanted.filter((word) => name.has(word) || name.has(singular(word)));
    if (shared.length === 0) continue;
    const score =
      shared.reduce((sum, word) => sum + 4 * rarity(word), 0) +
      wanted.reduce((sum, word) => sum + (text.has(word) ? rarity(word) : 0) + (server.has(word) ? 2 : 0), 0) -
      name.size / 100;
    if (best === undefined || score > best.score) best = { tool, score };
  }
  return best?.tool;
}

function singular(word: string): string {
  return word.replace(/s$/, '');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
