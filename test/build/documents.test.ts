import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BundledServerConfig, LocalServerConfig, RemoteServerConfig } from '../../preload/contract/servers.ts';
import { root } from './project.ts';

const folders = ['main', 'preload', 'renderer', 'test', 'build', 'docs'];
const documents = [root, join(root, 'docs'), join(root, 'test')].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const textOf = (file: string): string => readFileSync(file, 'utf8');
/** Every file and folder of the project, each with a slash before and behind, so that the end of a path can be looked up. */
const places = folders.flatMap((folder) => [
  `/${folder}/`,
  ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name.replaceAll('\\', '/')}/`),
]);
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('Every link of a document to another one, and to a part of it, leads there.', () => {
  const links = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, path = '', anchor = '']) => {
      const target = path === '' ? file : join(dirname(file), path);
      const leads = existsSync(target) && (anchor === '' || !target.endsWith('.md') || anchorsOf(textOf(target)).includes(anchor));
      return { file, path, anchor, leads };
    }),
  );
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ leads }) => !leads)).toEqual([]);
});

test('Every source file and folder that a document names is there.', () => {
  const named = documents.flatMap((file) =>
    [...textOf(file).matchAll(/`([^`\n]+)`/g)]
      .flatMap(([, words = '']) => words.split(' '))
      .filter(
        (word) => /^[\w./-]+\.(tsx?|mjs|md)$/.test(word) || (word.endsWith('/') && folders.some((folder) => word.startsWith(`${folder}/`))),
      )
      .map((word) => ({ file, path: `/${word.replace(/\/$/, '')}/` })),
  );
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(({ path }) => !existsSync(join(root, path)) && !places.some((place) => place.endsWith(path)))).toEqual([]);
});

test('docs/servers.md explains every member of an entry, and none that there is not.', () => {
  const rows = textOf(join(root, 'docs/servers.md'))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const explained = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const members = [LocalServerConfig, RemoteServerConfig, BundledServerConfig].flatMap((schema) => Object.keys(schema.shape));
  // `bundled` says which kind of entry it is and stands above the table; `id` is read before the schemas see an entry.
  expect(new Set(explained)).toEqual(new Set([...members.filter((name) => name !== 'bundled'), 'id']));
});
