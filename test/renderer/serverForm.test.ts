import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ServerConfig } from '../../preload/contract/servers.ts';
import { argumentLines, readLocalDraft, readRemoteDraft, secretNameFor } from '../../renderer/features/servers/serverForm.ts';
import { emptyLocalDraft, emptyRemoteDraft } from '../../renderer/state/newServer.ts';
import { looksLikeCommandLine, splitCommandLine } from '../../renderer/features/servers/commandLine.ts';
import { lineAt, offsetOf } from '../../renderer/features/servers/textPlace.ts';
import { findByTyping } from '../../renderer/folders/typeAhead.ts';

const none = new Set<string>();

describe('the form of a local server', () => {
  test('gives the entry that the file will hold, and keeps secret values out of it', () => {
    const outcome = readLocalDraft(
      {
        name: ' github ',
        command: ' npx ',
        args: '-y\n@scope/server\n--title=two words\n\n',
        env: [
          { name: 'GITHUB_TOKEN', value: 'ghp_x', secret: true },
          { name: 'MODE', value: '', secret: false },
          { name: '', value: '', secret: true },
        ],
        cwd: '',
      },
      none,
    );
    expect(outcome).toEqual({
      ok: true,
      name: 'github',
      config: {
        command: 'npx',
        args: ['-y', '@scope/server', '--title=two words'],
        env: { GITHUB_TOKEN: '${secret:GITHUB_TOKEN}', MODE: '' },
      },
      secrets: [{ name: 'GITHUB_TOKEN', value: 'ghp_x' }],
    });
    expect(outcome.ok && ServerConfig.safeParse(outcome.config).success).toBe(true);
    expect(JSON.stringify(outcome.ok && outcome.config)).not.toContain('ghp_x');
  });

  test('names every field that is wrong at once', () => {
    expect(
      readLocalDraft(
        {
          ...emptyLocalDraft,
          env: [
            { name: '', value: 'x', secret: false },
            { name: 'A', value: '1', secret: false },
            { name: 'A', value: '2', secret: false },
            { name: 'B=C', value: '2', secret: false },
            { name: 'D', value: '', secret: true },
          ],
        },
        none,
      ),
    ).toEqual({
      ok: false,
      problems: {
        name: 'nameMissing',
        command: 'commandMissing',
        rows: { 0: 'rowNameMissing', 2: 'rowNameTwice', 3: 'rowNameInvalid', 4: 'rowValueMissing' },
      },
    });
  });

  test('refuses a name that another server has', () => {
    expect(readLocalDraft({ ...emptyLocalDraft, name: 'a ', command: 'x' }, new Set(['a']))).toEqual({
      ok: false,
      problems: { name: 'nameTaken' },
    });
  });

  test('keeps blanks and quotes inside an argument, and reads Windows line ends', () => {
    expect(argumentLines('a b\r\n "c"\n')).toEqual(['a b', ' "c"']);
  });
});

describe('the form of a remote server', () => {
  test.each([
    ['', 'urlMissing'],
    ['example.com/mcp', 'urlInvalid'],
    ['ftp://example.com', 'urlScheme'],
    ['javascript:alert(1)', 'urlScheme'],
    ['https://me:secret@example.com/mcp', 'urlCredentials'],
  ])('says what is wrong with the address “%s”', (url, problem) => {
    expect(readRemoteDraft({ ...emptyRemoteDraft, name: 'a', url }, none)).toEqual({ ok: false, problems: { url: problem } });
  });

  test('keeps the address as it was written and makes secret headers references', () => {
    expect(
      readRemoteDraft(
        {
          name: 'a',
          url: 'https://example.com/mcp',
          type: 'sse',
          headers: [
            { name: 'X-Api-Key', value: 'k', secret: true },
            { name: 'x_api_key', value: 'l', secret: true },
          ],
        },
        none,
      ),
    ).toEqual({
      ok: true,
      name: 'a',
      config: {
        type: 'sse',
        url: 'https://example.com/mcp',
        headers: { 'X-Api-Key': '${secret:X_Api_Key}', x_api_key: '${secret:x_api_key}' },
      },
      secrets: [
        { name: 'X_Api_Key', value: 'k' },
        { name: 'x_api_key', value: 'l' },
      ],
    });
  });

  test('header names are the same whatever their case', () => {
    const headers = [
      { name: 'Authorization', value: 'a', secret: false },
      { name: 'authorization', value: 'b', secret: false },
    ];
    expect(readRemoteDraft({ ...emptyRemoteDraft, name: 'a', url: 'https://e.com', headers }, none)).toEqual({
      ok: false,
      problems: { rows: { 1: 'rowNameTwice' } },
    });
  });
});

test('a secret gets a name that the store takes, whatever the variable is called', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (name) => {
      const first = secretNameFor(name, none);
      expect(first).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);
      const second = secretNameFor(name, new Set([first]));
      expect(second).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);
      expect(second).not.toBe(first);
    }),
  );
});

test.each([
  ['npx -y server', ['npx', '-y', 'server']],
  ['run "two words" \'it"s\' ""', ['run', 'two words', 'it"s', '']],
  ['a  b\t c', ['a', 'b', 'c']],
  ['--name="x y"', ['--name=x y']],
  ['echo $HOME | cat', ['echo', '$HOME', '|', 'cat']],
  ['open "to the end', ['open', 'to the end']],
  ['', []],
])('splits “%s” by blanks and quotes alone', (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test.each([
  ['npx -y server', true],
  ['npx', false],
  ['/Applications/My App/server', false],
  ['C:\\Program Files\\node.exe', false],
  ['./my server', false],
])('“%s” is taken for a whole command line: %s', (text, expected) => {
  expect(looksLikeCommandLine(text)).toBe(expected);
});

test('the place of an error becomes a place of the caret, never outside of the text', () => {
  const text = 'ab\ncd\n';
  expect(offsetOf(text, { line: 2, column: 2 })).toBe(4);
  expect(offsetOf(text, { line: 1, column: 99 })).toBe(2);
  expect(offsetOf(text, { line: 9, column: 1 })).toBe(6);
  expect(lineAt('ab\r\ncd', 1)).toBe('ab');
  expect(lineAt('ab', 7)).toBe('');
});

test('typing finds the next folder, goes round, and stays while the text still fits', () => {
  const names = ['Desktop', 'Documents', 'Music', 'dev'];
  expect(findByTyping(names, 'd', -1)).toBe(0);
  expect(findByTyping(names, 'd', 0)).toBe(1);
  expect(findByTyping(names, 'd', 3)).toBe(0);
  expect(findByTyping(names, 'do', 1)).toBe(1);
  expect(findByTyping(names, 'x', 0)).toBe(-1);
  expect(findByTyping([], 'x', -1)).toBe(-1);
});
