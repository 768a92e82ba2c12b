import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  freeServerName,
  openServersFile,
  readServersText,
  withEntry,
  withEntryName,
  withEntryText,
  withMember,
  withoutEntry,
} from '../../../main/host/servers/serversFile.ts';
import { clock, folderOfPeople } from './world.ts';

const commented = `{
\t// kept by hand
\t"other": { "a": 1 },
\t"mcpServers": {
\t\t"first": { // mine
\t\t\t"command": "x",
\t\t\t"unknown": [1, 2],
\t\t},
\t},
}
`;

function fileWith(content: string | Buffer) {
  const dir = folderOfPeople();
  const path = join(dir, 'servers.json');
  writeFileSync(path, content);
  const file = openServersFile(path, { backupsDir: join(dir, 'backups'), clock });
  return { path, file, bytes: () => readFileSync(path), backups: () => readdirSync(join(dir, 'backups')), dir };
}

describe('a change of the file', () => {
  test('keeps comments, unknown members, indentation, line ends and the byte order mark', async () => {
    const windows = `\uFEFF${commented.replaceAll('\n', '\r\n')}`;
    const { file, bytes } = fileWith(windows);
    await file.edit((text) => withMember(text, 'first', ['disabled'], true));
    const after = bytes().toString('utf8');
    expect(after).toBe(windows.replace('"unknown": [1, 2],', '"unknown": [1, 2],\r\n\t\t\t"disabled": true,'));
  });

  test('adds and removes entries without touching the others', () => {
    const added = withEntry(commented, '新 🦊', { command: 'y' });
    expect(added).toContain('\t\t"first": { // mine\n\t\t\t"command": "x",');
    expect(readServersText('f', added)).toMatchObject({
      ok: true,
      entries: [{ name: 'first' }, { name: '新 🦊', value: { command: 'y' } }],
    });
    const removed = readServersText('f', withoutEntry(added, 'first'));
    expect(removed).toMatchObject({ ok: true, entries: [{ name: '新 🦊' }] });
    expect(added).toContain('// kept by hand');
  });

  test('renames an entry in its place', () => {
    expect(withEntryName(commented, 'first', 'erste "1"')).toBe(commented.replace('"first"', '"erste \\"1\\""'));
  });

  test('takes an entry over as it was typed, comments included', () => {
    const typed = '{\n  // by hand\n  "command": "z"\n}';
    const changed = withEntryText(commented, 'first', typed);
    expect(changed).toContain('// by hand');
    const read = readServersText('f', changed);
    expect(read.ok && read.entries[0]?.text).toBe(typed);
  });

  test('makes the file and its list where there are none', async () => {
    const dir = folderOfPeople();
    const path = join(dir, 'servers.json');
    const file = openServersFile(path, { backupsDir: join(dir, 'backups'), clock });
    expect(await file.read()).toMatchObject({ ok: true, entries: [] });
    await file.edit((text) => withEntry(text, 'a', { command: 'x' }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { a: { command: 'x' } } });
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test('that cannot be saved is refused in a sentence and changes nothing', async () => {
    const { file, dir, bytes } = fileWith('{"mcpServers":{}}');
    writeFileSync(join(dir, 'backups'), 'a file stands in the way');
    await expect(file.edit((text) => withEntry(text, 'a', { command: 'x' }))).rejects.toMatchObject({
      failure: { code: 'dataFolderUnusable', message: expect.stringContaining(dir) },
    });
    expect(bytes().toString()).toBe('{"mcpServers":{}}');
  });

  test('copies what stood there before into the backups, and keeps the ten newest', async () => {
    const { file, dir, backups } = fileWith('{"mcpServers":{}}');
    writeFileSync(join(dir, 'note.txt'), '');
    for (let count = 0; count < 13; count += 1) await file.edit((text) => withEntry(text, `s${count}`, { command: 'x' }));
    expect(backups()).toHaveLength(10);
    const newest = backups().sort().at(-1) ?? '';
    const kept = readFileSync(join(dir, 'backups', newest), 'utf8');
    expect(kept).toContain('"s11"');
    expect(kept).not.toContain('"s12"');
  });
});

test('the newest copy of the file is the one that is kept, though the clock was set back', async () => {
  const { file, dir, backups, path } = fileWith('{"mcpServers":{}}');
  mkdirSync(join(dir, 'backups'));
  for (let day = 10; day < 20; day += 1) writeFileSync(join(dir, 'backups', `servers-2099-01-${day}T00-00-00-000Z.json`), '{}');
  await file.edit((text) => withEntry(text, 'a', { command: 'x' }));
  await file.edit((text) => withEntry(text, 'b', { command: 'x' }));
  const newest = backups().sort().at(-1) ?? '';
  expect(backups()).toHaveLength(10);
  expect(readFileSync(join(dir, 'backups', newest), 'utf8')).toContain('"a"');
  expect(readFileSync(path, 'utf8')).toContain('"b"');
});

describe('a file that cannot be read', () => {
  test.each([
    ['two objects in a row', '{"mcpServers":{}}{"mcpServers":{}}', { line: 1, column: 18 }],
    ['a missing brace', '{\n "mcpServers": {\n', { line: 3, column: 1 }],
    ['servers that are a list', '{\n "mcpServers": []}', { line: 2, column: 16 }],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), undefined],
  ])('%s: stays as it is, byte for byte, and every change is refused', async (_what, content, at) => {
    const { file, bytes, path } = fileWith(content);
    const before = bytes();
    const read = await file.read();
    expect(read).toMatchObject({ ok: false, problem: { path, ...(at && { at }) } });
    await expect(file.edit((text) => withEntry(text, 'a', { command: 'x' }))).rejects.toMatchObject({
      failure: { code: 'configurationUnreadable', ...(at && { at }) },
    });
    expect(bytes().equals(before)).toBe(true);
  });

  test('an empty file is an empty list: there is nothing in it to lose', async () => {
    const { file } = fileWith('\n');
    expect(await file.read()).toMatchObject({ ok: true, entries: [] });
  });

  test('an edit that would break the file never reaches it', async () => {
    const { file, bytes } = fileWith('{"mcpServers":{}}');
    await expect(file.edit((text) => text + '}')).rejects.toThrow(/cannot be read/);
    expect(bytes().toString()).toBe('{"mcpServers":{}}');
  });
});

test('names stay unique, upper and lower case apart', () => {
  expect(freeServerName('Files', [])).toBe('Files');
  expect(freeServerName('Files', ['files', 'Files 2 '])).toBe('Files 3');
});
