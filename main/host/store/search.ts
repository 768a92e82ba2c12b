import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { Jobs } from '../workers/jobs.ts';
import { type Db, inTransaction, prepared } from './database.ts';

/** What is indexed of one text, in UTF-16 code units; the rest of a longer one is not found. */
const longestIndexed = 262_144;
/** Newest matches that are looked at before the best are chosen. */
const candidates = 200;
const snippetLength = 160;

/** Makes a message found by its text, in place of what it was found by before. */
export function indexMessage(
  db: Db,
  { conversationId, messageId, text, at }: { conversationId: ConversationId; messageId: MessageId; text: string; at: number },
): void {
  inTransaction(db, () => {
    removeMessage(db, messageId);
    insertRow(db, conversationId, messageId, text, at);
  });
}

/** Makes a conversation found by its title: one row without a message. */
export function indexTitle(db: Db, { conversationId, title, at }: { conversationId: ConversationId; title: string; at: number }): void {
  inTransaction(db, () => {
    prepared(db, 'DELETE FROM search_rows WHERE conversation_id = ? AND message_id IS NULL').run(conversationId);
    insertRow(db, conversationId, null, title, at);
  });
}

export function removeMessage(db: Db, messageId: MessageId): void {
  prepared(db, 'DELETE FROM search_rows WHERE message_id = ?').run(messageId);
}

function insertRow(db: Db, conversationId: ConversationId, messageId: MessageId | null, text: string, at: number): void {
  const indexed = text.slice(0, longestIndexed);
  const { lastInsertRowid } = prepared(db, 'INSERT INTO search_rows (conversation_id, message_id, text, at) VALUES (?, ?, ?, ?)').run(
    conversationId,
    messageId,
    indexed,
    at,
  );
  const words: string[] = [];
  for (const forms of spansOf(indexed, 'text')) for (const form of forms) for (const word of form) words.push(word.text);
  prepared(db, 'INSERT INTO search_words (rowid, words) VALUES (?, ?)').run(lastInsertRowid, words.join(' '));
}

/**
 * Messages and titles that hold every word of the query, the last one as a beginning too. Titles first, then the newest.
 * Ranges are [start, end) in the snippet. Reads only, so that it may run on a connection of a worker.
 */
export function search(db: Db, query: string, limit: number): Jobs['search']['output'] {
  const terms = [...spansOf(query, 'query')];
  if (terms.length === 0) return [];
  const rows = prepared<[string, number], { conversationId: string; title: string; messageId: string | null; text: string; at: number }>(
    db,
    `SELECT r.conversation_id AS conversationId, c.title, r.message_id AS messageId, r.text, r.at
       FROM (SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ?) w
       JOIN search_rows r ON r.rowid = w.rowid
       JOIN conversations c ON c.id = r.conversation_id`,
  ).all(matchExpression(terms), Math.max(candidates, limit));
  return rows
    .sort((a, b) => Number(a.messageId !== null) - Number(b.messageId !== null) || b.at - a.at)
    .slice(0, limit)
    .map(({ text, ...row }) => ({ ...row, ...snippetOf(text, terms) }));
}

/** A word as it is indexed, and where it stands in the plain text. */
interface Word {
  text: string;
  start: number;
  end: number;
}
/** One run of letters and digits in each way that it may be looked for: as a whole, and as its parts in order. */
type Span = Word[][];

// Chinese and Japanese write no spaces, and where a dictionary cuts depends on the words around. Single characters that must
// stand side by side find every word whatever the cut; only the query is cut into words.
const run = /(?<characters>[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&\p{L}]+)|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv;
const otherUnspacedScripts = /[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
const ascii = /^[\x00-\x7f]*$/;
const partBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

function* spansOf(text: string, kind: 'text' | 'query'): Generator<Span> {
  for (const match of text.matchAll(run)) {
    const [found] = match;
    if (match.groups?.['characters'] !== undefined) {
      if (kind === 'text') yield [charactersOf(found, match.index)];
      else for (const { segment, index } of segmenter.segment(found)) yield [charactersOf(segment, match.index + index)];
    } else if (otherUnspacedScripts.test(found)) {
      for (const { segment, index } of segmenter.segment(found)) yield [[wordAt(segment, match.index + index)]];
    } else {
      const whole = [wordAt(found, match.index)];
      const parts = partsOf(found, match.index);
      yield parts.length > 1 ? [whole, parts] : [whole];
    }
  }
}

const wordAt = (text: string, start: number): Word => ({ text: folded(text), start, end: start + text.length });

function charactersOf(text: string, start: number): Word[] {
  const words: Word[] = [];
  let at = start;
  for (const character of text) {
    words.push(wordAt(character, at));
    at += character.length;
  }
  return words;
}

/** camelCase and PascalCase; what stands between other signs (snake_case, paths) is a run of its own already. */
function partsOf(text: string, start: number): Word[] {
  let at = start;
  return text.split(partBoundary).map((part) => {
    const word = wordAt(part, at);
    at += part.length;
    return word;
  });
}

/** Without case, accents and differences of width. Back to composed forms, or Hangul would fall into letters. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return ascii.test(lower)
    ? lower
    : lower
        .normalize('NFKD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .normalize('NFKC');
}

function matchExpression(terms: Span[]): string {
  return terms
    .map((forms, index) => {
      const beginning = index === terms.length - 1 ? ' *' : '';
      const phrases = forms.map((form) => `"${form.map((word) => word.text.replaceAll('"', '""')).join(' ')}"${beginning}`);
      return `(${phrases.join(' OR ')})`;
    })
    .join(' AND ');
}

/** The piece of the text around the first match, line breaks as blanks, and every match in it. */
function snippetOf(text: string, terms: Span[]): { snippet: string; ranges: [number, number][] } {
  let from: number | undefined;
  let to = text.length;
  const found: [number, number][] = [];
  for (const forms of spansOf(text, 'text')) {
    const start = forms[0]?.[0]?.start ?? 0;
    if (from !== undefined && start >= to) break;
    for (const [start, end] of matchesIn(forms, terms)) {
      if (from === undefined) {
        from = onBoundary(text, Math.max(0, Math.min(start - 40, text.length - snippetLength)));
        to = onBoundary(text, Math.min(text.length, Math.max(from + snippetLength, end)));
      }
      if (end <= to) found.push([start, end]);
    }
  }
  from ??= 0;
  to = Math.min(to, onBoundary(text, Math.max(from + snippetLength, found[0]?.[1] ?? 0)));
  const before = from > 0 ? '…' : '';
  const shift = before.length - from;
  return {
    snippet: `${before}${text.slice(from, to).replaceAll(/\s/g, ' ')}${to < text.length ? '…' : ''}`,
    ranges: merged(found).map(([start, end]) => [start + shift, end + shift]),
  };
}

function matchesIn(span: Span, terms: Span[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [index, term] of terms.entries()) {
    const isLast = index === terms.length - 1;
    for (const form of span) {
      for (const wanted of term) {
        for (let at = 0; at + wanted.length <= form.length; at += 1) {
          const fits = wanted.every((word, offset) => {
            const here = form[at + offset]?.text;
            return here === word.text || (isLast && offset === wanted.length - 1 && here?.startsWith(word.text) === true);
          });
          const first = form[at];
          const last = form[at + wanted.length - 1];
          if (fits && first && last) found.push([first.start, last.end]);
        }
      }
    }
  }
  return found.sort((a, b) => a[0] - b[0]);
}

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** Never between the two halves of a surrogate pair. */
function onBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
