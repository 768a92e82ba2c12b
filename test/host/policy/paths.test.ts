import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInside, type PathSystem, realPathOf, writtenPath } from '../../../main/host/policy/paths.ts';
import { tempFolder } from '../../doubles/hostParts.ts';

const posix: PathSystem = { platform: 'linux', home: '/home/me' };
const windows: PathSystem = { platform: 'win32', home: 'C:\\Users\\me' };

describe('what is written', () => {
  test.each<[string, string | undefined]>([
    ['/a/b', '/a/b'],
    ['~', '/home/me'],
    ['~/x', '/home/me/x'],
    ['/a/100%', '/a/100%'],
    ['/a/b%20c', '/a/b%20c'],
    ['/a/../b', '/a/../b'],
    ['file:///a/b%20c', '/a/b c'],
    ['FILE:///a', '/a'],
    ['~you/x', undefined],
    ['a/b', undefined],
    ['./a', undefined],
    ['', undefined],
    ['//server/share', undefined],
    ['/a\\b', undefined],
    ['\\\\server\\share', undefined],
    ['C:\\x', undefined],
    ['/a/\0', undefined],
    ['/a/\n', undefined],
    ['/a/%2e%2e/b', undefined],
    ['/a/%2e%2e%2fb', undefined],
    ['/a/x%2fb', undefined],
    ['/a/%252e%252e/b', undefined],
    ['/a/%25252e%25252e%25252fb', undefined],
    [`/a/%${'25'.repeat(9)}2e%${'25'.repeat(9)}2e/b`, undefined],
    ['/a/%00', undefined],
    ['/a/x%5c..%5cb', undefined],
    ['/%7e/x', undefined],
    ['file://server/a', undefined],
    ['file:///a/../b', undefined],
    ['file:///a/%2e%2e/b', undefined],
    ['file:///a/%2E./b', undefined],
    ['file:///a%2fb', undefined],
    ['file:///a?b', undefined],
    ['file:///a#b', undefined],
    ['file:/a', undefined],
    ['file:a', undefined],
    ['file:///a/%252e%252e/b', undefined],
    [`/${'a'.repeat(5000)}`, undefined],
  ])('%s', (text, written) => {
    expect(writtenPath(text, posix)).toBe(written);
  });

  test.each<[string, string | undefined]>([
    ['C:\\a\\b', 'C:\\a\\b'],
    ['c:/a/b', 'C:\\a\\b'],
    ['C:/a\\..\\b', 'C:\\a\\..\\b'],
    ['\\\\?\\C:\\a', 'C:\\a'],
    ['C:\\a. .\\b ', 'C:\\a\\b'],
    ['~\\x', 'C:\\Users\\me\\x'],
    ['file:///C:/a%20b', 'C:\\a b'],
    ['\\\\server\\share\\a', undefined],
    ['//server/share/a', undefined],
    ['\\\\?\\UNC\\server\\share', undefined],
    ['\\\\.\\PhysicalDrive0', undefined],
    ['\\\\?\\GLOBALROOT\\Device', undefined],
    ['C:a', undefined],
    ['\\a', undefined],
    ['a\\b', undefined],
    ['C:\\a.txt:stream', undefined],
    ['C:\\NUL', undefined],
    ['C:\\a\\com1.txt', undefined],
    ['C:\\a\\...\\b', undefined],
    ['C:\\a\\ \\b', undefined],
    ['file://server/share', undefined],
    ['C:\\a\\%2e%2e\\b', undefined],
  ])('on Windows: %s', (text, written) => {
    expect(writtenPath(text, windows)).toBe(written);
  });
});

describe('what lies inside', () => {
  test.each<[string, string, NodeJS.Platform, boolean]>([
    ['/a/b', '/a', 'linux', true],
    ['/a', '/a', 'linux', true],
    ['/ab', '/a', 'linux', false],
    ['/a', '/a/b', 'linux', false],
    ['/A/b', '/a', 'linux', false],
    ['/A/b', '/a', 'darwin', true],
    ['/a/e\u0301', '/a/\u00e9', 'darwin', true],
    ['c:\\A\\b', 'C:\\a', 'win32', true],
    ['C:\\ab', 'C:\\a', 'win32', false],
    ['/x', '/', 'linux', true],
    ['', '/', 'linux', false],
    ['/a', '', 'linux', false],
  ])('%s in %s on %s: %s', (real, folder, platform, yes) => {
    expect(isInside(real, folder, { platform })).toBe(yes);
  });
});

/** picked/ holds sub/a.txt and links; secret/ lies beside it. */
function tree() {
  const root = realpathSync(tempFolder());
  const picked = path.join(root, 'picked');
  const secret = path.join(root, 'secret');
  mkdirSync(path.join(picked, 'sub'), { recursive: true });
  mkdirSync(path.join(secret, 'deep'), { recursive: true });
  writeFileSync(path.join(picked, 'sub', 'a.txt'), 'a');
  writeFileSync(path.join(secret, 'key'), 'key');
  symlinkSync(secret, path.join(picked, 'out'));
  symlinkSync(path.join(secret, 'deep'), path.join(picked, 'deepOut'));
  symlinkSync(path.join(picked, 'sub'), path.join(picked, 'in'));
  symlinkSync(path.join(secret, 'new'), path.join(picked, 'dangling'));
  symlinkSync('loop', path.join(picked, 'loop'));
  return { root, picked, secret, system: { platform: process.platform, home: root } satisfies PathSystem };
}

describe('in a real tree', () => {
  test('a path leads to where the disk leads', async () => {
    const { picked, secret, root, system } = tree();
    const real = (text: string) => realPathOf(text, system);
    const a = path.join(picked, 'sub', 'a.txt');
    expect(await real(a)).toBe(a);
    expect(await real(`${picked}/in/a.txt`)).toBe(a);
    expect(await real('~/picked/sub/a.txt')).toBe(a);
    expect(await real(pathToFileURL(a).href)).toBe(a);
    expect(await real(`${picked}/sub/`)).toBe(path.join(picked, 'sub'));
    expect(await real(`${picked}//sub/./a.txt`)).toBe(a);
    expect(await real(`${picked}/out/key`)).toBe(path.join(secret, 'key'));
    expect(await real(`${picked}/sub/../../secret/key`)).toBe(path.join(secret, 'key'));
    expect(await real(`${picked}/new/file.txt`)).toBe(path.join(picked, 'new', 'file.txt'));
    expect(await real(`${picked}/out/new.txt`)).toBe(path.join(secret, 'new.txt'));
    expect(await real(`${picked}/sub/a.txt/x`)).toBe(path.join(a, 'x'));
    expect(await real(root)).toBe(root);
    expect(await real('/')).toBe('/');
  });

  test('what could be meant otherwise leads nowhere', async () => {
    const { picked, system } = tree();
    for (const text of [
      // Links before `..`: the parent of what the link leads to, or of the link.
      `${picked}/deepOut/../key`,
      `${picked}/in/../sub/../out/../x`,
      `${picked}/new/../../x/../sub`,
      // A link to what is not there yet: who writes there makes it, outside.
      `${picked}/dangling`,
      `${picked}/dangling/x`,
      `${picked}/loop`,
      `${picked}/loop/x`,
      `${picked}/%2e%2e/secret/key`,
      'sub/a.txt',
    ])
      expect([text, await realPathOf(text, system)]).toEqual([text, '']);
  });

  test('no path that counts as inside leads out, however it is written', async () => {
    const { picked, secret, system } = tree();
    const step = fc.constantFrom(
      'sub',
      'a.txt',
      'in',
      'out',
      'deepOut',
      'dangling',
      'key',
      '..',
      '.',
      '',
      '%2e%2e',
      '..%2f',
      'new',
      '~',
      '..\\',
    );
    const roots = fc.constantFrom(picked, `file://${picked}`, '~/picked', secret, `${picked}/`);
    await fc.assert(
      fc.asyncProperty(roots, fc.array(step, { maxLength: 6 }), async (start, steps) => {
        const text = [start, ...steps].join('/');
        const real = await realPathOf(text, system);
        if (!isInside(real, picked, system)) return;
        // By both ways of reading `..`, and after decoding, the disk agrees where it has anything to say.
        for (const reading of [text, decodeURIComponent(text)].map((each) => each.replace(/^file:\/\//, '').replace(/^~/, system.home))) {
          for (const form of [reading, path.normalize(reading)]) {
            let there: string;
            try {
              there = realpathSync(form);
            } catch {
              continue;
            }
            expect([text, form, isInside(there, picked, system)]).toEqual([text, form, true]);
          }
        }
      }),
      { seed: 20261130, numRuns: 2000 },
    );
  });
});
