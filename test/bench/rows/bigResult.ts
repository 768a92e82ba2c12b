import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { measuredOf, openBenchWindow, taskBoundMs } from '../windowCost.ts';

const bytes = 5_000_000;
const name = 'Tool result of 5 MB comes in, is opened and read to its end';
const server = fileURLToPath(new URL('../../servers/big.ts', import.meta.url));

export const row: Row = {
  name,
  unit: 'ms',
  bound: taskBoundMs,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const dataDir = join(folder, 'data');
      const script = writeJson(join(folder, 'script.json'), {
        steps: [{ calls: [{ tool: 'big.echo', arguments: { bytes } }] }, { text: 'Done.' }],
      });
      const serversFile = writeJson(join(folder, 'servers.json'), { mcpServers: { big: { command: process.execPath, args: [server] } } });
      const host = await startBenchHost(dataDir, { scriptFiles: [script], serversFile }, later);
      const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
      await host.run('conversation.rename', { conversationId: conversation.id, title: 'Big result' });
      const { page, measure } = await openBenchWindow(host, dataDir, later);
      await page.getByRole('button', { name: 'Big result', exact: true }).click();
      await page.getByRole('log').waitFor();
      const cost = await measure(async () => {
        await host.run('turn.send', { conversationId: conversation.id, text: 'Read the big file.' });
        await page.getByRole('button', { name: 'Allow once' }).click();
        const call = page.locator('[data-call=succeeded]');
        await call.getByRole('button').first().click();
        await call.getByRole('button', { name: 'Show all' }).last().click();
        const more = call.getByRole('button', { name: 'Load more' });
        // The last button goes away when what it brings is there: waiting for it to be pressed would have no end.
        const press = (buttons: (SVGElement | HTMLElement)[]) => {
          const button = buttons.at(-1);
          if (button instanceof HTMLElement) button.click();
          return button !== undefined;
        };
        while (await more.evaluateAll(press)) await page.waitForTimeout(20);
        const list = call.locator('[data-virtuoso-scroller]').last();
        await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      });
      return measuredOf(name, cost);
    }),
};
