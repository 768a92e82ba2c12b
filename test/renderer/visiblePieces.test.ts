import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visiblePieces } from '../../renderer/text/visiblePieces.ts';

const shown = (text: string) =>
  visiblePieces(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.code}]`))
    .join('');

describe('a text shows every character that would hide', () => {
  it.each([
    ['a zero-width space', 'pay\u200bment', 'pay[U+200B]ment'],
    ['a direction override', 'exe.\u202etxt', 'exe.[U+202E]txt'],
    ['directional isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
    ['a soft hyphen', 'pass\u00adword', 'pass[U+00AD]word'],
    ['tag characters that spell orders', 'hi\u{e0041}\u{e0042}', 'hi[U+E0041][U+E0042]'],
    ['tag characters behind a digit', '1\u{e0041}\u{e007f}', '1[U+E0041][U+E007F]'],
    ['tag characters behind an emoji that is no flag', '😀\u{e0041}\u{e007f}', '😀[U+E0041][U+E007F]'],
    ['an escape', '\u001b[31mred', '[U+001B][31mred'],
    ['a carriage return that overprints', 'rm -rf /\rls', 'rm -rf /[U+000D]ls'],
    ['a no-break space', 'a\u00a0b', 'a[U+00A0]b'],
    ['a line separator', 'a\u2028b', 'a[U+2028]b'],
    ['a filler letter', 'a\u3164b', 'a[U+3164]b'],
    ['a byte order mark', '\ufeffa', '[U+FEFF]a'],
    ['a joiner between letters', 'a\u200db', 'a[U+200D]b'],
    ['a joiner between digits', '1\u200d2', '1[U+200D]2'],
    ['a lone surrogate', 'a\ud800b', 'a[U+D800]b'],
    ['private use', 'a\ue000b', 'a[U+E000]b'],
    ['a joiner behind an emoji that joins nothing', '😀\u200da', '😀[U+200D]a'],
    ['a flag that spells a sentence', '🏴\u{e0068}\u{e0069}\u{e007f}', '🏴[U+E0068][U+E0069][U+E007F]'],
    ['an emoji selector behind a letter', 'a\ufe0fb', 'a[U+FE0F]b'],
    ['variation selectors that carry data', 'a\u{e0100}\u{e0101}', 'a[U+E0100][U+E0101]'],
  ])('%s', (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['plain text, tabs and line ends', 'a\tb\nc\r\nd'],
    ['accents, Chinese, Arabic, Hebrew', 'Crème 中文，你好 مرحبا שלום'],
    ['emoji with joiners and tones', '👩‍👩‍👧 👍🏽 ❤️ 1️⃣ 🇻🇳'],
    ['a flag spelt by tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
  ])('but leaves %s alone', (_what, text) => {
    expect(shown(text)).toBe(text);
  });

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = visiblePieces(text)
          .map((piece) => (piece.kind === 'text' ? piece.text : String.fromCodePoint(Number.parseInt(piece.code.slice(2), 16))))
          .join('');
        expect(back).toBe(text);
      }),
    );
  });
});
