import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lookAtPath } from '../../../main/host/policy/pathLook.ts';
import { tempFolder } from '../../doubles/hostParts.ts';

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const heart = key.split('\n')[1]?.slice(4, 40) ?? '';
const system = { platform: process.platform, home: '/nowhere' };

/** A folder that the user picked, beside one that he did not. */
function world() {
  const root = realpathSync(tempFolder());
  const picked = path.join(root, 'picked');
  const outside = path.join(root, 'outside');
  for (const folder of [picked, outside]) mkdirSync(folder);
  const put = (folder: string, name: string, content: string | Buffer): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const look = (file: string, guessed = false) => lookAtPath({ at: '/path', path: file, guessed }, [picked], system, 0);
  return { root, picked, outside, put, look };
}

test('a key in a file is told with its lines, and neither it nor the head of the file shows it', async () => {
  const { picked, put, look } = world();
  const file = put(picked, 'deploy.txt', `The key:\n${key}Keep it.`);
  const seen = await look(file);
  expect(seen?.findings).toMatchObject([{ at: '/path', where: 'file', path: file, kind: 'private key', lines: 3 }]);
  expect(seen?.look).toMatchObject({ state: 'file', inside: true, bytes: `The key:\n${key}Keep it.`.length });
  expect(seen?.look.preview).toMatch(/^The key:\n-----BEGIN PRIVATE KEY-----••••\nKeep it\.$/);
  expect(JSON.stringify(seen)).not.toContain(heart);
});

test('a file outside of the picked folders is looked at as well, and is said to lie outside', async () => {
  const { outside, put, look } = world();
  expect(await look(put(outside, 'id_ed25519', key))).toMatchObject({
    look: { state: 'file', inside: false },
    findings: [{ kind: 'private key' }],
  });
});

test('of a large file only the head is read, and of bytes nothing is shown', async () => {
  const { picked, put, look } = world();
  const large = await look(put(picked, 'large.txt', `${'é'.repeat(200_000)}${key}`));
  expect(large).toMatchObject({ look: { state: 'file', bytes: 400_000 + key.length }, findings: [] });
  expect(large?.look.preview).toBe('é'.repeat(2000));
  const bytes = await look(put(picked, 'image.bin', Buffer.from([1, 2, 0, 3])));
  expect(bytes).toEqual({
    look: { at: '/path', path: path.join(picked, 'image.bin'), state: 'file', inside: true, bytes: 4 },
    findings: [],
  });
  expect((await look(put(picked, 'keys.p12', Buffer.from([0]))))?.findings).toMatchObject([{ kind: 'key store' }]);
});

test('a key in a file that is no text is told too: its bytes, and its text behind an odd byte or in letters of two bytes', async () => {
  const { picked, put, look } = world();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const told = async (name: string, content: Buffer) => (await look(put(picked, name, content)))?.findings.map(({ kind }) => kind);
  expect(await told('key.der', privateKey.export({ type: 'pkcs8', format: 'der' }))).toEqual(['private key']);
  expect(await told('public.der', publicKey.export({ type: 'spki', format: 'der' }))).toEqual([]);
  expect(await told('odd.txt', Buffer.from(`caf\u00e9\n${key}`, 'latin1'))).toEqual(['private key']);
  expect(await told('wide.txt', Buffer.from(`\ufeff${key}`, 'utf16le'))).toEqual(['private key']);
  expect(await told('picture.bin', Buffer.concat([Buffer.from([0, 255]), Buffer.alloc(100_000, 7)]))).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a link that leads out of the folder is said to, and is not followed', async () => {
  const { picked, outside, put, look } = world();
  const secret = put(outside, 'id_ed25519', key);
  symlinkSync(secret, path.join(picked, 'notes.txt'));
  symlinkSync('../outside', path.join(picked, 'sub'));
  symlinkSync('/dev/zero', path.join(picked, 'zero'));
  for (const name of ['notes.txt', 'sub/id_ed25519', 'zero'])
    expect(await look(path.join(picked, name))).toEqual({
      look: { at: '/path', path: path.join(picked, name), state: 'linkOut', inside: false },
      findings: [],
    });
  // Out of the folder that the path itself names, where none was picked.
  symlinkSync(path.join(picked, 'notes.txt'), path.join(outside, 'link'));
  symlinkSync('id_ed25519', path.join(outside, 'near'));
  expect(await look(path.join(outside, 'near'))).toMatchObject({ look: { state: 'file' }, findings: [{ kind: 'private key' }] });
  const other = path.join(path.dirname(outside), 'other');
  mkdirSync(other);
  symlinkSync(secret, path.join(other, 'far'));
  expect(await look(path.join(other, 'far'))).toMatchObject({ look: { state: 'linkOut' }, findings: [] });
});

test.skipIf(process.platform === 'win32')('pipes, sockets, devices and circles of links end the look at once', async () => {
  const { picked, look } = world();
  const pipe = path.join(picked, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const server = createServer();
  const socket = path.join(picked, 's');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  symlinkSync('circle', path.join(picked, 'circle'));
  for (const file of [pipe, socket, path.join(picked, 'circle'), '/dev/zero', '/dev/tty'])
    expect(await look(file)).toMatchObject({ look: { state: 'unreadable' }, findings: [] });
});

test('folders and what is missing are told, but not of what only looks like a path', async () => {
  const { picked, look } = world();
  expect(await look(picked)).toMatchObject({ look: { state: 'folder', inside: true } });
  expect(await look(path.join(picked, 'none'))).toMatchObject({ look: { state: 'missing', inside: true } });
  expect(await look(path.join(picked, 'none'), true)).toBeUndefined();
  expect(await look(picked, true)).toBeUndefined();
});
