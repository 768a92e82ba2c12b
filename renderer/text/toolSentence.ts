import { argumentRows } from './argumentRows.ts';
import { chineseNouns, chineseVerbs } from './chineseToolWords.ts';
import { englishVerbs } from './englishVerbs.ts';

/** What a tool does, in three tenses, from the words of its name. `target` is the beginning of the argument that says to what. */
export interface ToolSentence {
  base: string;
  doing: string;
  done: string;
  target?: string;
  /** Present where `target` is the whole of that argument. */
  whole?: true;
}

/** Arguments that name what a call is about, the likeliest first. */
const targets = [
  'path',
  'file',
  'file_path',
  'filename',
  'source',
  'uri',
  'url',
  'to',
  'recipient',
  'repo',
  'query',
  'q',
  'pattern',
  'name',
  'title',
  'id',
  'city',
  'message',
  'text',
];
const longestTarget = 120;

function targetOf(argumentsJson: string): Pick<ToolSentence, 'target' | 'whole'> {
  const rows = argumentRows(argumentsJson);
  for (const name of targets) {
    const row = rows.find((each) => each.name === name && each.kind === 'string' && each.value !== '');
    if (row === undefined) continue;
    const target = /^.*/.exec(row.value)?.[0].slice(0, longestTarget) ?? '';
    return target === row.value ? { target, whole: true } : { target };
  }
  return {};
}

type Tenses = Pick<ToolSentence, 'base' | 'doing' | 'done'>;

/** What stands for a tool whose name begins with no verb that is known here. */
interface Use {
  base(tool: string): string;
  doing(tool: string): string;
  done(tool: string): string;
}

/**
 * A line for a call. Only the words of the tool's own name and its arguments are used, never its description; where the first
 * word is no known verb of the language, the sentence says that the tool is used.
 * @param language `en` or `zh`.
 */
export function toolSentence(tool: string, argumentsJson: string, language: string, use: Use): ToolSentence {
  const words = tool
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
  const tenses = (language.startsWith('zh') ? inChinese(words) : language.startsWith('en') ? inEnglish(words) : undefined) ?? {
    base: use.base(tool),
    doing: use.doing(tool),
    done: use.done(tool),
  };
  return { ...tenses, ...targetOf(argumentsJson) };
}

function inEnglish([first = '', ...rest]: readonly string[]): Tenses | undefined {
  const verb = Object.hasOwn(englishVerbs, first) ? englishVerbs[first] : undefined;
  if (verb === undefined) return undefined;
  const what = rest.map((word) => ` ${word}`).join('');
  return { base: first + what, doing: verb[0] + what, done: verb[1] + what };
}

/** Names of which one word is unknown keep all words behind the verb as they are: half a translation is none. */
function inChinese([first = '', ...rest]: readonly string[]): Tenses | undefined {
  const verb = Object.hasOwn(chineseVerbs, first) ? chineseVerbs[first] : undefined;
  if (verb === undefined) return undefined;
  const known = rest.every((word) => Object.hasOwn(chineseNouns, word));
  const what = known ? rest.map((word) => chineseNouns[word]).join('') : ` ${rest.join(' ')}`;
  return { base: verb + what, doing: `正在${verb}${what}`, done: `已${verb}${what}` };
}
