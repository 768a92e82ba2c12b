import { expect, test } from 'vitest';
import { isTame } from '../../renderer/markdown/tameMarkdown.ts';

test.each([
  ['a paragraph', 'Some **words** & more.\nAnd a second line.'],
  ['a nested list', '- a\n  - b\n    1. c\n       > d'],
  ['code of three thousand lines', `\`\`\`ts\n${'const a = b && c | d;\n'.repeat(3000)}\`\`\``],
  ['code that is still being written', `\`\`\`\n${'> '.repeat(500)}`],
  ['a table of four columns and five hundred rows', `| a | b | c | d |\n| - | :-: | - | - |\n${'| 1 | 2 | 3 | 4 |\n'.repeat(500)}`],
  ['a rule of dashes', '-'.repeat(200)],
])('%s is read as markdown', (_what, block) => expect(isTame(block)).toBe(true));

test.each([
  ['quotations in quotations', '>'.repeat(20)],
  ['lists in lists', `text\n${'- '.repeat(20)}a`],
  ['numbered lists in quotations', '> 1. '.repeat(10)],
  ['a table of two thousand columns', `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}`],
  ['a wide table of many short rows', `|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n${'| 1 |\n'.repeat(500)}`],
  ['ten thousand entities', '&lt;'.repeat(10_000)],
  ['twenty thousand characters in one block', 'word '.repeat(4000)],
])('%s are shown as they are written', (_what, block) => expect(isTame(block)).toBe(false));
