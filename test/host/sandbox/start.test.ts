import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { setClientFeatures } from '../../../main/host/store/clientFeatures.ts';
import { agree, confined, openPlaces, people, program, whyNoSandbox } from './confined.ts';

beforeEach(async ({ skip }) => {
  const reason = await whyNoSandbox('protected');
  if (reason !== undefined) skip(reason);
});

/** Empty for a process that has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

/** Command lines of this computer in which the word stands; the dead have none. */
const running = (word: string): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(commandLine)
    .filter((line) => line.includes(word));

describe('a confined program is ended as a whole', () => {
  /** Grandchildren that leave their group, take a session of their own and refuse to be ended. */
  const stubborn = (word: string) =>
    `for i in 1 2 3; do setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 0.2; done; : ${word}' >/dev/null 2>&1 </dev/null & done; sleep 0.1; echo started`;

  test.for(['protected', 'strict'] as const)('%s: when it is switched off, nothing of it is left', async (word, { skip }) => {
    const reason = await whyNoSandbox(word);
    if (reason !== undefined) return skip(reason);
    const marker = `marker-${word}-${process.pid}`;
    const own = `own-${word}-${process.pid}`;
    const { run, world, places } = await confined(({ work }) => ({
      args: [...(program().args ?? []), own],
      sandbox: word,
      writable: [work],
      network: [],
    }));
    expect((await run(stubborn(marker))).out).toBe('started\n');
    expect(running(marker)).toHaveLength(3);
    const { id } = world.named('shell');
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(own));
    expect(pids.length).toBeGreaterThan(1);
    await world.servers.setEnabled(id, false);
    expect(running(marker)).toEqual([]);
    // Dead ones that wait to be collected count too: in a container nobody would ever do so.
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(running(places.base).filter((line) => line.includes('socat'))).toEqual([]);
    await expect.poll(() => readdirSync(join(places.dataDir, 'sandbox', id))).toEqual(['cache']);
  });

  test('its exit code and its last words are told, and it is started again', async () => {
    const { world, run } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    void run('echo the last words >/proc/$PPID/fd/2; kill -9 $PPID').catch(() => undefined);
    await world.when(() => world.named('shell').status.state === 'failed');
    const { status } = world.named('shell');
    expect(status).toMatchObject({ state: 'failed', failure: { code: 'exited', message: expect.stringContaining('137') } });
    await world.when(() => world.named('shell').status.state === 'ready');
  });

  test('when the host is killed, nothing of it lives on', async () => {
    const marker = `orphan-${process.pid}`;
    const { home, dataDir } = people();
    const host = spawn(process.execPath, [resolve('test/host/programs/confinedInAProcess.ts'), dataDir, home, marker], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    expect(running(marker).length).toBeGreaterThan(1);
    host.kill('SIGKILL');
    await expect.poll(() => running(marker)).toEqual([]);
  });

  test('removing a server removes what was kept for it', async () => {
    const { world, places, run } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { id } = world.named('shell');
    await run('echo kept > "$XDG_CACHE_HOME/kept"');
    expect(readFileSync(join(places.dataDir, 'sandbox', id, 'cache', 'kept'), 'utf8')).toBe('kept\n');
    await world.servers.remove(id);
    expect(existsSync(join(places.dataDir, 'sandbox', id))).toBe(false);
  });
});

describe('the word', () => {
  test('a new local server is protected, what stands in the file without a word runs as it did', async () => {
    const { world } = await openPlaces();
    await world.servers.add('new', program());
    expect(world.entry('new')['sandbox']).toBe('protected');
    expect(world.named('new')).toMatchObject({ sandbox: { word: 'protected' } });
    const file = JSON.parse(world.file());
    file.mcpServers.old = program();
    world.write(JSON.stringify(file));
    await world.servers.reload();
    expect(world.named('old').sandbox?.word).toBe('off');
    expect(world.named('old').status).toMatchObject({ needsConsent: { sandbox: { word: 'off', writable: [] } } });
  });

  test('where nothing can be confined a new server has no word, and one that must be confined is not started', async () => {
    const { world } = await openPlaces({ sandbox: 'none' });
    await world.servers.add('new', program());
    expect(world.entry('new')['sandbox']).toBeUndefined();
    // Other tests run the same program meanwhile.
    const word = randomUUID();
    await world.servers.add('must', { ...program(), args: [...(program().args ?? []), word], sandbox: 'protected' });
    await agree(world, 'must');
    await world.when(() => world.named('must').status.state === 'failed');
    expect(world.named('must').status).toMatchObject({
      failure: { code: 'configurationInvalid', sandbox: 'protected', message: expect.stringContaining('no way to protect') },
    });
    expect(running(word)).toEqual([]);
  });

  test('what narrows holds at once, what loosens waits until it is agreed to', async () => {
    const { world, places, run } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { id } = world.named('shell');
    await world.servers.setSandbox(id, { writable: [] });
    await world.when(() => world.named('shell').status.state === 'ready');
    expect((await run(`echo x > '${places.work}/x'`)).code).not.toBe(0);

    await world.servers.setSandbox(id, { writable: [places.outside] });
    expect(world.named('shell').status).toMatchObject({
      state: 'off',
      needsConsent: { sandbox: { word: 'protected', writable: [places.outside], network: [] } },
    });
    await agree(world, 'shell');
    await world.when(() => world.named('shell').status.state === 'ready');
    expect((await run(`echo x > '${places.outside}/x'`)).code).toBe(0);

    await world.servers.setSandbox(id, { word: 'off' });
    expect(world.named('shell').status).toMatchObject({ needsConsent: { sandbox: { word: 'off' } } });
    await world.servers.setSandbox(id, { word: 'strict', network: ['example.com'] });
    // Nobody had agreed to Off, so nothing is known that this would be narrower than.
    expect(world.named('shell').status).toMatchObject({ needsConsent: { sandbox: { word: 'strict', network: ['example.com'] } } });
  });

  test('what is no host, or too much of one, is refused with a sentence and changes nothing', async () => {
    const { world } = await openPlaces();
    const { id } = await world.servers.add('new', program());
    const before = world.file();
    for (const host of ['*', '*.com', 'https://example.com', 'a b', 'example.com:99999'])
      await expect(world.servers.setSandbox(id, { word: 'strict', network: [host] })).rejects.toThrow(`${JSON.stringify(host)} is no host`);
    expect(world.file()).toBe(before);
  });
});

describe('a start that fails under protection', () => {
  test('says so, and runs after another consent without it', async () => {
    const { world, places } = await openPlaces();
    const needs = join(places.home, '.config', 'other-app', 'state.json');
    const { id } = await world.servers.add('needy', { ...program(), env: { REQUIRES: needs } });
    await agree(world, 'needy');
    await world.when(() => world.named('needy').status.state === 'failed');
    expect(world.named('needy').status).toMatchObject({
      failure: {
        code: 'exitedAtStart',
        sandbox: 'protected',
        message: expect.stringMatching(/held to Protected.*try it without protection/),
        detail: expect.stringContaining(`cannot read ${needs}`),
      },
    });
    await world.servers.setSandbox(id, { word: 'off' });
    expect(world.named('needy').status).toMatchObject({ state: 'off', needsConsent: { sandbox: { word: 'off' } } });
    await agree(world, 'needy');
    await world.when(() => world.named('needy').status.state === 'ready');
    // The other way: the folder that it needs is given to it.
    await world.servers.setSandbox(id, { word: 'protected', writable: [join(places.home, '.config', 'other-app')] });
    await world.when(() => world.named('needy').status.state === 'ready');
    expect(world.named('needy').sandbox?.word).toBe('protected');
  });

  test('a program that is not there is told of as such, not as a matter of protection', async () => {
    const { world } = await openPlaces();
    await world.servers.add('gone', { command: 'no-such-program-anywhere', sandbox: 'protected' });
    await agree(world, 'gone');
    await world.when(() => world.named('gone').status.state === 'failed');
    const { status } = world.named('gone');
    if (status.state !== 'failed') throw new Error('not failed');
    expect(status.failure).toMatchObject({ code: 'commandNotFound' });
    expect(status.failure.sandbox).toBeUndefined();
  });
});

describe('servers that come with Maitre', () => {
  test('Files is held to its folders by the system too, Memory to its own', async () => {
    const { world, places } = await openPlaces();
    await world.servers.addBundled('files', [places.work]);
    await world.servers.addBundled('memory', []);
    await world.when(() => world.servers.list().every(({ status }) => status.state === 'ready'));
    expect(world.servers.list().map(({ sandbox }) => sandbox?.word)).toEqual(['protected', 'protected']);
    const written = await world.call(world.named('Files'), 'write_file', { path: join(places.work, 'a.txt'), content: 'text' });
    expect(written).toMatchObject({ kind: 'result', isError: false });
    expect(readFileSync(join(places.work, 'a.txt'), 'utf8')).toBe('text');
    const stored = await world.call(world.named('Memory'), 'create_entities', {
      entities: [{ name: 'Ann', entityType: 'person', observations: ['likes tea'] }],
    });
    expect(stored).toMatchObject({ kind: 'result', isError: false });
    expect(readFileSync(join(places.dataDir, 'memory', 'memory.jsonl'), 'utf8')).toContain('likes tea');
    expect(running('server-filesystem').some((line) => line.startsWith('/usr/bin/bwrap'))).toBe(true);
  });

  test('in the desktop application, where they run inside of it, they are shown as not held', async () => {
    const { world, places } = await openPlaces({ deps: { nodeProgram: undefined } });
    await world.servers.addBundled('files', [places.work]);
    expect(world.named('Files').sandbox).toEqual({ word: 'off', obstacles: { protected: 'inside', strict: 'inside' } });
    await world.when(() => world.named('Files').status.state === 'ready');
  });
});

test('a folder that a server is told of while it runs is writable after it was started again for that', async () => {
  const { world, places, run } = await confined(() => ({ sandbox: 'protected' }));
  expect((await run(`echo x > '${places.work}/x'`)).code).not.toBe(0);
  mkdirSync(join(places.work, 'deeper'));
  writeFileSync(join(places.work, 'deeper', 'f'), '');
  const { id } = world.named('shell');
  setClientFeatures(world.db, id, { folders: [places.work] });
  world.servers.rootsChanged(id);
  await world.when(() => world.named('shell').status.state !== 'ready');
  await world.when(() => world.named('shell').status.state === 'ready');
  expect((await run(`echo x > '${places.work}/deeper/f'`)).code).toBe(0);
});
