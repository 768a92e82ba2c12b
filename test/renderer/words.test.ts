import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasons, sendsOutReason } from '../../renderer/i18n/zh/reasons.ts';

type Words = Record<string, string>;

const folder = new URL('../../renderer/i18n/', import.meta.url);

/** All strings of one language, by the file that they stand in. */
async function wordsOf(language: 'en' | 'zh'): Promise<[string, Words][]> {
  const files = readdirSync(new URL(`${language}/`, folder)).map((file) => file.replace(/\.ts$/, ''));
  return Promise.all(
    files.map(async (file): Promise<[string, Words]> => {
      const module = (await import(new URL(`${language}/${file}.ts`, folder).href)) as Record<string, Words>;
      return [file, module[file] ?? { ...reasons, sendsOutReason }];
    }),
  );
}

const english = await wordsOf('en');
const chinese = new Map(await wordsOf('zh'));

/** The trace of messages is for those who make servers, and speaks as the protocol does. */
const forMakers = ['inspector'];
const bannedInEnglish = /\b(eras?|modern|legacy|pin(s|ned|ning)?|flows?|taint(s|ed)?|hash(es|ed)?|roots?)\b/i;
const bannedInChinese = /世代|现代|遗留|钉住|钉选|数据流|污点|污染|哈希|散列|根目录/;

test('every file of words is looked at', () => {
  expect(english.length).toBeGreaterThan(14);
  expect(english.filter(([, words]) => Object.keys(words).length === 0)).toEqual([]);
});

test.each(english.filter(([file]) => !forMakers.includes(file)))('the words of %s are for people, not for makers of hosts', (_, words) => {
  expect(Object.entries(words).filter(([, text]) => bannedInEnglish.test(text))).toEqual([]);
});

test.each([...chinese].filter(([file]) => !forMakers.includes(file)))('nor are the Chinese ones of %s', (_, words) => {
  expect(Object.entries(words).filter(([, text]) => bannedInChinese.test(text))).toEqual([]);
});

test.each(english)('every sentence of %s stands in both languages with the same values in it', (file, words) => {
  const zh = chinese.get(file) ?? {};
  const valuesIn = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
  const different = Object.entries(words).filter(([key, text]) => {
    // Chinese has one form where English has two; the singular may leave the number out.
    const other = zh[key] ?? zh[key.replace(/_one$/, '_other')];
    return other === undefined || (!key.endsWith('_one') && valuesIn(other).join() !== valuesIn(text).join());
  });
  expect(different).toEqual([]);
});
