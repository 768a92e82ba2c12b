import type { ServerTool } from '../mcp/callTool.ts';

/** The most a query may hold; the rest is not read. */
const maxQueryLength = 500;
const maxTextLength = 2000;

interface Entry {
  /** Weight of each word: how much it says about this tool. */
  words: Map<string, number>;
}

/** Words of a tool are worked out once for as long as its server's list stands. */
const entries = new WeakMap<ServerTool, Entry>();

/**
 * The tools that fit a query best, best first, at most `limit`; none when no word fits. Words of the tool's name weigh most, then title and server,
 * then description and argument names; words that stand in many tools weigh little. Works for scripts without spaces.
 */
export function searchTools(tools: readonly ServerTool[], query: string, limit: number): ServerTool[] {
  const wanted = [...new Set(wordsOf(query.slice(0, maxQueryLength)))];
  const indexed = tools.map((tool) => ({ tool, entry: entryOf(tool) }));
  const weights = wanted.map((word) => {
    const holders = indexed.reduce((count, { entry }) => count + (matchOf(entry, word) > 0 ? 1 : 0), 0);
    return { word, rarity: Math.log(1 + (tools.length + 1) / (holders + 1)) };
  });
  return indexed
    .map(({ tool, entry }, position) => ({
      tool,
      position,
      score: weights.reduce((sum, { word, rarity }) => sum + matchOf(entry, word) * rarity, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** A word counts in full where it stands whole, in part where it begins another one or is its plural. */
function matchOf(entry: Entry, word: string): number {
  const exact = entry.words.get(word);
  if (exact !== undefined) return exact;
  if (word.length < 3) return 0;
  let best = 0;
  for (const [known, weight] of entry.words) {
    if (known.length >= 3 && (known.startsWith(word) || word.startsWith(known)) && Math.abs(known.length - word.length) <= 4)
      best = Math.max(best, weight / 2);
  }
  return best;
}

function entryOf(tool: ServerTool): Entry {
  const known = entries.get(tool);
  if (known !== undefined) return known;
  const words = new Map<string, number>();
  const add = (text: string | undefined, weight: number): void => {
    for (const word of wordsOf((text ?? '').slice(0, maxTextLength))) words.set(word, Math.max(weight, words.get(word) ?? 0));
  };
  const properties = tool.inputSchema['properties'];
  if (typeof properties === 'object' && properties !== null) add(Object.keys(properties).slice(0, 50).join(' '), 1);
  add(tool.description, 1);
  add(tool.serverName, 2);
  add(tool.title, 3);
  add(tool.name, 4);
  const entry = { words };
  entries.set(tool, entry);
  return entry;
}

/**
 * Lower-case words of a text: identifiers split at case and punctuation, accents dropped,
 * stretches of Chinese, Japanese and Korean as pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .replace(/(\p{Lowercase}|\d)(\p{Uppercase})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  return (plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{Letter}\p{Number}]+/gu) ?? []).flatMap(
    (stretch) => {
      if (!/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(stretch)) {
        return stretch.match(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu) ?? [];
      }
      const characters = [...stretch];
      return characters.length === 1
        ? characters
        : characters.slice(0, -1).map((character, index) => character + (characters[index + 1] ?? ''));
    },
  );
}
