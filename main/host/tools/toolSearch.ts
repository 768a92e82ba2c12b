import type { ServerTool } from '../mcp/callTool.ts';

/** The most a query may hold; the rest is not read. */
const maxQueryLength = 500;
const maxTextLength = 1000;

/** The words of one field, in lower case with a blank around each, and what a word there weighs. */
interface Field {
  words: string;
  weight: number;
}

/** A tool's fields are worked out once for as long as its server's list stands. */
const fieldsByTool = new WeakMap<ServerTool, Field[]>();

/**
 * The tools that fit a query best, best first, at most `limit`; none when no word fits. Words of the tool's name weigh most, then title and server,
 * then description and argument names; words that stand in many tools weigh little. Works for scripts without spaces.
 */
export function searchTools(tools: readonly ServerTool[], query: string, limit: number): ServerTool[] {
  const wanted = [...new Set(wordsOf(query.slice(0, maxQueryLength)))];
  const fields = tools.map(fieldsOf);
  const scores = tools.map(() => 0);
  for (const word of wanted) {
    const matches = fields.map((own) => matchOf(own, word));
    const rarity = Math.log(1 + (tools.length + 1) / (matches.filter((match) => match > 0).length + 1));
    matches.forEach((match, position) => (scores[position] = (scores[position] ?? 0) + match * rarity));
  }
  return tools
    .map((tool, position) => ({ tool, position, score: scores[position] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** A word counts in full where it stands whole, half where it begins another one or is its plural. */
function matchOf(fields: readonly Field[], word: string): number {
  const stem = word.length > 3 ? word.replace(/s$/, '') : word;
  let best = 0;
  for (const { words, weight } of fields) {
    if (weight <= best) break;
    if (words.includes(` ${word} `)) best = weight;
    else if (weight / 2 > best && word.length >= 3 && words.includes(` ${stem}`)) best = weight / 2;
  }
  return best;
}

/** Heaviest first. */
function fieldsOf(tool: ServerTool): Field[] {
  const known = fieldsByTool.get(tool);
  if (known !== undefined) return known;
  const properties = tool.inputSchema['properties'];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 50).join(' ') : '';
  const fields = [
    { text: tool.name, weight: 4 },
    { text: tool.title ?? '', weight: 3 },
    { text: tool.serverName, weight: 2 },
    { text: `${(tool.description ?? '').slice(0, maxTextLength)} ${names}`, weight: 1 },
  ].map(({ text, weight }) => ({ words: ` ${wordsOf(text).join(' ')} `, weight }));
  fieldsByTool.set(tool, fields);
  return fields;
}

/**
 * Lower-case words of a text: identifiers split at case and punctuation, accents dropped,
 * stretches of Chinese, Japanese and Korean as pairs of characters.
 */
export function wordsOf(text: string): string[] {
  // Nearly every tool is described in ASCII, for which this is many times faster.
  if (/^[\x00-\x7f]*$/.test(text))
    return (
      text
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []
    );
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
