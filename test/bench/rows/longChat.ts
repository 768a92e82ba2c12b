import { join } from 'node:path';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { measuredOf, openBenchWindow, taskBoundMs } from '../windowCost.ts';

const turns = 1000;
const name = `Chat of ${(2 * turns).toLocaleString('en')} messages opens and is scrolled to its beginning`;

const answer = `It takes some **words** to fill a line or two, with a [link](https://example.com) and \`code\`.

- first
- second

\`\`\`ts
const value = await read('file');
\`\`\`

${'And it goes on for a while. '.repeat(12)}`;

export const row: Row = {
  name,
  unit: 'ms',
  bound: taskBoundMs,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const dataDir = join(folder, 'data');
      const script = writeJson(join(folder, 'script.json'), { steps: [{ text: answer }] });
      const host = await startBenchHost(dataDir, { scriptFiles: [script] }, later);
      const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
      await host.run('conversation.rename', { conversationId: conversation.id, title: 'Long chat' });
      for (let n = 1; n <= turns; n += 1) {
        const ended = host.next((message) =>
          message.topic === 'conversation' && message.event.type === 'turn.changed' && message.event.turn.state === 'done'
            ? true
            : undefined,
        );
        await host.run('turn.send', { conversationId: conversation.id, text: `Question ${n}` });
        await ended;
      }
      const { page, measure } = await openBenchWindow(host, dataDir, later);
      const cost = await measure(async () => {
        await page.getByRole('button', { name: 'Long chat', exact: true }).click();
        await page.getByText(`Question ${turns}`, { exact: true }).waitFor();
        await page.locator('#composer textarea').focus();
        await page.getByRole('log').hover();
        const first = page.getByText('Question 1', { exact: true });
        while ((await first.count()) === 0) await page.mouse.wheel(0, -4000);
        await page.getByRole('button', { name: 'Jump to latest' }).click();
        await page.getByText(`Question ${turns}`, { exact: true }).waitFor();
      });
      return measuredOf(name, cost);
    }),
};
