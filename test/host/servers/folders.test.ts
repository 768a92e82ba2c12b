import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderId } from '../../../preload/contract/ids.ts';
import { browseFolder, createFolders } from '../../../main/host/servers/folders.ts';
import { folderOfPeople } from './world.ts';

test('a folder has one id, however its path is written; an id of another run is refused', () => {
  const folders = createFolders(randomUUID);
  const home = folderOfPeople();
  symlinkSync(home, join(dirname(home), 'link'));
  expect(folders.idOf(join(dirname(home), 'link'))).toBe(folders.idOf(home));
  expect(folders.pathOf(folders.idOf(`${home}/`))).toBe(home);
  expect(() => folders.pathOf(FolderId.parse('other'))).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'notFound' }) }),
  );
});

test('browsing shows folders only, in the order of people, hidden ones last, and leads up and down', () => {
  const folders = createFolders(randomUUID);
  const home = folderOfPeople();
  for (const name of ['.hidden', 'b 10', 'B 2', 'Äpfel', '照片 🦊']) mkdirSync(join(home, name));
  writeFileSync(join(home, 'file.txt'), '');
  symlinkSync('/nowhere', join(home, 'broken link'));
  symlinkSync(join(home, 'B 2'), join(home, 'link'));
  const listing = browseFolder(folders, undefined, home);
  expect(listing.folder.path).toBe(home);
  expect(listing.entries.map((entry) => entry.name)).toEqual(['Äpfel', 'B 2', 'b 10', 'link', '照片 🦊', '.hidden']);
  expect(listing.more).toBe(false);
  const inside = browseFolder(folders, listing.entries.find((entry) => entry.name === '照片 🦊')?.id, home);
  expect(inside).toMatchObject({ folder: { path: join(home, '照片 🦊') }, parentId: listing.folder.id, entries: [] });
  expect(browseFolder(folders, folders.idOf('/'), home)).not.toHaveProperty('parentId');
});

test('a folder of more than 1,000 folders says that not all are shown', () => {
  const folders = createFolders(randomUUID);
  const home = folderOfPeople();
  for (let count = 0; count < 1001; count += 1) mkdirSync(join(home, `f${count}`));
  const listing = browseFolder(folders, undefined, home);
  expect(listing.entries).toHaveLength(1000);
  expect(listing.more).toBe(true);
});

test('a folder that is gone, or is none, is refused in a sentence', () => {
  const folders = createFolders(randomUUID);
  const home = folderOfPeople();
  const id = folders.idOf(home);
  rmSync(home, { recursive: true });
  const refused = expect.objectContaining({
    failure: expect.objectContaining({ code: 'notFound', message: expect.stringMatching(/does not exist any more/) }),
  });
  expect(() => browseFolder(folders, id, home)).toThrow(refused);
  writeFileSync(home, '');
  expect(() => browseFolder(folders, id, home)).toThrow(refused);
});

test('where files are asked for they are listed too, with their paths; what is neither file nor folder is not', () => {
  const folders = createFolders(randomUUID);
  const home = folderOfPeople();
  mkdirSync(join(home, 'docs'));
  for (const name of ['b 10.txt', '.env', 'b 2.txt']) writeFileSync(join(home, name), '');
  symlinkSync(join(home, 'b 2.txt'), join(home, 'link'));
  symlinkSync(join(home, 'round'), join(home, 'round'));
  execFileSync('mkfifo', [join(home, 'pipe')]);
  const { entries, files } = browseFolder(folders, undefined, home, true);
  expect(entries.map(({ name }) => name)).toEqual(['docs']);
  expect(files).toEqual(['b 2.txt', 'b 10.txt', 'link', '.env'].map((name) => ({ name, path: join(home, name) })));
  expect(browseFolder(folders, undefined, home)).not.toHaveProperty('files');
});
