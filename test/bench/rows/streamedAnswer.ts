import { join } from 'node:path';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { streamAnswer } from '../streamAnswer.ts';
import { measuredOf, openBenchWindow, taskBoundMs } from '../windowCost.ts';

const lines = 3000;
const name = `Answer of ${lines.toLocaleString('en')} lines streams in`;

/** Everything that an answer is made of, with a list and a program of several hundred lines each. */
function longAnswer(): string {
  const section = (n: number) => [
    `## Section ${n}`,
    '',
    `The **${n}th** part has a [link](https://example.com/${n}), some \`code\` and words enough to fill more than one line of the column.`,
    '',
    ...Array.from({ length: 6 }, (_, item) => `- item ${item} with *emphasis* and \`code${item}\``),
    '',
    '```ts',
    ...Array.from({ length: 12 }, (_, line) => `const value${line} = await read(${n}, ${line}); // line ${line}`),
    '```',
    '',
    '| name | before | after |',
    '| --- | ---: | ---: |',
    ...Array.from({ length: 4 }, (_, row) => `| row ${row} | ${row * n} | ${row + n} |`),
    '',
  ];
  const whole = [
    ...Array.from({ length: 40 }, (_, n) => section(n + 1)).flat(),
    ...Array.from({ length: 600 }, (_, item) => `${item + 1}. step ${item + 1} of a list that never ends`),
    '',
    '```python',
    ...Array.from({ length: 700 }, (_, line) => `print("line ${line}")`),
    '```',
    '',
  ];
  for (let n = 100; whole.length < lines; n += 1) whole.push(...section(n));
  return whole.slice(0, lines).join('\n');
}

export const row: Row = {
  name,
  unit: 'ms',
  bound: taskBoundMs,
  run: () =>
    withCleanUp(async (later) => {
      const dataDir = join(benchFolder(later), 'data');
      const host = await startBenchHost(dataDir, {}, later);
      const window = await openBenchWindow(host, dataDir, later);
      const cost = await streamAnswer({ host, window, title: 'Long answer', answer: longAnswer() }, later);
      return measuredOf(name, cost);
    }),
};
