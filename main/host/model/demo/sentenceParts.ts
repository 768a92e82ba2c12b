/** What a sentence holds that a tool can use. */
export interface SentenceParts {
  text: string;
  language: 'en' | 'zh';
  /** `name=value`, by lower-case name. */
  pairs: Map<string, string>;
  quoted: string[];
  paths: string[];
  urls: string[];
  numbers: number[];
  /** The sentence without all of these. */
  rest: string;
}

const pair = /([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|“[^”]*”|[[{][^\n]*[\]}]|[^\s,，。]+)/g;
const quotes = /"((?:[^"\\]|\\.)*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』|`([^`]*)`|(?<=^|[\s(（:：])'([^']*)'(?=$|[\s)）.,;!?])/g;
const url = /\bhttps?:\/\/[^\s"'“”，。]+/g;
/** Absolute, in the home folder or with a drive. Han characters belong to it only right after a slash: “/tmp/a.txt的内容”. */
const absolutePath =
  /(?<![\w.])(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[^\s"'`“”「」『』，。？！；：、,;?!()（）<>|*\p{Script=Han}]|(?<=[\\/])\p{Script=Han}+)*/gu;
const fileName = /(?<![\w/\\.])[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}\b/g;
const number = /(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)/g;

/** Takes a sentence apart, in this order: pairs, quoted texts, addresses, paths, numbers. */
export function partsOf(text: string): SentenceParts {
  let rest = text;
  const take = (pattern: RegExp, use: (groups: string[]) => void): void => {
    const found = [...rest.matchAll(pattern)];
    rest = rest.replace(pattern, ' ');
    for (const match of found) use([...match].map((group) => group ?? ''));
  };
  const parts: SentenceParts = {
    text,
    language: 'en',
    pairs: new Map(),
    quoted: [],
    paths: [],
    urls: [],
    numbers: [],
    rest: '',
  };
  take(pair, ([, name, value]) => parts.pairs.set((name ?? '').toLowerCase(), unquoted(value ?? '')));
  take(quotes, (groups) => parts.quoted.push(groups.slice(1).find((group) => group !== '') ?? ''));
  take(url, ([found]) => parts.urls.push((found ?? '').replace(/[.,;!?]+$/, '')));
  take(absolutePath, ([found]) => parts.paths.push((found ?? '').replace(/[.:]+$/, '')));
  if (parts.paths.length === 0) take(fileName, ([found]) => parts.paths.push(found ?? ''));
  // A text in quotes may be meant as a path: one with blanks in it can be written no other way.
  for (const quoted of parts.quoted) if (/^(?:~|[A-Za-z]:)?[\\/]/.test(quoted)) parts.paths.push(quoted);
  take(number, ([found]) => parts.numbers.push(Number(found)));
  parts.rest = rest.replace(/\s+/g, ' ').trim();
  // The person's own words say in which language they ask: an English question about 行程.md is an English one.
  if (/\p{Script=Han}/u.test(/\p{L}/u.test(rest) ? rest : text)) parts.language = 'zh';
  return parts;
}

function unquoted(value: string): string {
  const inner = /^(?:"(.*)"|'(.*)'|“(.*)”)$/s.exec(value);
  return inner === null ? value : (inner[1]?.replace(/\\(["\\])/g, '$1') ?? inner[2] ?? inner[3] ?? '');
}
