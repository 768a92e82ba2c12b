import { beforeEach, describe, expect, test } from 'vitest';
import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import type { Db } from '../../../main/host/store/database.ts';
import { indexMessage, indexTitle, removeMessage, search } from '../../../main/host/store/search.ts';
import { insertConversation, insertMessage, tempDatabase } from '../../doubles/hostParts.ts';

const chat = 'c1' as ConversationId;
let db: Db;
let made = 0;
beforeEach(() => {
  ({ db } = tempDatabase());
  made = 0;
  insertConversation(db, chat, 'Travel plans');
});

/** Saves and indexes a message; later ones are newer. */
function say(text: string): MessageId {
  made += 1;
  const id = `m${made}` as MessageId;
  insertMessage(db, id, chat);
  indexMessage(db, { conversationId: chat, messageId: id, text, at: made });
  return id;
}
const found = (query: string) => search(db, query, 20).map(({ messageId }) => messageId);
/** The marked pieces of the only hit. */
function marked(query: string): string[] {
  const [hit, ...others] = search(db, query, 20);
  if (!hit || others.length > 0) throw new Error(`${others.length + (hit ? 1 : 0)} hits instead of one.`);
  return hit.ranges.map(([start, end]) => hit.snippet.slice(start, end));
}

describe('search finds', () => {
  test.each([
    ['Chinese words of two characters', '我们在北京大学研究生命起源。', '生命', ['生命']],
    ['Chinese words that a dictionary would cut otherwise', '研究生命起源', '究生', ['究生']],
    ['several Chinese words of one query, wherever they stand', '数据库的性能很好', '数据库性能', ['数据库', '性能']],
    ['one Chinese character', '我爱猫。', '猫', ['猫']],
    ['Japanese', '東京でラーメンを食べた', 'ラーメン', ['ラーメン']],
    ['Korean by the beginning of a word', '한국어를 공부합니다', '한국', ['한국어를']],
    ['Thai, which writes no spaces', 'ฉันรักภาษาไทย', 'ภาษา', ['ภาษา']],
    ['words without the accents they have', 'Un café à Besançon', 'cafe besancon', ['café', 'Besançon']],
    ['words with accents they lack', 'resume of Jose', 'Résumé', ['resume']],
    ['decomposed accents', 'cafe\u0301 closed', 'café', ['cafe\u0301']],
    ['whatever the case', 'The QUICK fox', 'quick FOX', ['QUICK', 'fox']],
    ['full-width letters', 'ＡＢＣ株式会社', 'abc', ['ＡＢＣ']],
    ['Cyrillic', 'Съешь ещё этих булок', 'еще булок', ['ещё', 'булок']],
    ['a camelCase name as a whole', 'call getUserName() now', 'getUserName', ['getUserName']],
    ['a camelCase name written small', 'call getUserName() now', 'getusername', ['getUserName']],
    ['a part of a camelCase name', 'call getUserName() now', 'user', ['User']],
    ['two parts of a camelCase name', 'call getUserName() now', 'userName', ['UserName']],
    ['the parts of an acronym', 'an XMLHttpRequest', 'http', ['Http']],
    ['a part of a snake_case name', 'max_retry_count = 3', 'retry', ['retry']],
    ['a part of a path', 'see /home/anna/Documents/report-2026.pdf', 'report 2026', ['report', '2026']],
    ['the beginning of the last word', 'the configuration file', 'file confi', ['configuration', 'file']],
    ['characters beyond the basic plane', '𠮷野家', '𠮷野', ['𠮷野']],
  ])('%s', (_what, text, query, pieces) => {
    say(text);
    say('Something else, 别的东西, and nothing more.');
    expect(found(query)).toEqual(['m1']);
    expect(marked(query)).toEqual(pieces);
  });
});

describe('search', () => {
  test('asks for every word, and for a whole one where it is not the last', () => {
    say('apple pie');
    say('apple tart');
    expect(found('apple tart')).toEqual(['m2']);
    expect(found('app tart')).toEqual([]);
    expect(found('apple cake')).toEqual([]);
  });

  test('lists titles first, then the newest', () => {
    say('a plan for today');
    say('another plan');
    indexTitle(db, { conversationId: chat, title: 'Travel plans', at: 0 });
    expect(found('plan')).toEqual([null, 'm2', 'm1']);
    expect(search(db, 'plan', 2)).toHaveLength(2);
    expect(search(db, 'plan', 1)[0]).toEqual({
      conversationId: chat,
      title: 'Travel plans',
      messageId: null,
      snippet: 'Travel plans',
      ranges: [[7, 12]],
      at: 0,
    });
  });

  test('text that is indexed again replaces the old one, a new title too', () => {
    const id = say('first words');
    indexMessage(db, { conversationId: chat, messageId: id, text: 'second words', at: 9 });
    indexTitle(db, { conversationId: chat, title: 'old name', at: 1 });
    indexTitle(db, { conversationId: chat, title: 'new name', at: 2 });
    expect(found('first')).toEqual([]);
    expect(found('second')).toEqual(['m1']);
    expect(found('old')).toEqual([]);
    expect(found('name')).toEqual([null]);
  });

  test('what is removed is found no more: a message, or all with their conversation', () => {
    removeMessage(db, say('lost words'));
    say('other words');
    indexTitle(db, { conversationId: chat, title: 'words', at: 1 });
    expect(found('lost')).toEqual([]);
    db.prepare('DELETE FROM conversations').run();
    expect(db.prepare("SELECT count(*) FROM search_words WHERE search_words MATCH 'words'").pluck().get()).toBe(0);
  });

  test('a query without a word finds nothing, and signs of the query language mean nothing', () => {
    say('one AND two OR "three" near NEAR (four) col:five *');
    for (const query of ['', '  ', '"', '*', '^:-()', '😀']) expect(found(query)).toEqual([]);
    for (const query of ['"three', 'two OR', 'AND two', 'col:five', 'four)', "'; DROP TABLE messages; --", 'NEAR(four']) {
      expect(() => found(query)).not.toThrow();
    }
    expect(found('two OR "three')).toEqual(['m1']);
  });

  test('a snippet is a piece of plain text around the first hit, with dots where it was cut', () => {
    const text = `${'begin '.repeat(60)}here is the\nneedle 😀 and ${'end '.repeat(60)}needle`;
    say(text);
    const [hit] = search(db, 'needle', 5);
    expect(hit?.snippet).toMatch(/^….*here is the needle 😀 and .*…$/);
    expect(hit?.snippet.length).toBeLessThanOrEqual(162);
    expect(hit?.ranges.map(([start, end]) => hit.snippet.slice(start, end))).toEqual(['needle']);
  });

  test('a snippet never begins or ends with half a character', () => {
    for (let shift = 0; shift < 4; shift += 1) say(`${'x'.repeat(shift)} ${'😀'.repeat(100)} needle ${'😀'.repeat(100)}`);
    for (const { snippet } of search(db, 'needle', 5)) expect(snippet.isWellFormed()).toBe(true);
  });
});
