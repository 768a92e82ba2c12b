import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { SandboxObstacle } from '../../../preload/contract/servers.ts';
import { neverRan, spawnProgram, SpawnFailure } from '../mcp/childProgram.ts';
import type { ChildProgram, Clock, Log } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import { findProgram } from './findProgram.ts';
import { bubblewrapStart, proxyPort } from './sandboxBubblewrap.ts';
import { sandboxPlaces } from './sandboxPlaces.ts';
import type { SandboxProxy } from './sandboxProxy.ts';
import { sandboxRules } from './sandboxRules.ts';
import { findWalls, isRoot, type Walls } from './sandboxWalls.ts';

/** Why a word cannot be had on this computer; a member that is absent can. */
export interface SandboxObstacles {
  protected?: SandboxObstacle;
  strict?: SandboxObstacle;
}

/** What one server is held to. */
export interface Confinement {
  word: 'protected' | 'strict';
  /** Folders that it may write to. */
  folders: readonly string[];
  /** Folders of Maitre's own that it may write to; made where they are not there. */
  own: readonly string[];
  /** Folders of Maitre's own that it may read: its program. */
  readable?: readonly string[] | undefined;
  /** For `strict`: patterns of hosts. */
  network: readonly string[];
}

interface Program {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** The walls around local servers. */
export interface Sandbox {
  obstacles(): SandboxObstacles;
  /** Variables that lead what a server keeps between starts into a folder of its own: what others run from a cache is not its to change. */
  variables(id: ServerId): Record<string, string>;
  /**
   * Gets everything ready for the start of this program and returns what starts it, once or again after its end. Never starts it
   * without the walls: rejects with a Refusal (`unsupported`, `invalidInput`) where they cannot be built.
   */
  confine(id: ServerId, program: Program, confinement: Confinement): Promise<() => ChildProgram>;
  /** Removes everything that was kept for a server. It must have ended. */
  forget(id: ServerId): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxDeps {
  dataDir: string;
  home: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
}

/** What stands in the way, in a sentence, and what to do. */
const obstacleWords: Record<SandboxObstacle, string> = {
  system: 'This system has no way to protect the computer from a server.',
  bubblewrap:
    'Bubblewrap is not installed or too old. Install it (Debian, Ubuntu, Fedora: the package "bubblewrap") and start Maitre again.',
  socat: 'Strict needs socat. Install it (the package "socat") and start Maitre again, or choose Protected.',
  refused:
    'The system does not let programs be confined: name spaces for users are forbidden. On Ubuntu an AppArmor profile for bwrap allows them; containers need the right when they are started.',
  inside: 'Servers that come with Maitre run inside of the desktop application and cannot be confined there.',
  node: 'Without Node.js on this computer it runs inside of the desktop application and cannot be confined there. Install Node.js and start Maitre again.',
};

/** One sentence for a start that cannot be made as it is configured. */
export const obstacleSentence = (obstacle: SandboxObstacle): string => obstacleWords[obstacle];

/** For where nothing is to be confined, and for systems that cannot. */
export const noSandbox: Sandbox = {
  obstacles: () => ({ protected: 'system', strict: 'system' }),
  variables: () => ({}),
  confine: async () => refuse('unsupported', obstacleWords.system),
  forget: async () => undefined,
  close: async () => undefined,
};

/**
 * Finds out what this system can do and makes the sandbox of it. Linux: bubblewrap, driven by ourselves, with the filter and the proxy
 * of `@anthropic-ai/sandbox-runtime`; macOS: seatbelt through that library. Why not its manager: ARCHITECTURE.md.
 */
export async function createSandbox(deps: SandboxDeps): Promise<Sandbox> {
  const walls = await findWalls(deps);
  if (typeof walls === 'string') {
    const refused = async (): Promise<never> => refuse('unsupported', obstacleWords[walls]);
    return { ...noSandbox, obstacles: () => ({ protected: walls, strict: walls }), confine: refused };
  }
  return sandboxOf(walls, deps);
}

function sandboxOf(found: Walls, deps: SandboxDeps): Sandbox {
  const { dataDir, platform } = deps;

  const places = sandboxPlaces(deps);
  const ownFolder = (id: ServerId): string => join(dataDir, 'sandbox', id);
  const cacheOf = (id: ServerId): string => join(ownFolder(id), 'cache');
  const proxies = new Map<ServerId, { hosts: string; proxy: Promise<SandboxProxy> }>();
  const removals = new Set<Promise<void>>();

  const remove = (folder: string): Promise<void> => {
    const done = rm(folder, { recursive: true, force: true })
      .catch((error: unknown) => deps.log.warn('A folder of a confined server could not be removed.', { folder, reason: messageOf(error) }))
      .finally(() => removals.delete(done));
    removals.add(done);
    return done;
  };

  const closeProxy = async (id: ServerId): Promise<void> => {
    const open = proxies.get(id);
    proxies.delete(id);
    const proxy = await open?.proxy;
    await proxy?.close();
  };

  const proxyOf = async (id: ServerId, network: readonly string[]): Promise<SandboxProxy> => {
    const { isHostPattern, noHost } = await import('./sandboxHosts.ts');
    const { openSandboxProxy } = await import('./sandboxProxy.ts');
    const wrong = network.find((host) => !isHostPattern(host));
    if (wrong !== undefined) refuse('invalidInput', noHost(wrong));
    const hosts = JSON.stringify(network);
    if (proxies.get(id)?.hosts !== hosts) {
      await closeProxy(id);
      const proxy = openSandboxProxy(network, found.kind === 'bubblewrap' ? { folder: tmpdir() } : 'loopback');
      proxies.set(id, { hosts, proxy });
      proxy.catch(() => proxies.delete(id));
    }
    const open = proxies.get(id);
    if (!open) throw new Error('The proxy of a server was closed while it was opened.');
    return open.proxy;
  };

  removeLeftovers(join(dataDir, 'sandbox'), remove);
  return {
    obstacles: () => (found.kind === 'bubblewrap' && found.programs.socat === undefined ? { strict: 'socat' } : {}),

    variables(id) {
      const cache = cacheOf(id);
      const inside = (name: string): string => join(cache, name);
      return {
        XDG_CACHE_HOME: cache,
        npm_config_cache: inside('npm'),
        UV_CACHE_DIR: inside('uv'),
        PIP_CACHE_DIR: inside('pip'),
        DENO_DIR: inside('deno'),
        BUN_INSTALL_CACHE_DIR: inside('bun'),
      };
    },

    async confine(id, program, { word, folders, own, readable = [], network }) {
      if (word === 'strict' && found.kind === 'bubblewrap' && found.programs.socat === undefined)
        refuse('unsupported', obstacleWords.socat);
      const proxy = word === 'strict' ? await proxyOf(id, network) : undefined;
      const path = program.env['PATH'] ?? '';
      const command = findProgram(program.command, { path, cwd: program.cwd, platform });
      for (const folder of [cacheOf(id), ...own]) mkdirSync(folder, { recursive: true, mode: 0o700 });
      const privateTemp = found.kind === 'bubblewrap' ? '/tmp' : undefined;
      const ruled = sandboxRules(
        { command: command ?? program.command, args: program.args, cwd: program.cwd, path },
        { folders, own: [...own, cacheOf(id)], readable },
        places,
        privateTemp,
      );
      if (ruled.refused !== undefined) refuse('invalidInput', ruled.refused);
      const { rules } = ruled;
      const proxyEnv = proxy && (await import('./sandboxProxy.ts')).proxyEnvironment(proxy.port ?? proxyPort, proxy.token, network);
      const { XDG_RUNTIME_DIR: _sockets, ...env } = { ...program.env, ...proxyEnv };

      return () => {
        if (command === undefined) {
          const missing: NodeJS.ErrnoException = new Error(`spawn ${program.command} ENOENT`);
          missing.code = 'ENOENT';
          return neverRan(new SpawnFailure(program.command, missing, program.cwd));
        }
        const temp = mkdtempSync(join(ownFolder(id), 'tmp-'));
        const child = startOf(temp, command);
        void child.exited.then(
          () => remove(temp),
          () => remove(temp),
        );
        return child;
      };

      function startOf(temp: string, command: string): ChildProgram {
        const start = { ...program, command, rules, temp };
        if (found.kind === 'seatbelt') {
          const seatbelt = found.start({
            ...start,
            proxy: proxy?.port === undefined ? undefined : { port: proxy.port, token: proxy.token },
          });
          return spawnProgram(seatbelt.command, seatbelt.args, { env: { ...env, TMPDIR: temp }, cwd: program.cwd });
        }
        const bubblewrap = bubblewrapStart(
          { ...start, env: { ...env, TMPDIR: '/tmp' }, proxySocket: proxy?.socket, isRoot: isRoot() },
          found.programs,
        );
        // Its own environment is bare: what the settings of a server say must not reach what builds the walls.
        const child = spawnProgram(bubblewrap.command, bubblewrap.args, {
          env: { PATH: '/usr/bin:/bin' },
          cwd: '/',
          feeds: bubblewrap.feeds,
        });
        return endedFromInside(child, deps.clock);
      }
    },

    async forget(id) {
      await closeProxy(id);
      await remove(ownFolder(id));
    },

    async close() {
      await Promise.all([...proxies.keys()].map(closeProxy));
      await Promise.all(removals);
    },
  };
}

/** How long bubblewrap may take to end after everything inside was ended, in milliseconds. */
const collectMs = 1000;

/**
 * Ends the first process inside, with which the system ends all others there; bubblewrap collects what is left of them and ends too.
 * Were bubblewrap ended beside it, nobody would, and in a container without an init process dead ones would stay for ever.
 */
function endedFromInside(child: ChildProgram, clock: Clock): ChildProgram {
  let killed: Promise<void> | undefined;
  const kill = async (): Promise<void> => {
    const inside = child.pid === undefined ? [] : childrenOf(child.pid);
    for (const pid of inside) process.kill(pid, 'SIGKILL');
    if (inside.length > 0) {
      const ended = child.exited.then(
        () => undefined,
        () => undefined,
      );
      await Promise.race([ended, new Promise<void>((resolve) => void clock.after(collectMs, resolve))]);
    }
    await child.kill();
  };
  return { ...child, kill: () => (killed ??= kill()) };
}

/** Linux only. Empty for a process that has ended. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter((child) => child > 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/** Temporary folders that a crash left behind. */
function removeLeftovers(folder: string, remove: (folder: string) => Promise<void>): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const server of readdirSync(folder, { withFileTypes: true })) {
    if (!server.isDirectory()) continue;
    for (const name of readdirSync(join(folder, server.name))) if (name.startsWith('tmp-')) void remove(join(folder, server.name, name));
  }
}
