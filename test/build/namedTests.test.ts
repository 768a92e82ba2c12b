import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './project.ts';

/** Rows of a table in `file`, below `test/`, that begin as `row` says: the name of each, and the tests that its last cell names. */
function rowsOf(file: string, row: RegExp): { name: string; shown: string; tests: { file: string; title: string }[] }[] {
  return readFileSync(join(root, 'test', file), 'utf8')
    .split('\n')
    .filter((line) => row.test(line))
    .map((line) => {
      const cells = line.split(' | ');
      const shown = cells.at(-1) ?? '';
      const places = [...shown.matchAll(/`([\w/.]+\.test\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)];
      const tests = places.flatMap(([, place = '', titles = '']) =>
        [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file: place, title })),
      );
      return { name: cells[0]?.slice(2) ?? '', shown, tests };
    });
}

function isThere({ file, title }: { file: string; title: string }): boolean {
  const path = join(root, 'test', file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}'`);
}

test.each([
  ['faults.md', /^\| \S+#\d+/, 35],
  ['rules.md', /^\| (§|[MHEAS]\d)/, 170],
])('Every test that %s names is there, and every row names one or says why not.', (file, row, least) => {
  const rows = rowsOf(file, row);
  expect(rows.length).toBeGreaterThanOrEqual(least);
  const silent = rows.filter(({ shown, tests }) => tests.length === 0 && !/^(the same;|concerns )/.test(shown));
  expect(silent.map(({ name }) => name)).toEqual([]);
  const named = rows.flatMap(({ tests }) => tests);
  expect(named.filter((each) => !isThere(each))).toEqual([]);
  expect(named.length).toBeGreaterThanOrEqual(rows.length);
});

test('No rule stands twice in the list, and none that has a number is left out.', () => {
  const names = rowsOf('rules.md', /^\| (§|[MHEAS]\d)/).map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const numbered = { M: 16, H: 13, E: 9, A: 17 };
  const all = Object.entries(numbered).flatMap(([letter, last]) => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`));
  expect(all.filter((name) => !names.includes(name))).toEqual([]);
});
