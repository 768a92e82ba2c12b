import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../doubles/browser.ts';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { type Row, median, withCleanUp } from '../row.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const packaged = (name: string, file: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/${file}`);
const starts = 3;
/** What `npm start` gives to the program. */
const startEnvironment = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** 23 real servers, one that never says a word, one that ends at once. */
function configs(folder: string): { name: string; config: { command: string; args: string[] } }[] {
  const program = (...args: string[]) => ({ command: process.execPath, args });
  const real = [
    program(packaged('everything', 'index.js'), 'stdio'),
    program(packaged('filesystem', 'index.js'), folder),
    program(packaged('memory', 'index.js')),
  ];
  return [
    ...Array.from({ length: 23 }, (_, n) => ({ name: `server ${n}`, config: real[n % real.length] ?? program() })),
    { name: 'silent', config: program('--eval', 'process.stdin.resume()') },
    { name: 'crashing', config: program('--eval', 'process.exit(1)') },
  ];
}

/** From the start of the program to a composer that can be typed in, in milliseconds. */
async function startOnce(dataDir: string, folder: string): Promise<{ ms: number; listening: number; loopDelayMs: number }> {
  return withCleanUp(async (later) => {
    const browser = await launchBrowser();
    later(() => browser.close());
    const page = await browser.newPage();
    const loopFile = join(folder, 'loop');

    const startedAt = performance.now();
    const shell = spawn(
      process.execPath,
      ['--import', join(root, 'test/bench/watchLoop.ts'), join(root, 'main/web/main.ts'), '--no-open'],
      {
        env: { ...startEnvironment, PATH: process.env['PATH'], HOME: folder, MAITRE_DATA_DIR: dataDir, MAITRE_BENCH_LOOP: loopFile },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      },
    );
    if (shell.stdout === null) throw new Error('The shell has no output.');
    const exited = once(shell, 'exit');
    later(() => shell.kill('SIGKILL'));
    const [line] = await once(createInterface(shell.stdout), 'line');
    const listening = performance.now() - startedAt;
    shell.send('watch');
    const url = /http:\S+/.exec(String(line))?.[0];
    if (url === undefined) throw new Error(`The web shell names no address: ${line}`);
    await page.goto(url);
    await page.getByRole('textbox', { name: 'Message' }).fill('usable');
    const ms = performance.now() - startedAt;

    shell.kill('SIGTERM');
    await exited;
    return { ms, listening, loopDelayMs: Number(readFileSync(loopFile, 'utf8')) };
  });
}

export const row: Row = {
  name: 'Window usable with 25 servers, one silent, one crashing',
  unit: 's',
  bound: 1.5,
  run: () =>
    withCleanUp(async (later) => {
      const folder = benchFolder(later);
      const dataDir = join(folder, 'data');
      await withCleanUp(async (afterwards) => {
        const host = await startBenchHost(dataDir, {}, afterwards);
        for (const { name, config } of configs(folder)) {
          const { server } = await host.run('server.add', { name, config });
          if (server.status.state !== 'off' || server.status.needsConsent === undefined) throw new Error(`${name} asks for no consent.`);
          const { configHash } = server.status.needsConsent;
          await host.run('server.consent', { serverId: server.id, configHash, allow: true });
        }
      });
      const measured = [];
      for (let n = 0; n < starts; n++) measured.push(await startOnce(dataDir, folder));
      const times = measured.map(({ ms }) => ms / 1000);
      return {
        value: median(times),
        loopDelayMs: Math.max(...measured.map(({ loopDelayMs }) => loopDelayMs)),
        detail: measured
          .map(({ ms, listening }) => `${(ms / 1000).toFixed(2)} s (${(listening / 1000).toFixed(2)} to the address)`)
          .join(', '),
      };
    }),
};
