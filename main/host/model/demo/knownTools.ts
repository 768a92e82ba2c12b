import type { SentenceParts } from './sentenceParts.ts';

/** A tool of a bundled server that the demo model knows by its words. */
export interface KnownTool {
  /** The server's own name of the tool. */
  tool: string;
  /** The sentence must say this, in English or Chinese. */
  says: RegExp;
  /** And hold this. */
  needs?: ('path' | 'file' | 'twoPaths' | 'quoted' | 'twoNumbers')[];
  /** Where the schema alone does not tell how a sentence becomes arguments. Undefined: the sentence does not say enough. */
  fill?(parts: SentenceParts): Record<string, unknown> | undefined;
  /** A second call that follows from the first one's result. */
  next?(resultText: string, parts: SentenceParts): { tool: string; arguments: Record<string, unknown> } | undefined;
}

/** In order: of two that fit a sentence the first is taken. */
export const knownTools: readonly KnownTool[] = [
  { tool: 'write_file', says: /\b(write|save|put)\b|写|保存/i, needs: ['file', 'quoted'], fill: writing },
  { tool: 'move_file', says: /\b(move|rename)\b|移动|移到|重命名|改名/i, needs: ['twoPaths'] },
  { tool: 'create_directory', says: /\b(create|make|new)\b.*\b(folder|directory)\b|(新建|创建|建立).*(文件夹|目录)/i, needs: ['path'] },
  { tool: 'directory_tree', says: /\btree\b|树/i, needs: ['path'] },
  { tool: 'search_files', says: /\b(search|find|look for)\b|搜索|查找|寻找|找出/i, needs: ['path'], fill: searching },
  { tool: 'get_file_info', says: /\b(info|information|details|how (big|large)|size|when was)\b|信息|详情|多大|大小/i, needs: ['path'] },
  { tool: 'read_text_file', says: /\b(read|open|print|show|what does)\b|读|打开|查看|显示/i, needs: ['file'] },
  {
    tool: 'list_directory',
    says: /\b(list|show|what('s| is| are)|which|see|look)\b|列出|列一下|显示|看看|查看|有什么|有哪些/i,
    needs: ['path'],
  },
  { tool: 'list_allowed_directories', says: /\b(which|what|list)\b.*\b(folders|directories)\b|(哪些|什么|列出).*(文件夹|目录)/i },
  { tool: 'read_graph', says: /\b(everything|all)\b.*\b(remember|know|memory)\b|(全部|所有|一切).*(记忆|记得)/i },
  {
    tool: 'search_nodes',
    says: /\bwhat (do|did) (you|i)\b.*\b(remember|know|tell)\b|\b(recall|remember anything)\b|记得|想起|回忆/i,
    fill: recalling,
  },
  { tool: 'create_entities', says: /^\W*(please\s+)?(remember|note|memorize)\b|记住|记下|请记/i, fill: remembering, next: rememberingMore },
  { tool: 'delete_entities', says: /^\W*(please\s+)?forget\b|忘记|忘掉/i, fill: forgetting },
  { tool: 'get-sum', says: /\b(add|sum|plus|total)\b|加|求和|总和|之和/i, needs: ['twoNumbers'] },
  { tool: 'echo', says: /\b(echo|repeat|say)\b|复述|重复|回声/i },
  { tool: 'get-tiny-image', says: /\b(tiny|little|small|sample)\b.*\b(image|picture)\b|小图|图片/i },
];

/** Whether a sentence says and holds what a tool wants. */
export function fitsSentence(known: KnownTool, parts: SentenceParts): boolean {
  return known.says.test(parts.text) && (known.needs ?? []).every((need) => holds(need, parts));
}

function holds(need: NonNullable<KnownTool['needs']>[number], parts: SentenceParts): boolean {
  switch (need) {
    case 'path':
      return parts.paths.length > 0 || parts.pairs.has('path');
    case 'file':
      return [...parts.paths, parts.pairs.get('path') ?? ''].some((path) => /\.[A-Za-z0-9]{1,8}$/.test(path));
    case 'twoPaths':
      return parts.paths.length >= 2;
    case 'quoted':
      return parts.quoted.length > 0 || parts.pairs.has('content');
    case 'twoNumbers':
      return parts.numbers.length >= 2;
  }
}

function writing(parts: SentenceParts): Record<string, unknown> | undefined {
  const path = parts.pairs.get('path') ?? parts.paths.find((candidate) => /\.[A-Za-z0-9]{1,8}$/.test(candidate));
  const content = parts.pairs.get('content') ?? parts.quoted.find((quoted) => quoted !== path);
  return path === undefined || content === undefined ? undefined : { path, content };
}

function searching(parts: SentenceParts): Record<string, unknown> | undefined {
  const path = parts.pairs.get('path') ?? parts.paths[0];
  const wanted =
    parts.pairs.get('pattern') ??
    parts.quoted.find((quoted) => quoted !== path) ??
    word(
      parts.rest,
      /\b(?:search|find|look)(?:\s+for)?\s+(?:files?\s+(?:named|called|with)\s+)?(\S+)/i,
      /(?:搜索|查找|寻找|找出)\s*([^\s的]+)/,
    );
  if (path === undefined || wanted === undefined) return undefined;
  return { path, pattern: /[*?]/.test(wanted) ? wanted : `**/*${wanted}*` };
}

function remembering(parts: SentenceParts): Record<string, unknown> | undefined {
  const { subject, statement } = fact(parts);
  return statement === '' ? undefined : { entities: [{ name: subject, entityType: 'note', observations: [statement] }] };
}

/** The memory server passes over a name that it has already: what is new about it goes in as an observation. */
function rememberingMore(resultText: string, parts: SentenceParts): { tool: string; arguments: Record<string, unknown> } | undefined {
  if (resultText.replace(/\s/g, '') !== '[]') return undefined;
  const { subject, statement } = fact(parts);
  return { tool: 'add_observations', arguments: { observations: [{ entityName: subject, contents: [statement] }] } };
}

function recalling(parts: SentenceParts): Record<string, unknown> | undefined {
  const query =
    parts.pairs.get('query') ??
    parts.quoted[0] ??
    word(parts.rest, /\b(?:about|of)\s+(.+)$/i, /关于\s*(.+?)\s*(?:的.*|什么.*|吗.*)?[？?。]?$/) ??
    word(parts.rest, /\b(?:recall|remember)\s+(.+)$/i, /(?:记得|想起|回忆)\s*(.+?)\s*(?:的.*|什么.*|吗.*)?[？?。]?$/);
  return query === undefined ? undefined : { query };
}

function forgetting(parts: SentenceParts): Record<string, unknown> | undefined {
  const name = parts.quoted[0] ?? word(parts.rest, /\bforget\s+(?:about\s+)?(.+)$/i, /(?:忘记|忘掉)\s*(.+?)[。]?$/);
  return name === undefined ? undefined : { entityNames: [name] };
}

/** “Ada likes tea”: what is remembered, and whom it is about. */
function fact(parts: SentenceParts): { subject: string; statement: string } {
  const statement = parts.text
    .replace(/^\W*(?:please\s+)?(?:remember|note|memorize)(?:\s+that)?\s*[:,]?\s*/i, '')
    .replace(/^.*?(?:请?记住|请?记下|请记得?)\s*[：:，,]?\s*/, '')
    .replace(/[.。!！]+$/, '')
    .trim();
  const english =
    /^(.+?)\s+(?:is|are|was|were|has|have|likes?|loves?|hates?|wants?|needs?|lives?|works?|drinks?|eats?|owns?|prefers?|can|will)\b/i.exec(
      statement,
    );
  const chinese = /^(.+?)(?:不?喜欢|是|有|爱|住|讨厌|会|想|要|在)/.exec(statement);
  const subject = (parts.language === 'zh' ? chinese?.[1] : english?.[1]) ?? parts.quoted[0] ?? statement.split(/\s+/)[0] ?? statement;
  return { subject: subject.trim(), statement };
}

function word(text: string, english: RegExp, chinese: RegExp): string | undefined {
  const found = (english.exec(text)?.[1] ?? chinese.exec(text)?.[1])?.replace(/[\s.,;:!?，。；：！？]+$/, '').trim();
  return found === undefined || found === '' ? undefined : found;
}
