import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './project.ts';

test('Every test that the list of reported faults names is there, and every row names one or says why not.', () => {
  const rows = readFileSync(join(root, 'test/faults.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \S+#\d+/.test(line));
  expect(rows.length).toBeGreaterThanOrEqual(35);
  const missing: string[] = [];
  let named = 0;
  for (const row of rows) {
    const shown = row.split(' | ').at(-1) ?? '';
    const places = [...shown.matchAll(/`([\w/.]+\.test\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)];
    if (places.length === 0 && !/^(the same;|concerns )/.test(shown)) missing.push(row);
    for (const [, file = '', titles = ''] of places) {
      const path = join(root, 'test', file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g)) {
        named += 1;
        if (!text.includes(`'${title}'`)) missing.push(`${file}: ${title}`);
      }
    }
  }
  expect(missing).toEqual([]);
  expect(named).toBeGreaterThanOrEqual(rows.length);
});
