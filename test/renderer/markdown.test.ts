import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { Markdown } from '../../renderer/markdown/Markdown.tsx';
import { splitBlocks } from '../../renderer/markdown/splitBlocks.ts';

/** A text longer than this is shown bit by bit, and the first bit alone would be compared. */
const shownAtOnce = 8000;

/** What a reader sees: the elements that mean something, without our looks. Whether items are set apart, and in how many bodies a table's rows stand, is no part of it. */
function seen(html: string): string {
  return html
    .replace(/<(\/?)h[1-6]\b/g, '<$1h')
    .replace(/<(?!\/?(?:p|ul|ol|li|table|thead|tbody|tr|th|td|strong|em|del|code|blockquote|h|hr|a|pre)\b)[^>]*>/g, '')
    .replace(/<([a-z]+)\b([^>]*)>/g, (_, tag: string, rest: string) => `<${tag}${/ start="(?!1")\d+"/.exec(rest)?.[0] ?? ''}>`)
    .replace(/\s+/g, ' ')
    .replace(/> /g, '>')
    .replace(/ </g, '<')
    .replace(/<\/tbody><tbody>/g, '')
    .replace(/<li><p>/g, '<li>')
    .replace(/<\/p>(?=<\/li>|<[uo]l)/g, '');
}

const shown = (text: string) => seen(renderToStaticMarkup(createElement(Markdown, { text })));
const readWhole = (text: string) =>
  seen(renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkGfm], skipHtml: true, children: text })));

const words = fc.constantFrom(
  'word',
  '**strong** words',
  '`code` and',
  'a *stressed* word,',
  '~~gone~~',
  'snake_case',
  '2 * 3',
  'Größe',
  'at 50%.',
  '(in brackets)',
);
const line = fc.array(words, { minLength: 1, maxLength: 8 }).map((all) => `so ${all.join(' ')}`);
const lines = (make: (words: string, n: number) => string) =>
  fc.tuple(fc.array(line, { minLength: 1, maxLength: 40 }), fc.nat(6)).map(([all, times]) =>
    Array.from({ length: times + 1 }, () => all)
      .flat()
      .map(make)
      .join('\n'),
  );
const block = fc.oneof(
  lines((each) => each),
  lines((each) => each).map((text) => text.replaceAll('\n', ' ')),
  lines((each) => `${each} *stressed over\ntwo lines* and`),
  lines((each) => `${each} \`code over\nso many lines\``),
  lines((each) => `- ${each}`),
  lines((each) => `- ${each}\n  - ${each}\n    and more\n`),
  lines((each, n) => `${n + 4}. ${each}`),
  lines((each) => `1. ${each}\n\n   ${each}\n`),
  lines((each) => `| ${each} | b |`).map((rows) => `| head | second |\n| --- | :-: |\n${rows}`),
  lines((each) => `> ${each}`),
  fc.constantFrom('# Heading', '***', 'Heading\n---', 'words\n- item', 'words\n| a | b |\n| - | - |\n| 1 | 2 |', '- item\n# Heading'),
);

test('what is read piece by piece is seen as if it had been read as a whole', () => {
  let long = 0;
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
      const text = blocks.join('\n\n');
      fc.pre(text.length < shownAtOnce);
      if (splitBlocks(text).some(({ goesOnAfter }) => goesOnAfter !== null)) long += 1;
      expect(shown(text)).toBe(readWhole(text));
    }),
    { numRuns: 60 },
  );
  expect(long).toBeGreaterThan(10);
});
