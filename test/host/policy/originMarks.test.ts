import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodings } from './encodings.ts';
import { originMarks, readEarlier } from '../../../main/host/policy/originMarks.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');
const marksOf = (text: string, ...earlier: string[]) =>
  originMarks(
    [{ at: '/body', text }],
    earlier.map((each, source) => ({ source, forms: readEarlier(each) })),
  );

/** Text of any script, at least sixteen bytes, with no half character at either end and nothing there that its surroundings could go on with. */
const someText = fc
  .string({ unit: 'grapheme', minLength: 16, maxLength: 120 })
  .filter((text) => text.isWellFormed() && bytesOf(text) >= 16 && !text.startsWith('#') && !text.endsWith('#'));
/** What stands around it in an argument: nothing that any of the encodings writes with. */
const noise = fc.integer({ min: 0, max: 40 }).map((length) => '#'.repeat(length));

describe('every text of sixteen bytes and more is marked with its place', () => {
  test.each(Object.entries(encodings))('in an argument, written as %s', (name, encode) => {
    fc.assert(
      fc.property(someText, noise, noise, (text, before, after) => {
        const written = encode(text);
        const marks = marksOf(`${before}${written}${after}`, `no`, `«${text}»`);
        expect(marks).toMatchObject([{ at: '/body', from: before.length, to: before.length + written.length, source: 1 }]);
        if (name === 'as it is') expect(marks[0]?.encoding).toBe('plain');
        // A doubled backslash is two stretches that stand as they are, side by side.
        else if (written !== text && !text.includes('\\')) expect(marks[0]?.encoding).not.toBe('plain');
      }),
    );
  });

  test.each(Object.entries(encodings))('in an argument, where the earlier text is written as %s', (_, encode) => {
    fc.assert(
      fc.property(someText, noise, noise, (text, before, after) => {
        expect(marksOf(`${before}${text}${after}`, `«${encode(text)}»`)).toMatchObject([
          { from: before.length, to: before.length + text.length },
        ]);
      }),
    );
  });

  test('as a part of more that was encoded together, at any place of the encoding', () => {
    fc.assert(
      fc.property(someText, fc.nat(8), fc.nat(8), fc.constantFrom('base64', 'base64url', 'hex'), (text, before, after, encoding) => {
        const whole = Buffer.from(`${'#'.repeat(before)}${text}${'#'.repeat(after)}`).toString(encoding as 'hex');
        const [mark, ...more] = marksOf(`(${whole})`, `«${text}»`);
        expect(more).toEqual([]);
        const letters = encoding === 'hex' ? 2 : 4 / 3;
        expect(mark).toMatchObject({ from: 1 + Math.floor(before * letters), to: 1 + Math.ceil((before + bytesOf(text)) * letters) });
      }),
    );
  });

  test('where letters of the encoding stand before it, so that it begins at none of its usual places', () => {
    fc.assert(
      fc.property(someText, fc.integer({ min: 0, max: 7 }), fc.constantFrom('base64url', 'hex'), (text, before, encoding) => {
        const written = Buffer.from(text).toString(encoding as 'hex');
        const marks = marksOf(`(${'0'.repeat(before)}${written})`, `«${text}»`);
        expect(marks).toMatchObject([{ from: 1 + before, to: 1 + before + written.length }]);
      }),
    );
  });

  test('cut into the elements of a list, each shorter than a mark', () => {
    fc.assert(
      fc.property(someText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const pieces = [...text].reduce<string[]>((all, char, index) => {
          if (index % size === 0) all.push('');
          all.push((all.pop() ?? '') + char);
          return all;
        }, []);
        const strings = pieces.map((piece, index) => ({ at: `/chunks/${index}`, text: piece }));
        const marks = originMarks(strings, [{ source: 'mail', forms: readEarlier(`«${text}»`) }]);
        expect(marks.map(({ at, from, to }) => [at, from, to])).toEqual(
          pieces.map((piece, index) => [`/chunks/${index}`, 0, piece.length]),
        );
      }),
    );
  });
});

test('what is shorter than sixteen bytes is not marked, in any encoding', () => {
  const shortText = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 15 })
    .filter((text) => text.isWellFormed() && bytesOf(text) < 16);
  fc.assert(
    fc.property(shortText, fc.constantFrom(...Object.values(encodings)), (text, encode) => {
      expect(marksOf(`####${encode(text)}####`, `«${text}»`)).toEqual([]);
    }),
  );
});

test('case, line breaks and the plus signs of forms do not hide a text', () => {
  const earlier = 'Dear Bob,\r\nthe number of the safe is 4711. Keep it to yourself.';
  for (const written of [
    'DEAR BOB,\nTHE NUMBER OF THE SAFE IS 4711. KEEP IT TO YOURSELF.',
    'Dear Bob, the number of\nthe safe is\t4711. Keep it to yourself.',
    'Dear+Bob,+the+number+of+the+safe+is+4711.+Keep+it+to+yourself.',
  ])
    expect(marksOf(written, earlier)).toMatchObject([{ from: 0, to: written.length }]);
});

test('of two sources the longest stretch wins, of equal ones the first; neighbours from one source are one mark', () => {
  const short = 'the number is 4711';
  const long = `Dear Bob, ${short}. Yours, Ann`;
  expect(marksOf(`> ${long} <`, short, long)).toMatchObject(
    [{ from: 1, to: 2 + long.length + 1, source: 1 }].map(({ source }) => ({ from: 2, to: 2 + long.length, source })),
  );
  expect(marksOf(short, long, short)).toMatchObject([{ from: 0, to: short.length, source: 0 }]);
  expect(marksOf(`${long}${encodeURIComponent(' & so on and on')}`, `${long} & so on and on`)).toHaveLength(1);
});

test('the name of a member is marked as a whole', () => {
  const strings = [
    { at: '/fields/the number is 4711', text: 'x' },
    { at: '/fields/the number is 4711', text: 'the number is 4711', isName: true },
  ];
  expect(originMarks(strings, [{ source: 'mail', forms: readEarlier('Dear Bob, the number is 4711.') }])).toEqual([
    { at: '/fields/the number is 4711', from: 0, to: 0, encoding: 'plain', source: 'mail' },
  ]);
});
