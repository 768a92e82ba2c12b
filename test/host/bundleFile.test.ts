import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { packExtension } from '@anthropic-ai/mcpb/cli';
import { describe, expect, test } from 'vitest';
import { digestFolder } from '../../main/host/servers/bundles/digestFolder.ts';
import { createNames, entrySteps } from '../../main/host/servers/bundles/entryNames.ts';
import { openBundle } from '../../main/host/servers/bundles/openBundle.ts';
import { UnpackProblem, unpackBundle, usualLimits } from '../../main/host/servers/bundles/unpackBundle.ts';
import { bundleOf, type Packed, renamed, signed, zipOf } from '../doubles/bundleFile.ts';
import { selfSigned } from '../doubles/certificates.ts';
import { tempFolder } from '../doubles/hostParts.ts';

/** Everything below a folder, by its path from there. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

/** Unpacks into a folder inside of one that is looked through afterwards, for what lies beside. */
async function unpack(zip: Buffer, limits = usualLimits, platform: NodeJS.Platform = 'linux') {
  const around = tempFolder();
  const folder = path.join(around, 'a/b/staged');
  mkdirSync(folder, { recursive: true });
  const problem = await unpackBundle(zip, folder, platform, limits).then(
    () => undefined,
    (error: unknown) => (error instanceof UnpackProblem ? error.message : Promise.reject(error as Error)),
  );
  return { problem, folder, around, beside: filesIn(around).filter((file) => !file.startsWith('a/b/staged/')) };
}

const link: Packed = { name: 'link', content: '../../../outside', mode: 0o120_777 };

describe('Unpacking a bundle', () => {
  test('keeps contents and the right to be run, and no other rights', async () => {
    const { problem, folder } = await unpack(
      await zipOf([
        { name: 'manifest.json', content: '{}' },
        { name: 'bin/run', content: '#!/bin/sh\n', mode: 0o104_755 },
        { name: 'übersicht/读我.txt', content: 'hello' },
        { name: 'open.txt', content: '', mode: 0o100_666 },
      ]),
    );
    expect(problem).toBeUndefined();
    expect(filesIn(folder)).toEqual(['bin/run', 'manifest.json', 'open.txt', 'übersicht/读我.txt']);
    expect(statSync(path.join(folder, 'bin/run')).mode & 0o7777).toBe(0o755);
    expect(statSync(path.join(folder, 'open.txt')).mode & 0o7133).toBe(0);
    expect(readFileSync(path.join(folder, 'übersicht/读我.txt'), 'utf8')).toBe('hello');
  });

  test.each([
    ['outside of its folder', 'xx/xx/evil.txt', '../../evil.txt'],
    ['outside of its folder', 'ok/xx/xx/xx/evil.txt', 'ok/../../../evil.txt'],
    ['outside of its folder', 'ok/xx', 'ok/..'],
    ['a place of its own', 'xtmp/evil.txt', '/tmp/evil.txt'],
    ['a place of its own', 'xxevil.txt', 'C:evil.txt'],
    ['a place of its own', 'xx/evil.txt', 'C:/evil.txt'],
    ['a place of its own', 'xxserver/share/evil', '//server/share/evil'],
    ['backslash', 'xx/evil.txt', '..\\evil.txt'],
    ['backslash', 'ok/xx/evil.txt', 'ok\\..\\evil.txt'],
    ['empty steps', 'ok/x/evil.txt', 'ok/./evil.txt'],
    ['empty steps', 'ok/xevil.txt', 'ok//evil.txt'],
    ['control character', 'okxevil.txt', 'ok\0evil.txt'],
    ['control character', 'okxevil.txt', 'ok\nevil.txt'],
  ])('refuses a name that says: %s (%s as %s)', async (words, from, to) => {
    const zip = renamed(
      await zipOf([
        { name: 'first.txt', content: 'x' },
        { name: from, content: 'evil' },
      ]),
      from,
      to,
    );
    const { problem, around } = await unpack(zip);
    expect(problem).toContain(words);
    // Not even what stands before it is written.
    expect(filesIn(around)).toEqual([]);
  });

  test.each([
    ['a link', [link]],
    ['a link in the place of a folder, and a file behind it', [link, { name: 'link/evil.txt', content: 'x' }]],
    ['a device', [{ name: 'tty', content: '', mode: 0o020_666 }]],
    ['a pipe', [{ name: 'pipe', content: '', mode: 0o010_666 }]],
  ] satisfies [string, Packed[]][])('refuses %s', async (_what, files) => {
    const { problem, around } = await unpack(await zipOf(files));
    expect(problem).toMatch(/a link or a device|one on some systems/);
    expect(filesIn(around)).toEqual([]);
  });

  test.each([
    ['the same name twice', ['server.js', 'xerver.js'], ['xerver.js', 'server.js']],
    ['names that differ in upper and lower case', ['Server.js', 'server.js'], undefined],
    ['folders that differ in upper and lower case', ['Lib/one.js', 'lib/two.js'], undefined],
    ['names that differ in how an accent is written', ['caf\u00e9.js', 'cafe\u0301.js'], undefined],
    ['a file and a folder of one name', ['server', 'server/index.js'], undefined],
    ['letters whose upper case is the same', ['stra\u00dfe.js', 'STRASSE.js'], undefined],
  ] as const)('refuses %s', async (_what, names, change) => {
    const zip = await zipOf(names.map((name) => ({ name, content: name })));
    const { problem, around } = await unpack(change ? renamed(zip, ...change) : zip);
    expect(problem).toContain('one on some systems');
    expect(filesIn(around)).toEqual([]);
  });

  test('refuses more files, larger ones, more in all, and ones that grow too much', async () => {
    const small = { entries: 3, entryBytes: 1000, totalBytes: 1500, ratio: 10, ratioFromBytes: 500 };
    const random = (bytes: number): Buffer => createHash('shake256', { outputLength: bytes }).update('x').digest();
    const many = await zipOf(['a', 'b', 'c', 'd'].map((name) => ({ name, content: name })));
    expect((await unpack(many, small)).problem).toContain('more than 3 files');
    expect((await unpack(await zipOf([{ name: 'a', content: random(1001) }]), small)).problem).toContain('larger than');
    const two = await zipOf(['a', 'b'].map((name) => ({ name, content: random(900) })));
    expect((await unpack(two, small)).problem).toContain('larger than');
    expect((await unpack(await zipOf([{ name: 'a', content: Buffer.alloc(900) }]), small)).problem).toContain('grows more than 10 times');
    expect((await unpack(await zipOf([{ name: 'a', content: Buffer.alloc(400) }]), small)).problem).toBeUndefined();
    expect((await unpack(await zipOf([{ name: 'bomb', content: Buffer.alloc(50_000_000) }]))).problem).toContain(
      'grows more than 100 times',
    );
  });

  test('refuses an entry that unpacks to more than it says, or to something else', async () => {
    const zip = await zipOf([{ name: 'a.txt', content: Buffer.from('a'.repeat(2000)) }]);
    const said = Buffer.alloc(4);
    said.writeUInt32LE(2000);
    const lied = Buffer.alloc(4);
    lied.writeUInt32LE(20);
    expect((await unpack(renamed(zip, said, lied))).problem).toContain('damaged');
    const stored = await zipOf([{ name: 'a.txt', content: 'unpacked' }]);
    const packed = deflateRawSync(Buffer.from('unpacked'));
    const at = stored.indexOf(packed);
    expect(at).toBeGreaterThan(0);
    const other = Buffer.from(stored);
    deflateRawSync(Buffer.from('unpecked')).copy(other, at);
    expect((await unpack(other)).problem).toContain('not those that were packed');
  });

  test('refuses what is no archive, is cut off, or has something behind its end', async () => {
    const zip = await zipOf([{ name: 'a.txt', content: 'a' }]);
    const none = 'It is no ZIP archive, as every bundle is. Get it again from where it comes from.';
    for (const bytes of [Buffer.from('hello'), Buffer.alloc(0)]) expect((await unpack(bytes)).problem).toBe(none);
    const cut = 'It is no whole ZIP archive: its end is missing or damaged. Get it again from where it comes from.';
    for (const bytes of [zip.subarray(0, -5), Buffer.concat([zip, Buffer.from('more')])]) expect((await unpack(bytes)).problem).toBe(cut);
    const unlisted = Buffer.from(zip);
    unlisted.writeUInt8(0, zip.lastIndexOf(Buffer.from('PK\u0001\u0002')));
    expect((await unpack(unlisted)).problem).toContain('its list of files cannot be read');
  });

  test('takes names that only Windows cannot have, elsewhere', async () => {
    for (const name of ['aux.js', 'ab:c', 'lib/NUL', 'end.', 'end ', 'com1.txt']) {
      expect(entrySteps(name, 'win32')).toHaveProperty('problem');
      expect(entrySteps(name, 'linux')).not.toHaveProperty('problem');
    }
    expect(entrySteps(`${'a/'.repeat(41)}b`, 'linux')).toHaveProperty('problem');
    expect(entrySteps('a'.repeat(201), 'linux')).toHaveProperty('problem');
    const names = createNames();
    expect([names.add(['lib'], true), names.add(['lib', 'a'], false), names.add(['lib'], true)]).toEqual([
      undefined,
      undefined,
      expect.stringContaining('two files'),
    ]);
  });
});

describe('Opening a bundle', () => {
  const open = async (bytes: Buffer) => {
    const folder = tempFolder();
    const file = path.join(folder, 'bundle.mcpb');
    writeFileSync(file, bytes);
    return openBundle({ file, folder: path.join(folder, 'staged'), platform: 'linux', roots: [] });
  };
  const server = { type: 'node', entry_point: 'server/index.js' };

  test('reads manifest, signature, files and their digest; the signature is no part of the archive', async () => {
    const bytes = await bundleOf({ manifest: { server }, files: [{ name: 'server/index.js', content: 'x' }] });
    const plain = await open(bytes);
    const byAda = await open(signed(bytes, await selfSigned('Ada')));
    if (!plain.ok || !byAda.ok) throw new Error(JSON.stringify([plain, byAda]));
    expect(plain.bundle).toMatchObject({ files: 2, manifest: { name: 'notes', version: '1.0.0' }, signature: { state: 'unsigned' } });
    expect(byAda.bundle).toMatchObject({ signature: { state: 'selfSigned', publisher: 'Ada' }, digest: plain.bundle.digest });
  });

  test.each([
    ['no manifest', [{ name: 'server/index.js', content: '' }], 'no manifest.json'],
    ['a manifest in a folder only', [{ name: 'notes/manifest.json', content: '{}' }], 'no manifest.json'],
    ['a folder called manifest.json', [{ name: 'manifest.json/x', content: '' }], 'no manifest.json'],
    [
      'a manifest of a megabyte and more',
      [{ name: 'manifest.json', content: createHash('shake256', { outputLength: 1_100_000 }).digest() }],
      'no manifest.json',
    ],
    ['a manifest that is no JSON', [{ name: 'manifest.json', content: '{' }], 'no JSON'],
  ])('refuses %s', async (_what, files, words) => {
    expect(await open(await zipOf(files))).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });

  test('refuses a program that is not in it, or that is named outside of it', async () => {
    expect(await open(await bundleOf({ manifest: { server }, files: [] }))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('does not hold'),
    });
    for (const entry_point of ['../../bin/sh', '/bin/sh', 'C:\\cmd.exe'])
      expect(await open(await bundleOf({ manifest: { server: { ...server, entry_point } }, files: [] }))).toMatchObject({
        ok: false,
        problem: expect.stringContaining('outside of the bundle'),
      });
  });

  test('takes what the packer of the format makes, with its signature', async () => {
    const folder = tempFolder();
    const at = (name: string): string => path.join(folder, 'source', name);
    mkdirSync(at('server'), { recursive: true });
    writeFileSync(at('server/index.js'), 'x');
    writeFileSync(at('server/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    const author = { name: 'Ada' };
    const mcp_config = { command: 'node', args: ['${__dirname}/server/index.js'] };
    const manifest = {
      manifest_version: '0.3',
      name: 'notes',
      version: '1.0.0',
      description: 'Keeps notes.',
      author,
      server: { ...server, mcp_config },
    };
    writeFileSync(at('manifest.json'), JSON.stringify(manifest));
    expect(await packExtension({ extensionPath: at('.'), outputPath: path.join(folder, 'packed.mcpb'), silent: true })).toBe(true);
    const file = path.join(folder, 'signed.mcpb');
    writeFileSync(file, signed(readFileSync(path.join(folder, 'packed.mcpb')), await selfSigned('Ada')));
    expect(await openBundle({ file, folder: path.join(folder, 'staged'), platform: 'linux', roots: [] })).toMatchObject({
      ok: true,
      bundle: { files: 3, warnings: [], signature: { state: 'selfSigned', publisher: 'Ada' }, manifest: { name: 'notes' } },
    });
    expect(statSync(path.join(folder, 'staged/server/run.sh')).mode & 0o777).toBe(0o755);
  });

  test('lets a binary run that was packed without the right to', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'bundle.mcpb');
    const binary = { type: 'binary', entry_point: 'run' };
    writeFileSync(file, await bundleOf({ manifest: { server: binary }, files: [{ name: 'run', content: '#!/bin/sh\n' }] }));
    expect(await openBundle({ file, folder: path.join(folder, 'staged'), platform: 'linux', roots: [] })).toMatchObject({ ok: true });
    expect(statSync(path.join(folder, 'staged/run')).mode & 0o111).toBe(0o111);
  });
});

test('the digest of a folder is another one after any change, and the same in another place', async () => {
  const make = (): string => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'lib/deep'), { recursive: true });
    for (const name of ['a.js', 'lib/b.js', 'lib/deep/c.js']) writeFileSync(path.join(folder, name), name);
    return folder;
  };
  const whole = (await digestFolder({ folder: make() })).digest;
  expect((await digestFolder({ folder: make() })).digest).toBe(whole);
  const changes: ((at: (name: string) => string) => void)[] = [
    (at) => writeFileSync(at('lib/deep/c.js'), 'lib/deep/C.js'),
    (at) => writeFileSync(at('lib/new.js'), ''),
    (at) => renameSync(at('a.js'), at('d.js')),
    (at) => chmodSync(at('a.js'), 0o755),
    (at) => (renameSync(at('a.js'), at('../moved')), symlinkSync(at('../moved'), at('a.js'))),
    (at) => (renameSync(at('lib'), at('lib2')), symlinkSync(at('lib2'), at('lib'))),
  ];
  for (const change of changes) {
    const folder = path.join(make(), 'inner');
    renameSync(make(), folder);
    change((name) => path.join(folder, name));
    expect((await digestFolder({ folder })).digest).not.toBe(whole);
  }
  expect(existsSync('/nowhere')).toBe(false);
  await expect(digestFolder({ folder: '/nowhere' })).rejects.toThrow('ENOENT');
});
