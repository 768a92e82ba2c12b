import { join } from 'node:path';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';
import { ownServer } from '../servers.ts';

const notices = 200;
const toolsBefore = 2;

export const row: Row = {
  name: `${notices} change notices in a burst: lists read, the last change included`,
  unit: 'reads',
  bound: 2,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const [burst = '', count = ''] = ['burst', 'lists'].map((tool) =>
        writeJson(join(folder, `${tool}.json`), { steps: [{ calls: [{ tool: `storm.${tool}`, arguments: {} }] }, { text: 'Done.' }] }),
      );
      const serversFile = writeJson(join(folder, 'servers.json'), { mcpServers: { storm: ownServer('notices') } });
      const host = await startBenchHost(join(folder, 'data'), { scriptFiles: [burst, count], serversFile }, later);
      host.allowEverything(later);
      await host.serversReady();
      const callOnce = async (script: string) => {
        const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
        return (await host.runTurn(conversation.id)).calls[0];
      };
      const { value: reads, loopDelayMs } = await watchLoop(async () => {
        // Whether a change was lost shows here: without the last one this never resolves.
        const complete = host.next((message) =>
          message.topic === 'servers' &&
          message.event.type === 'server.changed' &&
          message.event.server.counts?.tools === toolsBefore + notices
            ? true
            : undefined,
        );
        await callOnce(burst);
        await complete;
        const call = await callOnce(count);
        const [block] = call?.state === 'succeeded' ? call.content : [];
        if (block?.type !== 'text') throw new Error('The server does not say how often it was read.');
        return Number(block.text.text) - 1;
      });
      return { value: reads, loopDelayMs, detail: `${toolsBefore + notices} tools known at the end` };
    }),
};
