import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { labelTable, resultLabels } from '../../../main/host/policy/labels.ts';

const shown = (): string => {
  const rows = Object.values(labelTable).map(
    ({ block, source, decided }) => `| ${block} | ${source === 'none' ? '–' : source} | ${decided} |`,
  );
  return ['| block | source | labels |', '| --- | --- | --- |', ...rows].join('\n');
};

test('docs/labels.md shows the table of what sets each label, as it stands in the code', () => {
  const text = readFileSync(new URL('../../../docs/labels.md', import.meta.url), 'utf8');
  const between = /<!-- labels:begin -->\n+([\s\S]*?)\n+<!-- labels:end -->/.exec(text)?.[1];
  expect(between, `Put this table between the marks:\n${shown()}`).toBe(shown());
});

const said = [undefined, false, true] as const;
const pairs = [
  { untrusted: false, private: false },
  { untrusted: true, private: false },
  { untrusted: false, private: true },
  { untrusted: true, private: true },
];

test('for each label the user’s word comes first, then the profile, then yes; what was stored only adds', () => {
  for (const untrusted of said)
    for (const isPrivate of said)
      for (const profile of [undefined, ...pairs])
        for (const stored of [undefined, ...pairs])
          expect(resultLabels({ untrusted, private: isPrivate }, profile, stored)).toEqual({
            untrusted: stored?.untrusted === true || (untrusted ?? profile?.untrusted ?? true),
            private: stored?.private === true || (isPrivate ?? profile?.private ?? true),
          });
});
