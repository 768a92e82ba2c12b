import { join } from 'node:path';
import { openReadOnly, databaseFile } from '../../../main/host/store/database.ts';
import { benchFolder, startBenchHost, writeJson } from '../benchHost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';
import { everything, filesystem, inline, memory, ownServer } from '../servers.ts';

/** Programs with a child of their own; one that will not end when it is asked to. */
const odd = {
  parent: inline(
    `require('node:child_process').spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }); process.stdin.resume()`,
  ),
  stubborn: ownServer('stubborn'),
  silent: inline('process.stdin.resume()'),
};

const isAlive = (pid: number): boolean => {
  try {
    // A negative number is the whole group of the program, its children included.
    process.kill(process.platform === 'win32' ? pid : -pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
};

export const row: Row = {
  name: 'Quit with stubborn and starting servers: programs left',
  unit: 'left',
  bound: 0,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const dataDir = join(folder, 'data');
      const ready = { everything, memory, files: filesystem(folder), stubborn: odd.stubborn };
      const all = { ...ready, parent: odd.parent, silent: odd.silent };
      const serversFile = writeJson(join(folder, 'servers.json'), { mcpServers: all });
      const host = await startBenchHost(dataDir, { serversFile }, later);
      await host.serversReady(Object.keys(ready));
      const db = openReadOnly(databaseFile(dataDir));
      const pids = db
        .prepare<[], { pid: number }>('SELECT pid FROM processes')
        .all()
        .map(({ pid }) => pid);
      db.close();
      if (pids.length < Object.keys(ready).length) throw new Error(`Only ${pids.length} programs are known to run.`);
      const start = performance.now();
      const { loopDelayMs } = await watchLoop(() => host.host.close());
      const seconds = (performance.now() - start) / 1000;
      return { value: pids.filter(isAlive).length, loopDelayMs, detail: `${pids.length} programs ended in ${seconds.toFixed(2)} s` };
    }),
};
