import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { startTestHost } from '../doubles/testHost.ts';
import { hostile } from './world.ts';

/** Everything in a folder that somebody else could open, by path; a folder that he cannot enter hides what is in it. */
function openToOthers(folder: string): string[] {
  if ((statSync(folder).mode & 0o077) === 0) return [];
  return [
    folder,
    ...readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const inner = path.join(folder, entry.name);
      if (entry.isDirectory()) return openToOthers(inner);
      return (statSync(inner).mode & 0o077) === 0 ? [] : [inner];
    }),
  ];
}

test.skipIf(process.platform === 'win32').each([
  ['made by the host', false],
  ['that was there before and open to all', true],
])('a data folder %s shows another user of the computer nothing, whatever the umask', async (_how, wasThere) => {
  const before = process.umask(0);
  try {
    const dataDir = path.join(tempFolder(), 'data');
    if (wasThere) {
      mkdirSync(dataDir, { mode: 0o755 });
      writeFileSync(path.join(dataDir, 'servers.json'), '{"mcpServers":{}}', { mode: 0o644 });
      chmodSync(dataDir, 0o755);
    }
    const { log } = nodePorts({ dataDir, env: {} });
    const host = await startTestHost({ dataDir, ports: { log } });
    log.info('A line.');
    await host.run('server.add', { name: 'odd', config: { ...hostile(), env: { API_KEY: 'canary' } } });
    await host.close();
    expect(openToOthers(dataDir)).toEqual([]);
  } finally {
    process.umask(before);
  }
});
