import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../doubles/hostParts.ts';
import { confined, whyNoSandbox } from './confined.ts';

beforeEach(async ({ skip }) => {
  const reason = await whyNoSandbox('protected');
  if (reason !== undefined) skip(reason);
});

/** What the system says of a process; empty for one that has ended. */
function said(pid: string, what: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

describe('a protected server', () => {
  test('writes to its folders, its cache and temporary files of its own, and nowhere else', async () => {
    const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { work, outside, home } = places;
    expect(await run(`echo hi > '${work}/new.txt' && mkdir '${work}/sub' && cat '${work}/new.txt'`)).toMatchObject({
      code: 0,
      out: 'hi\n',
    });
    expect(readFileSync(join(work, 'new.txt'), 'utf8')).toBe('hi\n');
    expect(await run('echo x > "$XDG_CACHE_HOME/kept" && echo y > "$TMPDIR/t" && cat /tmp/t')).toMatchObject({ out: 'y\n' });
    const foreign = tempFolder();
    expect((await run(`ls -A /tmp '${foreign}'; echo evil > '${foreign}/x'`)).out).not.toContain(basename(foreign));
    expect(readdirSync(foreign)).toEqual([]);

    for (const target of [
      `${outside}/new.txt`,
      `${outside}/file.txt`,
      `${home}/.bashrc`,
      `${home}/.ssh/authorized_keys`,
      '/var/tmp/x',
      '/usr/x',
    ]) {
      const { code, errors } = await run(`echo evil > '${target}'`);
      expect({ target, wrote: code === 0 }).toEqual({ target, wrote: false });
      expect(errors).toMatch(/Read-only|Permission|nonexistent|No such/);
    }
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('outside');
    expect(existsSync(join(home, '.bashrc'))).toBe(false);
  });

  test('puts nothing in the place of a repository’s settings, which others obey outside', async () => {
    const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { work } = places;
    const hook = `mkdir -p '${work}/.git/hooks' && echo evil > '${work}/.git/hooks/pre-commit'`;
    for (const line of [hook, `mv '${work}/.git' '${work}/old' && ${hook}`, `mv '${work}/.git/hooks' '${work}/.git/x' && ${hook}`])
      expect({ line, code: (await run(line)).code }).not.toEqual({ line, code: 0 });
    expect(existsSync(join(work, '.git/hooks/pre-commit'))).toBe(false);
    expect(readdirSync(work)).toEqual(['.git']);
    // An entry in `index`, or a `commondir`, has `git status` of anybody run what stands in other files.
    for (const file of ['index', 'commondir', 'config.worktree'])
      expect({ file, code: (await run(`echo x > '${work}/.git/${file}'`)).code }).not.toEqual({ file, code: 0 });
    expect(readdirSync(join(work, '.git'))).toEqual(['hooks']);
    expect(await run(`echo x > '${work}/file.txt' && mkdir '${work}/folder'`)).toMatchObject({ code: 0 });
  });

  test.each<[string, (work: string) => string[]]>([
    ['beside the folder around it', (work) => [work, join(work, '.git')]],
    ['alone', (work) => [join(work, '.git')]],
  ])('that was given .git itself, %s, commits, and changes neither hooks nor settings', async (_how, writable) => {
    const { run, places } = await confined(({ work }) => {
      writeFileSync(join(work, '.git/config'), '[core]\n');
      return { sandbox: 'protected', writable: writable(work) };
    });
    const { work } = places;
    expect(await run(`echo x > '${work}/.git/index' && mv '${work}/.git/index' '${work}/.git/index2'`)).toMatchObject({ code: 0 });
    for (const file of ['config', 'hooks/pre-commit'])
      expect({ file, code: (await run(`echo evil > '${work}/.git/${file}'`)).code }).not.toEqual({ file, code: 0 });
    expect(readFileSync(join(work, '.git/config'), 'utf8')).toBe('[core]\n');
  });

  test('opens nothing by a repository whose settings are links', async () => {
    const { run, places } = await confined(({ work, home, outside }) => {
      rmSync(join(work, '.git'), { recursive: true });
      mkdirSync(join(work, '.git'));
      symlinkSync(join(home, '.ssh'), join(work, '.git/hooks'));
      symlinkSync(join(outside, 'file.txt'), join(work, '.git/config'));
      return { sandbox: 'protected', writable: [work] };
    });
    const { work, home, outside } = places;
    expect((await run(`cat '${home}/.ssh/id_ed25519' '${work}/.git/hooks/id_ed25519'`)).out).not.toContain('canary');
    expect((await run(`echo evil > '${outside}/new.txt'`)).code).not.toBe(0);
    expect((await run(`echo evil > '${outside}/file.txt'`)).code).not.toBe(0);
    expect((await run(`rm '${work}/.git/hooks' && mkdir '${work}/.git/hooks'`)).code).not.toBe(0);
  });

  test('reads ordinary files, but no keys, browser profiles, data of other applications or of Maitre', async () => {
    const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { home, dataDir } = places;
    expect(await run(`cat '${home}/notes.txt'`)).toMatchObject({ code: 0, out: 'plain notes' });
    expect(await run(`cat '${home}/.config/nvm/tool'`)).toMatchObject({ code: 0, out: 'a tool' });
    for (const secret of ['.ssh/id_ed25519', '.npmrc', '.config/other-app/state.json', '.mozilla/cookies.sqlite']) {
      const { out } = await run(`cat '${home}/${secret}'; ls -A '${home}/.ssh' '${home}/.config'`);
      expect({ secret, seen: /canary|id_ed25519|other-app/.test(out) }).toEqual({ secret, seen: false });
    }
    expect(readFileSync(join(dataDir, 'marker.txt'), 'utf8')).toBe('canary-data');
    const { out } = await run(`cat '${dataDir}/marker.txt' '${dataDir}/servers.json' '${dataDir}/maitre.db'; ls -A '${dataDir}'`);
    expect(out).not.toMatch(/canary|mcpServers|SQLite|marker/);
    expect((await run(`grep -rs canary '${places.base}' /proc/*/environ /proc/*/cmdline /dev/shm`)).out).toBe('');
  });

  test('gets nowhere by links, by mounts, by moving what hides a folder or by name spaces of its own', async () => {
    const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    const { work, outside, home, dataDir } = places;
    const tricks = [
      `ln -s '${outside}' '${work}/link' && echo evil > '${work}/link/file.txt'`,
      `ln -s '${home}/.ssh' '${work}/keys' && cat '${work}/keys/id_ed25519'`,
      `ln '${outside}/file.txt' '${work}/hard' && echo evil > '${work}/hard'`,
      `echo evil > '${work}/../outside/file.txt'`,
      `umount '${home}/.ssh' && cat '${home}/.ssh/id_ed25519'`,
      `mount -o remount,rw,bind / && echo evil > '${outside}/file.txt'`,
      `mount --bind '${work}' '${home}/.ssh'`,
      `mv '${home}/.ssh' '${work}/taken'`,
      `unshare -rm sh -c "umount '${home}/.ssh' && cat '${home}/.ssh/id_ed25519'"`,
      `chmod 777 '${dataDir}' && ls '${dataDir}/marker.txt'`,
      `mknod '${work}/disk' b 8 0`,
      `echo '#!/bin/sh' > '${work}/.git/hooks/pre-commit'`,
      `cat /proc/1/root/${home}/.ssh/id_ed25519`,
      `nsenter -t 1 -m cat '${home}/.ssh/id_ed25519'`,
    ];
    for (const trick of tricks) {
      const { code, out } = await run(trick);
      expect({ trick, went: code === 0 || out.includes('canary') }).toEqual({ trick, went: false });
    }
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('outside');
    expect(readdirSync(join(work, '.git', 'hooks'))).toEqual(['keep']);
  });

  test('a folder that is a link into hidden ones is not given to it: the server does not start, and says why', async () => {
    const failed = confined(({ work, home }) => {
      symlinkSync(join(home, '.ssh'), join(work, 'docs'));
      return { sandbox: 'protected', writable: [join(work, 'docs')] };
    });
    await expect(failed).rejects.toThrow(/docs \(which leads to .*\.ssh\) holds keys/);
  });

  test('a link in the place of a folder inside another one opens nothing', async () => {
    const { run, places, world } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work, join(work, 'sub')] }));
    const { work, outside } = places;
    await run(`ln -s '${outside}' '${work}/sub'`);
    await world.servers.restart(world.named('shell').id);
    await world.when(() => world.named('shell').status.state === 'ready');
    expect((await run(`echo evil > '${work}/sub/file.txt'`)).code).not.toBe(0);
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('outside');
  });

  test('sees and signals no process outside, and reaches no socket of the session', async () => {
    const { run, places } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    // Its own numbers begin at 1, so that of this process is none or another one inside.
    const { out } = await run(`cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /proc | grep -c '^[0-9]'`);
    expect(out).not.toContain('vitest');
    expect((await run(`cat /proc/${process.pid}/environ`)).code).not.toBe(0);
    expect((await run(`kill -0 ${process.pid}`)).code).not.toBe(0);
    expect((await run(`kill -0 ${process.ppid}`)).code).not.toBe(0);
    writeFileSync(
      join(places.work, 'socket.mjs'),
      `import net from 'node:net'; net.connect('/run/dbus/system_bus_socket').on('error', (e) => { console.log(e.code); process.exit(1); });`,
    );
    expect((await run(`'${process.execPath}' '${places.work}/socket.mjs'`)).out.trim()).toBe('EPERM');
  });

  test('gets at no keyring of the kernel, which it would have from who started it', async ({ skip }) => {
    const { run } = await confined(({ work }) => ({ sandbox: 'protected', writable: [work] }));
    // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0)
    const python = `python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(${process.arch === 'arm64' ? 219 : 250}, 0, -3, 0))'`;
    if (spawnSync('sh', ['-c', 'python3 --version']).status !== 0) skip('There is no python3 to make the system call with.');
    expect((await run(python)).out.trim()).toBe('-1');
  });

  test('gets nothing of Maitre in its environment and none of its settings reach what builds the walls', async () => {
    const { run } = await confined(({ work }) => ({
      sandbox: 'protected',
      writable: [work],
      env: { LD_PRELOAD: join(work, 'evil.so'), SRT_ALLOW_NESTED_USERNS: '1', SECRET: 'for-the-server' },
    }));
    expect((await run('printenv SECRET')).out).toBe('for-the-server\n');
    expect((await run(`unshare -r true`)).code).not.toBe(0);
    // What is said of a program can be read by every user of the computer, and obeys its own environment before any wall stands.
    const builders = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && said(pid, 'cmdline').includes('apply-seccomp'));
    expect(builders.length).toBeGreaterThan(0);
    expect(builders.filter((pid) => said(pid, 'cmdline').includes('for-the-server'))).toEqual([]);
    const walls = builders.filter((pid) => said(pid, 'cmdline').includes('bwrap'));
    expect(walls.length).toBeGreaterThan(0);
    expect(walls.filter((pid) => /for-the-server|LD_PRELOAD/.test(said(pid, 'environ')))).toEqual([]);
  });
});
