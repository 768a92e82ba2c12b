import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import { CallId, ConversationId, type ServerId } from '../../../preload/contract/ids.ts';
import type { Server, ServersFileProblem } from '../../../preload/contract/servers.ts';
import type { ToolCallOutcome } from '../../../main/host/mcp/callTool.ts';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import type { Clock, Keychain, Log } from '../../../main/host/ports.ts';
import { openDatabase, type Db } from '../../../main/host/store/database.ts';
import { createSecrets, type Secrets } from '../../../main/host/store/secrets.ts';
import { createBundlePlaces } from '../../../main/host/servers/bundles/bundlePlaces.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import { createFolders } from '../../../main/host/servers/folders.ts';
import { noSandbox } from '../../../main/host/servers/sandbox.ts';
import { createStartPlaces } from '../../../main/host/servers/startPlaces.ts';
import { createIdentities } from '../../../main/host/auth/identities.ts';
import type { Folders } from '../../../main/host/servers/folders.ts';
import { type Servers, type ServersDeps, createServers } from '../../../main/host/servers/servers.ts';

export const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export const quietLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A keychain that works, in memory; `broken` is a system without one. */
export function keychain(broken = false): Keychain {
  const entries = new Map<string, string>();
  const check = (): void => {
    if (broken) throw new Error('No keychain answers.');
  };
  return {
    get: async (account) => (check(), entries.get(account) ?? null),
    set: async (account, secret) => (check(), void entries.set(account, secret)),
    remove: async (account) => (check(), void entries.delete(account)),
  };
}

const leaving: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
});

/** A folder as people really have them, removed at the end of the test. */
export function folderOfPeople(name = '张三 的文件夹 🦊 with spaces'): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'maitre-servers-')));
  leaving.push(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, name);
  mkdirSync(folder);
  return folder;
}

export interface World {
  dataDir: string;
  db: Db;
  secrets: Secrets;
  folders: Folders;
  servers: Servers;
  changes: Server[];
  removed: ServerId[];
  problems: (ServersFileProblem | undefined)[];
  /** servers.json as it is on the disk. */
  file(): string;
  entry(name: string): Record<string, unknown>;
  write(text: string): void;
  named(name: string): Server;
  /** Resolves when `holds` is true, looked at on every change the host tells of. */
  when(holds: () => boolean): Promise<void>;
  call(server: Server, tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolCallOutcome>;
  /** Closes this host and opens another one on the same data folder. */
  reopened(more?: Partial<ServersDeps>): Promise<World>;
}

/** Servers over a real data folder and a real database; the keychain is the only double. */
export async function openWorld(
  options: { text?: string; dataDir?: string; keys?: Keychain; deps?: Partial<ServersDeps> } = {},
): Promise<World> {
  const dataDir = options.dataDir ?? folderOfPeople();
  if (options.text !== undefined) writeFileSync(join(dataDir, 'servers.json'), options.text);
  const keys = options.keys ?? keychain();
  const db = openDatabase({ dataDir, log: quietLog, clock });
  const ids = (): string => randomUUID();
  const secrets = createSecrets(db, keys, { ids, clock, log: quietLog });
  const folders = createFolders(ids);
  const changes: Server[] = [];
  const removed: ServerId[] = [];
  const problems: (ServersFileProblem | undefined)[] = [];
  let watchers: (() => void)[] = [];
  const told = (): void => watchers.forEach((look) => look());
  const startPlaces = createStartPlaces(clock);
  startPlaces.open();
  const pool = createWorkerPool({ size: 1, log: quietLog });
  leaving.push(() => pool.close());
  const servers = await createServers({
    db,
    bundlePlaces: createBundlePlaces({ dataDir, pool, log: quietLog }),
    startPlaces,
    secrets,
    identities: createIdentities({ secrets, clock, log: quietLog }),
    folders,
    clock,
    ids,
    log: quietLog,
    sandbox: noSandbox,
    nodeProgram: process.execPath,
    runNodeScript: (script, args, { env, cwd }) => spawnProgram(process.execPath, [script, ...args], { env: { ...env }, cwd }),
    env: process.env,
    platform: process.platform,
    home: dataDir,
    dataDir,
    clientInfo: { name: 'maitre-test', version: '0.0.0' },
    declared: () => ({ elicitation: false, sampling: false, roots: false }),
    answer: async () => ({ kind: 'declined' }),
    callTimeoutMs: () => 20_000,
    fromDesktop: false,
    onChange: (server) => (changes.push(server), told()),
    onRemoved: (id) => (removed.push(id), told()),
    openUrl: async () => undefined,
    record: () => undefined,
    managed: { state: 'none' },
    onResourceUpdated: () => undefined,
    onFileChanged: (problem) => (problems.push(problem), told()),
    ...options.deps,
  });
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await servers.close();
    db.close();
  };
  leaving.push(close);

  const path = join(dataDir, 'servers.json');
  const world: World = {
    dataDir,
    db,
    secrets,
    folders,
    servers,
    changes,
    removed,
    problems,
    file: () => readFileSync(path, 'utf8'),
    entry: (name) => JSON.parse(readFileSync(path, 'utf8')).mcpServers[name],
    write: (text) => writeFileSync(path, text),
    named(name) {
      const found = servers.list().find((server) => server.name === name);
      if (!found) throw new Error(`No server ${name} among ${servers.list().map((server) => server.name)}`);
      return found;
    },
    when: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          watchers = watchers.filter((watcher) => watcher !== look);
          resolve();
        };
        watchers.push(look);
        look();
      }),
    call: (server, tool, args, signal = new AbortController().signal) =>
      servers.callTool({
        serverId: server.id,
        tool,
        arguments: args,
        callId: CallId.parse(randomUUID()),
        conversationId: ConversationId.parse(randomUUID()),
        signal,
        onProgress: () => undefined,
      }),
    async reopened(more) {
      await close();
      return openWorld({ dataDir, keys, deps: { ...options.deps, ...more } });
    },
  };
  return world;
}
