import type { Hint } from '../../../preload/contract/definitions.ts';
import { invisibleCharacters } from '../tools/plainText.ts';

/** A tool of another server, as a text could name it. */
export interface NamedTool {
  name: string;
  serverName: string;
}

/** Of one kind in one text no more are told: who has seen ten comments knows. */
const mostOfAKind = 10;
const maxExcerpt = 200;

type Found = Omit<Hint, 'at' | 'excerpt'>;

/**
 * What a person might want to look at in a text of a server: a hint, never a verdict, and no input of any decision. Linear in the
 * length of the text, of which the first `maxLength` characters are looked through.
 */
export function scanText(at: string, whole: string, otherTools: ReadonlyMap<string, string>, maxLength = 1_000_000): Hint[] {
  const text = whole.slice(0, maxLength);
  const isPlain = /^[\x20-\x7e\n\t\r]*$/.test(text);
  return [
    ...(isPlain ? [] : hiddenCharacters(text)),
    ...(isPlain ? [] : lookalikes(text)),
    ...comments(text),
    ...hiddenElements(text),
    ...spokenToModel(text),
    ...(otherTools.size === 0 ? [] : otherToolsNamed(text, otherTools)),
    ...secretsAskedFor(text),
  ].map((found) => ({ ...found, at, excerpt: excerptOf(text, found.from, found.to) }));
}

/** Names by which a tool of another server would be recognised: ordinary words are not, since every text holds them. */
export function recognisableTools(tools: readonly NamedTool[], ownNames: ReadonlySet<string>): Map<string, string> {
  const recognisable = tools.filter(({ name }) => name.length >= 6 && /[_.-]|[a-z][A-Z]/.test(name) && !ownNames.has(name));
  return new Map(recognisable.map(({ name, serverName }) => [name, serverName]));
}

function matches(text: string, pattern: RegExp, hint: (match: RegExpExecArray) => Found | undefined): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(pattern)) {
    const made = hint(match);
    if (made && found.push(made) === mostOfAKind) break;
  }
  return found;
}

function hiddenCharacters(text: string): Found[] {
  return matches(text, new RegExp(`(?:${invisibleCharacters.source})+`, 'gu'), ({ 0: run, index }) => {
    if (/^\r+$/.test(run)) return undefined;
    // Joiners and selectors of emoji.
    if (/^[\u200d\ufe0e\ufe0f]{1,2}$/.test(run) && /\p{Extended_Pictographic}|[0-9#*]/u.test(text.slice(Math.max(0, index - 2), index)))
      return undefined;
    const count = [...run].length;
    return {
      kind: 'hiddenCharacters',
      from: index,
      to: index + run.length,
      text: count === 1 ? 'There is a character here that nobody sees.' : `There are ${count} characters here that nobody sees.`,
    };
  });
}

/** Letters that look like Latin ones and are none, inside a word of Latin letters. */
const foreignLetter = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\u{1d400}-\u{1d7ff}\uff21-\uff3a\uff41-\uff5a]/u;

function lookalikes(text: string): Found[] {
  return matches(text, /[\p{Letter}\p{Mark}]{2,80}/gu, ({ 0: word, index }) => {
    if (!foreignLetter.test(word) || !/[A-Za-z]/.test(word)) return undefined;
    return {
      kind: 'lookalikes',
      from: index,
      to: index + word.length,
      text: 'This word mixes letters of different scripts that look alike.',
    };
  });
}

const comments = (text: string): Found[] =>
  matches(text, /<!--|^[ \t]*\[(?:\/\/|comment|_)\]:\s*(?:#|<>)/gim, ({ 0: start, index }) => {
    const end = start === '<!--' ? text.indexOf('-->', index) : text.indexOf('\n', index);
    const to = end < 0 ? text.length : end + (start === '<!--' ? 3 : 0);
    return { kind: 'comment', from: index, to, text: 'A comment: it is not shown where the text is rendered, and a model reads it.' };
  });

const hidingStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|(?:width|height)\s*:\s*0|text-indent\s*:\s*-\d{3}|(?:left|top)\s*:\s*-\d{3}|(?<!-)color\s*:\s*(?:white|transparent|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)/i;

const hiddenElements = (text: string): Found[] =>
  matches(text, /<[a-z][\w-]{0,30}\s[^<>]{1,2000}>/gi, ({ 0: tag, index }) => {
    const isHidden =
      hidingStyle.test(tag) ||
      /\s(?:hidden|aria-hidden\s*=\s*["']?true)(?=[\s>=/"'])/i.test(tag) ||
      /\s(?:width|height)\s*=\s*["']?0["'\s>]/i.test(tag);
    if (!isHidden) return undefined;
    const close = text.indexOf('<', index + tag.length);
    const to = close < 0 ? Math.min(text.length, index + tag.length + 500) : close;
    return { kind: 'hiddenElement', from: index, to, text: 'An element that a page would not show, and a model reads.' };
  });

/** Ways to give a model orders. Bounded gaps: no pattern looks further than a sentence. */
const orders: RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all other|preceding|foregoing|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|messages?|context|directions?)\b/gi,
  /\b(?:do not|don['’]t|never|must not|without)\b[^.\n]{0,30}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|show|showing|ask|asking|notify|notifying|alert|alerting)\b[^.\n]{0,40}\b(?:user|human|person|anyone|them)\b/gi,
  /\b(?:before|after|prior to|whenever|when)\b[^.\n]{0,20}\b(?:using|calling|invoking|running|you use|you call)\b[^.\n]{0,20}\b(?:this|any|every|another|other)\b[^.\n]{0,20}\btools?\b/gi,
  /<\/?\s*(?:important|system|instructions?|secret|hidden|admin|assistant|critical|rules?)\s*>/gi,
  /\[\/?(?:INST|SYSTEM|IMPORTANT)\]|<\|im_(?:start|end)\|>|<\|(?:system|user|assistant)\|>/g,
  /\byou\s+(?:must|should|have to|are required to|need to)\s+(?:always|first|also|immediately|never)\b/gi,
  /\b(?:you are now|from now on,? you|new instructions?:|system prompt|as an? (?:AI|language model|assistant)\b)/gi,
  /(?:忽略|无视|忘记)[^。\n]{0,12}(?:之前|以上|前面|先前|所有)[^。\n]{0,12}(?:指示|指令|提示|规则)|(?:不要|别|切勿)[^。\n]{0,8}(?:告诉|告知|通知|提醒)[^。\n]{0,6}(?:用户|使用者|任何人)/g,
];

const spokenToModel = (text: string): Found[] =>
  orders
    .flatMap((pattern) =>
      matches(text, pattern, ({ 0: words, index }) => ({
        kind: 'speaksToModel',
        from: index,
        to: index + words.length,
        text: 'This speaks to the model rather than to you.',
      })),
    )
    .sort((a, b) => a.from - b.from)
    .slice(0, mostOfAKind);

const otherToolsNamed = (text: string, otherTools: ReadonlyMap<string, string>): Found[] =>
  matches(text, /[A-Za-z][\w.-]{5,127}/g, ({ 0: word, index }) => {
    const name = otherTools.has(word) ? word : word.replace(/[.-]+$/, '');
    const serverName = otherTools.get(name);
    if (serverName === undefined) return undefined;
    return {
      kind: 'namesOtherTool',
      from: index,
      to: index + name.length,
      text: `This names a tool of another server, ${serverName.slice(0, 100)}.`,
      serverName,
    };
  });

const secrets: RegExp[] = [
  /(?:~|\$HOME|%USERPROFILE%|\/home\/\w{1,64}|\/root)?[\\/]?\.(?:ssh|aws|gnupg|kube|docker|azure)\b[\w./\\-]{0,100}|\bid_(?:rsa|ed25519|ecdsa)\b|(?<![\w.])\.(?:env|npmrc|pypirc|netrc|git-credentials|bash_history|zsh_history)\b|\/etc\/(?:passwd|shadow)\b|\b(?:wallet\.dat|login\.keychain|credentials\.json)\b|\.cursor[\\/]mcp\.json\b/gi,
  /\b(?:read|send|include|provide|pass|paste|give|share|copy|forward|upload|attach|put|enter|supply|exfiltrate)\b[^.\n]{0,60}\b(?:passwords?|passphrases?|api[ _-]?keys?|private keys?|secret keys?|access tokens?|credentials?|session cookies?|seed phrases?|ssh keys?)\b/gi,
];

const secretsAskedFor = (text: string): Found[] =>
  secrets
    .flatMap((pattern) =>
      matches(text, pattern, ({ 0: words, index }) => ({
        kind: 'asksForSecret',
        from: index,
        to: index + words.length,
        text: 'This names keys, passwords or a place where they are kept.',
      })),
    )
    .sort((a, b) => a.from - b.from)
    .slice(0, mostOfAKind);

/** Hidden characters spelled out; the letters that tag characters stand for are written as what they say. */
function excerptOf(text: string, from: number, to: number): string {
  const piece = text.slice(from, Math.min(to, from + 4 * maxExcerpt)).toWellFormed();
  const spelled = piece.replace(new RegExp(`(?:${invisibleCharacters.source})+`, 'gu'), (run) => {
    const said = [...run].map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= 0xe0020 && code <= 0xe007e
        ? String.fromCodePoint(code - 0xe0000)
        : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
    });
    return said.join('');
  });
  return spelled.length <= maxExcerpt ? spelled : `${spelled.slice(0, maxExcerpt - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
