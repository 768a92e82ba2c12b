import { expect, test } from 'vitest';
import { checksOf } from '../../build/checks.ts';
import { smallProject } from './project.ts';

async function resultOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const check = checksOf(smallProject(files)).find((candidate) => candidate.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}.`);
  return check.run();
}

/** For each check, files that it must refuse, and what it must say about them. */
const refused: [check: string, promise: string, files: Record<string, string>, says: RegExp][] = [
  ['types', 'a value of another type', { 'main/host/wrong.ts': "export const count: number = 'one';\n" }, /main\/host\/wrong\.ts.*TS2322/],
  [
    'types',
    'an import of the renderer in the host, which is no project that it refers to',
    { 'renderer/title.ts': "export const title = 'x';\n", 'main/host/wrong.ts': "export { title } from '../../renderer/title.ts';\n" },
    /main\/host\/wrong\.ts.*TS6307/,
  ],
  [
    'types',
    'an import of the host in the renderer',
    { 'renderer/wrong.ts': "export { createHost } from '../main/host/createHost.ts';\n" },
    /renderer\/wrong\.ts.*TS6307/,
  ],
  ['types', 'Node in the renderer', { 'renderer/wrong.ts': "export { sep } from 'node:path';\n" }, /renderer\/wrong\.ts.*TS2(307|591)/],
  [
    'types',
    'Node in the contract',
    { 'preload/contract/wrong.ts': "export { sep } from 'node:path';\n" },
    /contract\/wrong\.ts.*TS2(307|591)/,
  ],
  ['types', 'the window in the host', { 'main/host/wrong.ts': 'export const width = window.innerWidth;\n' }, /main\/host\/wrong\.ts.*TS2/],
  ['imports', 'a closed import', { 'main/host/wrong.ts': "import 'electron';\n" }, /^main\/host\/wrong\.ts:1 imports 'electron'/],
  [
    'lint',
    'a swallowed exception',
    { 'main/host/wrong.ts': 'try {\n  f();\n} catch {}\n\nfunction f(): void {}\n' },
    /wrong\.ts:3.*no-empty/,
  ],
  ['lint', 'any', { 'main/host/wrong.ts': 'export const x: any = 1;\n' }, /wrong\.ts:1.*no-explicit-any/],
  ['lint', 'a switched-off type check', { 'main/host/wrong.ts': '// @ts-ignore\nexport const x = 1;\n' }, /wrong\.ts:1.*ban-ts-comment/],
  ['lint', 'evaluated text', { 'renderer/wrong.ts': "eval('1');\n" }, /wrong\.ts:1.*no-eval/],
  [
    'lint',
    'HTML made from text in the page',
    { 'renderer/wrong.tsx': 'export const Wrong = () => <p dangerouslySetInnerHTML={{ __html: location.hash }} />;\n' },
    /wrong\.tsx:1.*no-danger/,
  ],
  [
    'lint',
    'a test that runs alone',
    { 'test/host/wrong.test.ts': "import { test } from 'vitest';\n\ntest.only('x', () => undefined);\n" },
    /wrong\.test\.ts:3.*no-focused-tests/,
  ],
  [
    'unused code',
    'a file that nothing imports',
    { 'main/host/wrong.ts': 'export const x = 1;\n' },
    /Unused files[^]*main\/host\/wrong\.ts/,
  ],
  ['format', 'another layout', { 'main/host/wrong.ts': 'export const x = "1"\n' }, /main\/host\/wrong\.ts/],
];

test.each(refused)('The check of %s refuses %s.', async (check, _promise, files, says) => {
  expect(await resultOf(check, files)).toMatch(says);
});

test.each(['types', 'imports', 'lint', 'format'])('The check of %s accepts a sound project.', async (check) => {
  expect(await resultOf(check, {})).toBe('');
});
