import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobId } from '../../preload/contract/ids.ts';
import { fail, ok } from '../../preload/contract/result.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { linkTarget, misleads } from '../../renderer/markdown/linkTarget.ts';
import { createBlockSplitter, fencedCode, type Piece, splitBlocks } from '../../renderer/markdown/splitBlocks.ts';
import { argumentRows } from '../../renderer/text/argumentRows.ts';
import { readAll } from '../../renderer/text/readLongText.ts';
import { countLines, rowsOfText } from '../../renderer/text/rowsOfText.ts';

describe('arguments become rows', () => {
  it('with every text at any depth unescaped and every other value as JSON', () => {
    expect(argumentRows('{"a":"x\\ny","b":{"c d":[1,{"e":null}]},"f":[],"g":""}')).toEqual([
      { name: 'a', at: '/a', value: 'x\ny', kind: 'string' },
      { name: 'b["c d"][0]', at: '/b/c d/0', value: '1', kind: 'json' },
      { name: 'b["c d"][1].e', at: '/b/c d/1/e', value: 'null', kind: 'json' },
      { name: 'f', at: '/f', value: '[]', kind: 'json' },
      { name: 'g', at: '/g', value: '', kind: 'string' },
    ]);
  });

  it('of which none can be mistaken for another', () => {
    const names = argumentRows('{"a.b":1,"a":{"b":2,"[0]":3},"__proto__":4}').map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
  });

  it('with where something goes first and what is long last', () => {
    const json = JSON.stringify({ body: 'x'.repeat(400), subject: 'Hi', url: 'https://a.example', mode: 1, path: '/tmp/a' });
    expect(argumentRows(json).map(({ name }) => name)).toEqual(['path', 'url', 'subject', 'mode', 'body']);
  });

  it('and what is no JSON stands as it is', () => {
    expect(argumentRows('{"a": ')).toEqual([{ name: '', at: '', value: '{"a": ', kind: 'json' }]);
  });

  it('so that no text of any arguments is missing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const texts: string[] = [];
        JSON.stringify(value, (_, each: unknown) => {
          if (typeof each === 'string') texts.push(each);
          return each;
        });
        const shown = argumentRows(JSON.stringify(value));
        for (const text of texts) {
          expect(shown.some((row) => row.value === text || (row.kind === 'json' && row.value.includes(JSON.stringify(text))))).toBe(true);
        }
      }),
    );
  });
});

describe('a long text', () => {
  it('is cut into rows that give it again, never inside a character', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '😀', '\n', 'é'.repeat(900), '😀'.repeat(1100))), (pieces) => {
        const text = pieces.join('');
        const rows = rowsOfText(text);
        expect(rows.map((row, index) => row.text + (row.endsLine && index < rows.length - 1 ? '\n' : '')).join('')).toBe(text);
        for (const row of rows) expect(row.text.isWellFormed()).toBe(true);
      }),
    );
  });

  it.each([
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['a\n\n', 2],
  ])('%j has %i lines', (text, lines) => {
    expect(countLines(text)).toBe(lines);
  });

  it('is read from its blob to the end, counted in bytes', async () => {
    const whole = 'Größe 中文 '.repeat(50_000);
    const bytes = new TextEncoder().encode(whole);
    const bridge = fakeBridge({
      'blob.read': ({ offset, length }) => {
        const end = Math.min(offset + length, bytes.length);
        // As the host does: never inside a character.
        let cut = end;
        while (cut < bytes.length && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
        return ok({
          data: new TextDecoder().decode(bytes.slice(offset, cut)),
          bytes: bytes.length,
          ...(cut < bytes.length ? { nextOffset: cut } : {}),
        });
      },
    });
    expect(await readAll(bridge, { text: whole.slice(0, 65_536), length: whole.length, blobId: 'b' as BlobId })).toEqual(ok(whole));
    const broken = fakeBridge({ 'blob.read': () => fail('notFound', 'Gone.') });
    expect(await readAll(broken, { text: 'a', length: 9, blobId: 'b' as BlobId })).toMatchObject({ ok: false });
  });
});

describe('markdown is cut at blank lines', () => {
  it.each([
    ['paragraphs', 'a\n\nb\n\nc', 3],
    ['a list with loose items', '- a\n\n- b\n\n  more\n\nafter', 2],
    ['a fence with blank lines', '```js\na\n\nb\n```\n\nafter', 2],
    ['a fence that is still open', 'a\n\n```\nb\n\nc', 2],
    ['a fence inside a longer one', '````\n```\n\n```\n\n````\n\nb', 2],
    ['a quotation', '> a\n\n> b\n\nc', 2],
  ])('%s', (_what, markdown, blocks) => {
    expect(splitBlocks(markdown)).toHaveLength(blocks);
  });

  it.each([
    ['a fence right below a line of prose', 'so:\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nand on', 3],
    ['code in a line that begins like a fence', '```not a fence``` but words\n\nmore', 2],
    ['a fence inside an item', '- a\n\n  ```\n  x\n\n  y\n  ```\n\n- b', 1],
    ['a list below a line of prose', 'so:\n- a\n- b', 2],
    ['a fence that begins in the line of an item', '- ```\n  a\n\n  b\n  ```\n\nafter', 2],
  ])('%s', (_what, markdown, blocks) => {
    expect(splitBlocks(markdown)).toHaveLength(blocks);
  });

  it('which a text that comes in pieces gives too, whatever the pieces are, and never again what is closed', () => {
    const short = fc.constantFrom(
      'a',
      '',
      '- b',
      '1. c',
      '2. c',
      '* * *',
      '---',
      '```',
      '```ts',
      '~~~',
      '  d',
      '> e',
      '[x]: https://a.example',
    );
    const other = fc.constantFrom('## f', '   ', '`g` h', '[x] y', '| a | b |', '| - | - |', 'a | b', '- ```', '  ```');
    const long = fc
      .tuple(fc.constantFrom('- ', '1. ', '| ', '', '> ', '  '), fc.constantFrom('word ', '中文。', 'x', '*y* ', '`z '), fc.nat(1600))
      .map(([begin, words, length]) => begin + words.repeat(length));
    const line = fc.oneof({ weight: 4, arbitrary: short }, { weight: 3, arbitrary: other }, { weight: 1, arbitrary: long });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(400), { minLength: 1 }), (lines, steps) => {
        const text = lines.join('\n');
        const split = createBlockSplitter();
        let before: readonly Piece[] = [];
        for (let at = 0, step = 0; at < text.length; step += 1) {
          at = Math.min(text.length, at + (steps[step % steps.length] ?? 0) + 1);
          const pieces = split(text.slice(0, at));
          expect(pieces).toEqual(splitBlocks(text.slice(0, at)));
          before = pieces;
        }
        expect(before).toEqual(splitBlocks(text));
        expect(before.every((piece) => piece.text !== '')).toBe(true);
        expect(split('another text').map((piece) => piece.text)).toEqual(['another text']);
      }),
      // A table below nothing but a blank line.
      { numRuns: 60, examples: [[['', '| - | - |', '| - | - |'], [0]]] },
    );
  });

  it.each([
    ['a paragraph of many lines', 'so many words in a line\n'.repeat(2000)],
    ['a paragraph that is one line', 'so many words '.repeat(4000)],
    ['a paragraph without a blank', '字'.repeat(40_000)],
    ['a paragraph whose marks never close', '*so `many [words in a line\n'.repeat(2000)],
    ['a list', '- an item\n'.repeat(4000)],
    ['a list of loose items', '1. an item\n\n'.repeat(4000)],
    ['a table', `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(4000)}`],
    ['a list right below prose', `so:\n${'- an item\n'.repeat(4000)}`],
  ])('and inside of %s without end, so that little is read again', (_what, markdown) => {
    for (const piece of splitBlocks(markdown)) expect(piece.text.length).toBeLessThan(6500);
  });

  it('of which code in the making is told apart from code that is done', () => {
    expect(fencedCode('```ts title\nconst a = 1;\n``')).toEqual({ language: 'ts', code: 'const a = 1;\n``' });
    expect(fencedCode('````\n```\n')).toEqual({ language: '', code: '```' });
    expect(fencedCode('```ts\nconst a = 1;\n\n```')).toEqual({ language: 'ts', code: 'const a = 1;\n' });
    expect(fencedCode('```ts\n```')).toEqual({ language: 'ts', code: '' });
  });

  it('and definitions of links come with the pieces that name them, the first of a name', () => {
    const pieces = splitBlocks(
      '[a][x] and [y](https://b.example)\n\nb\n\n[X]: https://a.example\n[x]: https://c.example\n[y]: https://d.example',
    );
    expect(pieces.slice(0, 2).map(({ definitions }) => definitions)).toEqual(['[X]: https://a.example', '']);
  });
});

describe('a link', () => {
  it.each([
    ['https://a.example/x', 'a.example'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['file:///etc/passwd', null],
    ['https://user:pass@a.example', null],
    ['/relative', null],
    [undefined, null],
  ])('to %s leads to %s', (href, host) => {
    expect(linkTarget(href)?.host ?? null).toBe(host);
  });

  it.each([
    ['https://bank.example/login', 'evil.example', true],
    ['bank.example', 'bank.example.evil.example', true],
    ['the manual', 'evil.example', false],
    ['evil.example, or bank.example', 'evil.example', true],
    ['bank\u200b.example', 'evil.example', true],
    ['bank\u2060.exam\u200dple', 'evil.example', true],
    ['bank\ufe0f.example', 'evil.example', true],
    ['ｂａｎｋ．ｅｘａｍｐｌｅ', 'evil.example', true],
    ['bank。example', 'evil.example', true],
    ['bank\u2024example', 'evil.example', true],
    ['bank\u200b.example', 'bank.example', false],
    ['www.bank.example', 'bank.example', false],
    ['bank.example', 'www.bank.example', false],
  ])('that says %s and leads to %s misleads: %s', (words, host, expected) => {
    expect(misleads(words, host)).toBe(expected);
  });
});
