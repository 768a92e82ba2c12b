import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LocalServerConfig } from '../../../preload/contract/servers.ts';
import { createSandbox, noSandbox, type Sandbox } from '../../../main/host/servers/sandbox.ts';
import type { ServersDeps } from '../../../main/host/servers/servers.ts';
import { clock, openWorld, quietLog, type World } from '../servers/world.ts';

/** Why nothing can be confined on this computer, for a test to be skipped with; undefined where it can. */
export async function whyNoSandbox(word: 'protected' | 'strict'): Promise<string | undefined> {
  const { home } = people();
  const sandbox = await createSandbox({ dataDir: home, home, platform: process.platform, env: process.env, clock, log: quietLog });
  const obstacle = sandbox.obstacles()[word];
  await sandbox.close();
  return obstacle && `${word} cannot be had here: ${obstacle}`;
}

/** A home with what people have in it, a data folder, a folder to work in and one beside it. Not in /tmp, which is hidden anyway. */
export function people(): { base: string; home: string; dataDir: string; work: string; outside: string } {
  const base = realpathSync(mkdtempSync('/var/tmp/maitre 测试 '));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const at = (name: string): string => join(base, name);
  const files = {
    'home/.ssh/id_ed25519': 'canary-key',
    'home/.npmrc': 'canary-token',
    'home/.config/other-app/state.json': 'canary-state',
    'home/.config/nvm/tool': 'a tool',
    'home/.mozilla/cookies.sqlite': 'canary-cookies',
    'home/notes.txt': 'plain notes',
    'data/marker.txt': 'canary-data',
    'work/.git/hooks/keep': '',
    'outside/file.txt': 'outside',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  return { base, home: at('home'), dataDir: at('data'), work: at('work'), outside: at('outside') };
}

export interface Confined {
  world: World;
  places: ReturnType<typeof people>;
  sandbox: Sandbox;
  /** Gives a line to a shell in the server. */
  run(line: string): Promise<{ code: number | null; out: string; errors: string }>;
}

export const program = (name = 'runsCommands.ts'): Pick<LocalServerConfig, 'command' | 'args'> => ({
  command: process.execPath,
  args: [resolve('test/servers', name)],
});

/** A host's servers over such a home, with a real sandbox or with none. */
export async function openPlaces(options: { sandbox?: 'none'; deps?: Partial<ServersDeps> } = {}): Promise<Omit<Confined, 'run'>> {
  const places = people();
  const { home, dataDir } = places;
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: undefined, XDG_RUNTIME_DIR: undefined };
  const sandbox =
    options.sandbox === 'none' ? noSandbox : await createSandbox({ dataDir, home, platform: process.platform, env, clock, log: quietLog });
  const world = await openWorld({ dataDir, deps: { sandbox, home, env, ...options.deps } });
  onTestFinished(async () => {
    await world.servers.close();
    await sandbox.close();
  });
  world.servers.startAll();
  return { world, places, sandbox };
}

/** One server with a shell in it, agreed to and running. */
export async function confined(config: (places: Confined['places']) => Partial<LocalServerConfig>): Promise<Confined> {
  const opened = await openPlaces();
  const { world, places } = opened;
  const added = await world.servers.add('shell', { ...program(), ...config(places) });
  await agree(world, 'shell');
  await world.when(() => ['ready', 'failed'].includes(world.named('shell').status.state));
  const { status } = world.named('shell');
  if (status.state !== 'ready') throw new Error(JSON.stringify(status));
  return {
    ...opened,
    async run(line) {
      const outcome = await world.call(added, 'run', { line });
      if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome));
      const { type, text } = Object(outcome.content[0]);
      if (type !== 'text') throw new Error(JSON.stringify(outcome));
      return JSON.parse(String(text));
    },
  };
}

/** Agrees to what the server's page shows. */
export async function agree(world: World, name: string): Promise<void> {
  const { id, status } = world.named(name);
  if (status.state !== 'off' || !status.needsConsent) throw new Error(`${name} does not wait to be agreed to: ${JSON.stringify(status)}`);
  await world.servers.consent(id, status.needsConsent.configHash, true);
}
