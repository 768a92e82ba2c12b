import { join } from 'node:path';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { streamAnswer } from '../streamAnswer.ts';
import { measuredOf, openBenchWindow, taskBoundMs, type WindowCost } from '../windowCost.ts';

const lines = 3000;
const name = `Answers of ${lines.toLocaleString('en')} lines that are one thing each`;
/** Faster than any model writes: there are several answers to wait for. */
const linesAtOnce = 6;

const each = (make: (n: number) => string): string[] => Array.from({ length: lines }, (_, n) => make(n + 1));

/** As when a model has lost itself. */
const answers = {
  paragraphs: each((n) => (n % 4 === 0 ? '' : `Sentence ${n} has **some** words, \`code\` and a [link](https://example.com/${n}).`)),
  paragraph: each((n) => `sentence ${n} of a *paragraph* that goes on and on without taking breath,`),
  table: ['| name | before | after |', '| --- | ---: | ---: |', ...each((n) => `| row **${n}** | ${n * 7} | \`${n}\` |`).slice(2)],
  list: each((n) => `${n}. step ${n} of a *list* that never ends`),
  code: ['```ts', ...each((n) => `const value${n} = await read(${n}); // line ${n}`).slice(2), '```'],
};

export const row: Row = {
  name,
  unit: 'ms',
  bound: taskBoundMs,
  run: () =>
    withCleanUp(async (later) => {
      const dataDir = join(benchFolder(later), 'data');
      const host = await startBenchHost(dataDir, {}, later);
      const window = await openBenchWindow(host, dataDir, later);
      const costs: [string, WindowCost][] = [];
      for (const [kind, answer] of Object.entries(answers))
        costs.push([kind, await streamAnswer({ host, window, title: `One ${kind}`, answer: answer.join('\n'), linesAtOnce }, later)]);
      const most = (pick: (cost: WindowCost) => number) => Math.max(...costs.map(([, cost]) => pick(cost)));
      const worst: WindowCost = {
        longestTaskMs: most((cost) => cost.longestTaskMs),
        longestByClockMs: most((cost) => cost.longestByClockMs),
        tasksOverBound: costs.reduce((sum, [, cost]) => sum + cost.tasksOverBound, 0),
        keystrokeMs: most((cost) => cost.keystrokeMs),
        longestKeystrokeMs: most((cost) => cost.longestKeystrokeMs),
        heapMb: most((cost) => cost.heapMb),
        loopDelayMs: most((cost) => cost.loopDelayMs),
      };
      const measured = measuredOf(name, worst);
      const listed = costs.map(([kind, cost]) => `${kind} ${cost.longestTaskMs.toFixed(0)}`).join(', ');
      return { ...measured, detail: `${listed} ms; ${measured.detail}` };
    }),
};
