import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonc, valueOf } from '../../../main/host/servers/jsonc.ts';
import { setIn } from '../../../main/host/servers/jsoncEdit.ts';

const tabs = '{\n\t"a": 1, // one\n\t/* two */\n\t"b": { "c": 2 } // end\n\t// last\n}\n';

describe('an edit changes what it names and nothing else', () => {
  test.each<[string, string, string[], unknown, string]>([
    ['a value in its place', tabs, ['b', 'c'], 3, tabs.replace('2 }', '3 }')],
    ['a new last member keeps the comments of the line before', tabs, ['d'], true, tabs.replace('} // end', '}, // end\n\t"d": true')],
    ['a new member of an object on one line', tabs, ['b', 'd'], 4, tabs.replace('2 }', '2, "d": 4 }')],
    ['objects on the way are made', '{}', ['a', 'b'], 1, '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['a trailing comma stays one', '{\n  "a": 1,\n}', ['b'], 2, '{\n  "a": 1,\n  "b": 2,\n}'],
    ['lines of Windows', '{\r\n  "a": 1\r\n}', ['b'], [2], '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}'],
    ['comments in an empty object', '{\n  // none\n}', ['a'], 1, '{\n  "a": 1\n  // none\n}'],
    ['the first member goes with its line', tabs, ['a'], undefined, tabs.replace('\t"a": 1, // one\n', '')],
    ['the last member goes with the comma before it', tabs, ['b'], undefined, '{\n\t"a": 1 // one\n\t/* two */\n\t// last\n}\n'],
    ['the last member of a file with trailing commas', '{\n  "a": 1,\n  "b": 2,\n}', ['b'], undefined, '{\n  "a": 1,\n}'],
    ['the only member', '{\n  "a": { "b": 1 }\n}', ['a', 'b'], undefined, '{\n  "a": {  }\n}'],
    ['one in the middle of a line', '{"a":1,"b":2,"c":3}', ['b'], undefined, '{"a":1,"c":3}'],
    ['the last one of a line', '{"a":1,"b":2}', ['b'], undefined, '{"a":1}'],
    ['what is not there', tabs, ['x', 'y'], undefined, tabs],
  ])('%s', (_what, text, path, value, expected) => {
    expect(setIn(text, path, value)).toBe(expected);
  });

  const name = fc.constantFrom('a', 'b', 'c', 'd', '"', '\\', '/*', '//', '__proto__', '新');
  const object = fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.dictionary(name, fc.integer(), { noNullPrototype: true })), {
    noNullPrototype: true,
  });
  const layouts = [
    (value: unknown) => JSON.stringify(value),
    (value: unknown) => JSON.stringify(value, null, 2),
    (value: unknown) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n'),
    (value: unknown) =>
      JSON.stringify(value, null, 2)
        .replace(/([^{[\n])\n(\s*[}\]])/g, '$1, // last\n$2')
        .replace(/^(\{|\s+\{)$/gm, '$1 // open'),
  ];

  test('the value of the changed text is the changed value, however it is laid out', () => {
    fc.assert(
      fc.property(
        object,
        name,
        fc.option(fc.oneof(fc.integer(), fc.constant({ x: [1] })), { nil: undefined }),
        fc.constantFrom(...layouts),
        (before, key, value, layout) => {
          const after = parseJsonc(setIn(layout(before), [key], value));
          const expected: [string, unknown][] = Object.entries(before).filter(([other]) => other !== key);
          if (value !== undefined) expected.push([key, value]);
          const sorted = (entries: [string, unknown][]) => JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
          expect(after.ok && sorted(Object.entries(Object(valueOf(after.root))))).toBe(sorted(expected));
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });
});
