import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { Keychain } from '../../../main/host/ports.ts';
import type { Db } from '../../../main/host/store/database.ts';
import { createSecrets } from '../../../main/host/store/secrets.ts';
import { handClock, memoryKeychain, rememberingLog, tempDatabase, tempFolder } from '../../doubles/hostParts.ts';

const parts = (log = rememberingLog()) => ({ ids: uuid, clock: handClock(), log });
const start = (db: Db, keychain: Keychain) => createSecrets(db, keychain, parts());
const owner = 'provider:anthropic';
const secret = 'sk-ant-a-key-that-must-never-be-found-0123456789';

function expectNowhere(dataDir: string, text: string): void {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const bytes of [Buffer.from(text, 'utf8'), Buffer.from(text, 'utf16le'), Buffer.from(Buffer.from(text).toString('base64'))]) {
    for (const file of files) {
      const content = readFileSync(path.join(file.parentPath, file.name));
      if (content.includes(bytes)) throw new Error(`${file.name} holds the secret.`);
    }
  }
}

describe('secrets under a keychain', () => {
  test('are there after the next start, and no file of the data folder holds their bytes', async () => {
    const { db, dataDir } = tempDatabase();
    const keychain = memoryKeychain();
    expect(await start(db, keychain).set(owner, 'key', secret)).toBe('stored');
    const next = start(db, keychain);
    expect(next.has(owner, 'key')).toBe('stored');
    expect(await next.get(owner, 'key')).toBe(secret);
    expect(next.available()).toEqual({ available: true });
    expectNowhere(dataDir, secret);
    for (const key of keychain.entries.values()) expectNowhere(dataDir, key);
  });

  test('are set, replaced and removed one by one or with their owner', async () => {
    const { db } = tempDatabase();
    const secrets = start(db, memoryKeychain());
    await Promise.all([
      secrets.set('server:1', 'A', 'first'),
      secrets.set('server:1', 'B', 'second'),
      secrets.set('server:2', 'A', 'third'),
    ]);
    await secrets.set('server:1', 'A', 'replaced');
    expect(await secrets.get('server:1', 'A')).toBe('replaced');
    secrets.remove('server:1', 'A');
    expect(secrets.has('server:1', 'A')).toBe('missing');
    expect(await secrets.get('server:1', 'A')).toBeUndefined();
    secrets.removeAll('server:1');
    expect(await secrets.get('server:1', 'B')).toBeUndefined();
    expect(await secrets.get('server:2', 'A')).toBe('third');
  });

  test('set at the same time share one key', async () => {
    const { db } = tempDatabase();
    const keychain = memoryKeychain();
    const secrets = start(db, keychain);
    await Promise.all(Array.from({ length: 8 }, (_, index) => secrets.set(owner, `key${index}`, `value ${index}`)));
    expect(keychain.entries.size).toBe(1);
    const [key] = keychain.entries.values();
    expect(Buffer.from(key ?? '', 'base64')).toHaveLength(32);
  });

  test('cannot be moved to another owner or name, nor changed, in the database', async () => {
    const { db } = tempDatabase();
    const keychain = memoryKeychain();
    await start(db, keychain).set('server:1', 'TOKEN', secret);
    const sealed = db.prepare('SELECT sealed FROM secrets').pluck().get();
    for (const change of ["owner = 'server:2'", "name = 'OTHER'", 'sealed = zeroblob(40)', "owner = 'server:1TOKEN', name = ''"]) {
      db.transaction(() => {
        db.prepare(`UPDATE secrets SET ${change}`).run();
      })();
      const next = start(db, keychain);
      const { owner: movedTo, name } = db.prepare<[], { owner: string; name: string }>('SELECT owner, name FROM secrets').get() ?? {
        owner: '',
        name: '',
      };
      expect(await next.get(movedTo, name)).toBeUndefined();
      expect(next.has(movedTo, name)).toBe('missing');
      db.prepare("UPDATE secrets SET owner = 'server:1', name = 'TOKEN', sealed = ?").run(sealed);
    }
    expect(await start(db, keychain).get('server:1', 'TOKEN')).toBe(secret);
  });

  test('whose key the keychain lost count as missing and say so, and open again when it comes back', async () => {
    const { db } = tempDatabase();
    const keychain = memoryKeychain();
    await start(db, keychain).set(owner, 'key', secret);
    await start(db, keychain).set('server:1', 'TOKEN', 'token of a server');
    const saved = new Map(keychain.entries);
    keychain.entries.clear();

    const later = start(db, keychain);
    expect(await later.get(owner, 'key')).toBeUndefined();
    expect(later.has(owner, 'key')).toBe('missing');
    expect(later.available()).toMatchObject({ available: true, reason: expect.stringContaining('2 saved secrets') });
    expect(later.locked()).toHaveLength(2);
    expect(await later.set(owner, 'key', 'a new key')).toBe('stored');

    for (const [account, key] of saved) keychain.entries.set(account, key);
    const restored = start(db, keychain);
    expect(await restored.get(owner, 'key')).toBe('a new key');
    expect(await restored.get('server:1', 'TOKEN')).toBe('token of a server');
    expect(restored.available()).toEqual({ available: true });
  });
});

describe('secrets without a keychain', () => {
  const none: Keychain = {
    get: () => Promise.reject(new Error('no such service')),
    set: () => Promise.reject(new Error('no such service')),
    remove: () => Promise.reject(new Error('no such service')),
  };

  test('stay in memory, are written nowhere, and the reason is a sentence', async () => {
    const { db, dataDir } = tempDatabase();
    const secrets = start(db, none);
    expect(await secrets.set(owner, 'key', secret)).toBe('memoryOnly');
    expect(secrets.has(owner, 'key')).toBe('memoryOnly');
    expect(await secrets.get(owner, 'key')).toBe(secret);
    expect(secrets.available()).toMatchObject({
      available: false,
      reason: expect.stringMatching(/kept in memory until you quit.*no such service/),
    });
    expect(db.prepare('SELECT count(*) FROM secrets').pluck().get()).toBe(0);
    expectNowhere(dataDir, secret);
    expect(await start(db, none).get(owner, 'key')).toBeUndefined();
  });

  test('a keychain that reads but stores nothing is found out when the first secret is set', async () => {
    const { db } = tempDatabase();
    for (const forgetful of [
      { ...memoryKeychain(), set: async () => {} },
      { ...memoryKeychain(), set: none.set },
    ]) {
      const secrets = start(db, forgetful);
      expect(await secrets.set(owner, 'key', secret)).toBe('memoryOnly');
      expect(secrets.available().available).toBe(false);
      expect(db.prepare('SELECT count(*) FROM secrets').pluck().get()).toBe(0);
    }
  });

  test('until the keychain has answered, saved secrets count as stored and nothing is claimed', async () => {
    const { db } = tempDatabase();
    const keychain = memoryKeychain();
    await start(db, keychain).set(owner, 'key', secret);
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = start(db, { ...keychain, get: (account) => promise.then(() => keychain.get(account)) });
    expect(slow.has(owner, 'key')).toBe('stored');
    expect(slow.available()).toMatchObject({ available: false, reason: expect.stringContaining('not answered yet') });
    resolve();
    expect(await slow.get(owner, 'key')).toBe(secret);
    expect(slow.available()).toEqual({ available: true });
  });
});

describe.runIf(process.platform === 'linux')('the real keychain of Linux', () => {
  const program = fileURLToPath(new URL('./programs/keepSecret.ts', import.meta.url));
  const hasKeyring = spawnSync('sh', ['-c', 'command -v dbus-run-session && command -v gnome-keyring-daemon']).status === 0;

  test.runIf(hasKeyring)('keeps the key between two starts, and says so when it is lost', () => {
    const home = tempFolder();
    const dataDir = path.join(home, 'data');
    // The unlocking password comes on stdin; the keyring lives in a home of its own.
    const script = `echo pass | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      "$1" "$2" "$3" set "$4" && "$1" "$2" "$3" get && "$1" "$2" "$3" loseKey && "$1" "$2" "$3" get`;
    const run = spawnSync('dbus-run-session', ['--', 'sh', '-c', script, 'sh', process.execPath, program, dataDir, secret], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home, XDG_DATA_HOME: path.join(home, 'share') },
    });
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual([
      { available: { available: true }, set: 'stored', get: secret, has: 'stored' },
      { available: { available: true }, get: secret, has: 'stored' },
      { available: { available: true } },
      { available: { available: true, reason: expect.stringContaining('does not hold the key') }, has: 'missing' },
    ]);
    expectNowhere(dataDir, secret);
  });

  test('where no bus answers, the secret stays in memory and no file holds it', () => {
    const home = tempFolder();
    const dataDir = path.join(home, 'data');
    const run = spawnSync(process.execPath, [program, dataDir, 'set', secret], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' },
    });
    expect(JSON.parse(run.stdout)).toEqual({
      available: { available: false, reason: expect.stringContaining('kept in memory until you quit') },
      set: 'memoryOnly',
      get: secret,
      has: 'memoryOnly',
    });
    expectNowhere(dataDir, secret);
  });
});
