import { join } from 'node:path';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { median, type Row, watchLoop, withCleanUp } from '../row.ts';
import { everything } from '../servers.ts';

const rounds = 15;
/** Rounds at the start that only warm up. */
const warmUpRounds = 1;
const words = ['off', 'protected', 'strict'] as const;
const bound = 1.3;
const name = (word: string) => `Start of a local server, ${word}, in times of one that nothing holds`;

export const row: Row = {
  name: name('Protected'),
  unit: '×',
  bound,
  run: () =>
    withCleanUp(async (later) => {
      const host = await startBenchHost(join(benchFolder(later), 'data'), { sandbox: 'detect' }, later);
      const ids = new Map<string, string>();
      for (const sandbox of words) {
        const { server } = await host.run('server.add', { name: sandbox, config: { ...everything, sandbox } });
        const missing = sandbox !== 'off' && server.sandbox?.obstacles[sandbox];
        if (missing) throw new Error(`${sandbox} cannot be had here (${missing}): install bubblewrap and socat.`);
        if (server.status.state !== 'off' || server.status.needsConsent === undefined) throw new Error('The server asks for no consent.');
        ids.set(sandbox, server.id);
        await host.run('server.consent', { serverId: server.id, configHash: server.status.needsConsent.configHash, allow: true });
        await host.serversReady([sandbox]);
        await host.run('server.setEnabled', { serverId: server.id, enabled: false });
      }
      const times = new Map<string, number[]>(words.map((word) => [word, []]));
      const { loopDelayMs } = await watchLoop(async () => {
        for (let round = 0; round < warmUpRounds + rounds; round += 1) {
          for (const word of words) {
            const { servers } = await host.run('server.list', {});
            const server = servers.find((each) => each.id === ids.get(word));
            if (!server) throw new Error('A server is gone.');
            const ready = host.serversReady([word]);
            const start = performance.now();
            await host.run('server.setEnabled', { serverId: server.id, enabled: true });
            await ready;
            if (round >= warmUpRounds) times.get(word)?.push(performance.now() - start);
            await host.run('server.setEnabled', { serverId: server.id, enabled: false });
          }
        }
      });
      const [off, held, strict] = words.map((word) => median(times.get(word) ?? []));
      if (off === undefined || held === undefined || strict === undefined) throw new Error('Nothing was measured.');
      return {
        value: held / off,
        loopDelayMs,
        detail: `Off ${off.toFixed(0)} ms, Protected ${held.toFixed(0)} ms, Strict ${strict.toFixed(0)} ms`,
        more: [{ name: name('Strict'), value: strict / off, unit: '×', bound: 1.5 }],
      };
    }),
};
