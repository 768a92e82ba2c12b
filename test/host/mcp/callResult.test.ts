import { expect, test } from 'vitest';
import { outcomeOf } from '../../../main/host/mcp/callResult.ts';

const legacy = { name: 'Odd', era: 'legacy' } as const;
const modern = { name: 'Odd', era: 'modern' } as const;

test('a result is handed on as it came, and only `true` makes it an error', () => {
  const content = [{ type: 'text', text: 'x' }, 7];
  expect(outcomeOf(legacy, { content })).toStrictEqual({ kind: 'result', content, hasStructuredContent: false, isError: false });
  expect(outcomeOf(legacy, { content, isError: true })).toMatchObject({ isError: true });
  expect(outcomeOf(legacy, { content, isError: 'true' })).toMatchObject({ isError: false });
});

test('structured content of any kind counts in the modern revision; in an older one what is no object is shown with the reason', () => {
  for (const structuredContent of [null, 0, 'x', [1], { a: 1 }]) {
    const shown = { kind: 'result', content: [], structuredContent, hasStructuredContent: true, isError: false };
    expect(outcomeOf(modern, { structuredContent })).toStrictEqual(shown);
    const isObject = JSON.stringify(structuredContent).startsWith('{');
    const problem = isObject ? {} : { structuredProblem: 'it must be an object in this revision of the protocol' };
    expect(outcomeOf(legacy, { structuredContent })).toStrictEqual({ ...shown, ...problem });
  }
});

test('content that is no list, and a result that has none, are said to be unreadable, with the beginning of what came', () => {
  expect(outcomeOf(modern, { content: {}, structuredContent: {} })).toStrictEqual({
    kind: 'invalidResult',
    message: '"Odd" answered with a result that cannot be read: its content is no list.',
  });
  expect(outcomeOf(modern, { other: 'x'.repeat(2000) })).toStrictEqual({
    kind: 'invalidResult',
    message: '"Odd" answered with a result that has no "content".',
    detail: `{"other":"${'x'.repeat(990)}`,
  });
});
