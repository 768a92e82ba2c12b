import os from 'node:os';
import path from 'node:path';
import envPaths from 'env-paths';
import open from 'open';
import { v7 as uuidv7 } from 'uuid';
import { spawnProgram } from './mcp/childProgram.ts';
import type { Clock, Ports } from './ports.ts';
import { messageOf, refuse } from './refusal.ts';
import { createLogFile } from './logFile.ts';
import { systemKeychain } from './systemKeychain.ts';

/**
 * The ports as plain Node can fill them; each shell replaces what it does otherwise (Electron: scripts, dialogs, notifications,
 * addresses). Touches nothing yet: the data folder is made by who opens it, the log's folder with the first line.
 */
export function nodePorts({ dataDir, env }: { dataDir?: string; env: Readonly<Record<string, string | undefined>> }): Ports {
  const paths = { dataDir: dataDirOf(dataDir, env), home: os.homedir(), temp: os.tmpdir() };
  return {
    paths,
    keychain: systemKeychain(),
    openUrl: openInBrowser,
    pickPath: null,
    notify() {},
    runNodeScript: (script, args, options) => spawnProgram(process.execPath, [script, ...args], options),
    clock: systemClock,
    ids: () => uuidv7(),
    log: createLogFile(path.join(paths.dataDir, 'logs'), systemClock),
    createLink: null,
  };
}

/** What was asked for, else `MAITRE_DATA_DIR`, else the system's place for data of applications. */
function dataDirOf(asked: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  return path.resolve(asked || env['MAITRE_DATA_DIR'] || envPaths('Maitre', { suffix: '' }).data);
}

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Opens an http(s) address without a name and password in it. Throws `invalidInput`, or `unsupported` where no browser starts. */
async function openInBrowser(address: string): Promise<void> {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    refuse('invalidInput', 'Only web addresses (http or https, without a password in them) are opened in the browser.');
  }
  try {
    await open(url.href);
  } catch (error) {
    refuse('unsupported', 'No browser could be started on this system. Copy the address and open it yourself.', {
      detail: messageOf(error),
    });
  }
}
