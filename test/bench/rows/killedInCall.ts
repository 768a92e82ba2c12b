import { join } from 'node:path';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';
import { ownServer } from '../servers.ts';

export const row: Row = {
  name: 'Server killed in a call: its card says so',
  unit: 's',
  bound: 1,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const script = writeJson(join(folder, 'script.json'), {
        steps: [{ calls: [{ tool: 'frail.kill', arguments: {} }] }, { text: 'Done.' }],
      });
      const serversFile = writeJson(join(folder, 'servers.json'), {
        mcpServers: { frail: ownServer('diesInCall', join(folder, 'starts')) },
      });
      const host = await startBenchHost(join(folder, 'data'), { scriptFiles: [script], serversFile }, later);
      host.allowEverything(later);
      await host.serversReady();
      const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
      let runningAt = 0;
      let failedAt = 0;
      let backAt = 0;
      const back = host.next((message) => {
        if (message.topic === 'conversation' && message.event.type === 'part.changed' && message.event.part.kind === 'call') {
          if (message.event.part.call.state === 'running') runningAt = performance.now();
          if (message.event.part.call.state === 'failed') failedAt = performance.now();
        }
        const isReady =
          message.topic === 'servers' && message.event.type === 'server.changed' && message.event.server.status.state === 'ready';
        if (!isReady || runningAt === 0) return undefined;
        backAt = performance.now();
        return true;
      });
      const { value: calls, loopDelayMs } = await watchLoop(async () => {
        const turn = await host.runTurn(conversation.id);
        await back;
        return turn.calls;
      });
      const [call] = calls;
      if (call?.state !== 'failed' || call.error.code !== 'serverExited') throw new Error(`The call ended as ${call?.state}.`);
      if (!call.error.message.includes('SIGKILL') || !call.error.detail?.includes('panic')) throw new Error('The card names no reason.');
      return {
        value: (failedAt - runningAt) / 1000,
        loopDelayMs,
        detail: 'with the signal and the last words on stderr',
        more: [{ name: 'Server killed in a call: it is back', value: (backAt - runningAt) / 1000, unit: 's', bound: 5 }],
      };
    }),
};
