import { describe, expect, test } from 'vitest';
import type { BundleValue } from '../../preload/contract/bundles.ts';
import { orderOf, unmet } from '../../main/host/servers/bundles/compatibility.ts';
import { defaultIn, type FillHere, fillManifest } from '../../main/host/servers/bundles/fillManifest.ts';
import { type Manifest, readManifest } from '../../main/host/servers/bundles/manifest.ts';
import { whyNotInstead } from '../../main/host/servers/bundles/sameMaker.ts';
import { checkValues, fieldsOf, secretNames } from '../../main/host/servers/bundles/userConfig.ts';

const plain = { manifest_version: '0.3', name: 'notes', version: '1.0.0', description: 'Keeps notes.', author: { name: 'Ada' } };
const node = { type: 'node', entry_point: 'index.js' };
const read = (members: object): Manifest => {
  const result = readManifest(JSON.stringify({ ...plain, server: node, ...members }));
  if (!result.ok) throw new Error(result.problem);
  return result.manifest;
};
const here = (platform: NodeJS.Platform = 'linux'): FillHere => ({
  folder: platform === 'win32' ? 'C:\\b' : '/b',
  places: { home: '/home/ada', desktop: '/home/ada/Schreibtisch', documents: '/home/ada/Docs', downloads: '/home/ada/Loads' },
  platform,
});
const string = { type: 'string', title: 'A', description: 'a' };

describe('The manifest of a bundle', () => {
  test.each(['0.1', '0.2', '0.3', '0.4'])('of version %s is read, under its old name too', (version) => {
    expect(readManifest(JSON.stringify({ ...plain, manifest_version: version, server: node }))).toMatchObject({ ok: true, warnings: [] });
    const { manifest_version: _new, ...old } = plain;
    expect(readManifest(JSON.stringify({ ...old, dxt_version: version, server: node }))).toMatchObject({ ok: true });
  });

  test('with members that nobody knows is read, and says so', () => {
    const members = { ...plain, server: { ...node, hint: 1 }, telemetry: true, author: { name: 'Ada', email: 'no address' } };
    expect(readManifest(`\uFEFF${JSON.stringify(members)}`)).toMatchObject({ ok: true, warnings: [expect.stringContaining('telemetry')] });
  });

  test.each([
    ['{', 'no JSON'],
    ['[]', 'no object'],
    [JSON.stringify({ ...plain, manifest_version: '9.0', server: node }), 'version 9.0'],
    [JSON.stringify({ ...plain, manifest_version: undefined, server: node }), 'no version'],
    [JSON.stringify(plain), '"server"'],
    [JSON.stringify({ ...plain, server: { type: 'deno', entry_point: 'x' } }), '"server.type"'],
    [JSON.stringify({ ...plain, server: node, user_config: { 'a}b': string } }), '"user_config.a}b"'],
    [JSON.stringify({ ...plain, server: node, author: undefined }), '"author"'],
  ])('%s is refused with a sentence about %s', (json, words) => {
    expect(readManifest(json)).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });
});

describe('What a bundle runs', () => {
  const filled = (config: object, values: Record<string, BundleValue> = {}, user: object = {}, platform: NodeJS.Platform = 'linux') =>
    fillManifest(read({ server: { ...node, mcp_config: config }, user_config: user }), values, here(platform));
  const two = { a: string, b: { ...string, multiple: true } };

  test.each([
    ['${__dirname}/x', '/b/x'],
    ['${HOME}', '/home/ada'],
    ['${DESKTOP} ${DOCUMENTS} ${DOWNLOADS}', '/home/ada/Schreibtisch /home/ada/Docs /home/ada/Loads'],
    ['a${pathSeparator}b${/}c', 'a/b/c'],
    ['${UNKNOWN} $HOME ${user_config.a', '${UNKNOWN} $HOME ${user_config.a'],
    ['${toString} ${__proto__}', '${toString} ${__proto__}'],
  ])('has %s filled as %s in command, arguments and environment', (written, text) => {
    expect(filled({ command: written, args: [written], env: { A: written } })).toEqual({
      ok: true,
      command: text,
      args: [text],
      env: { A: text },
    });
  });

  test('has the separator of Windows there', () => {
    expect(filled({ command: 'node', args: ['${__dirname}${/}x'] }, {}, {}, 'win32')).toMatchObject({ args: ['C:\\b\\x'] });
  });

  test('gets values of the person: texts, numbers, switches as words, inside of others too', () => {
    const user = { a: string, n: { ...string, type: 'number' }, on: { ...string, type: 'boolean' } };
    const args = ['--a=${user_config.a}', '${user_config.n}', '${user_config.on}', '${user_config.on}${user_config.n}'];
    expect(filled({ command: 'x', args }, { a: 'one', n: 2.5, on: false }, user)).toMatchObject({
      args: ['--a=one', '2.5', 'false', 'false2.5'],
    });
  });

  test('gets several values as several arguments, and only where they are a whole one', () => {
    const args = ['dirs', '${user_config.b}', '--all=${user_config.b}', '${user_config.b}!'];
    expect(filled({ command: 'x', args, env: { ALL: '${user_config.b}' } }, { b: ['1', '2'] }, two)).toMatchObject({
      args: ['dirs', '1', '2', '--all=${user_config.b}', '${user_config.b}!'],
      env: { ALL: '${user_config.b}' },
    });
  });

  test('loses the argument and the variable of an optional value that is not set', () => {
    const config = {
      command: 'x',
      args: ['--a=${user_config.a}', '${user_config.b}', 'rest'],
      env: { A: '${user_config.a}', B: 'x${user_config.typo}', C: 'c' },
    };
    expect(filled(config, {}, two)).toEqual({ ok: true, command: 'x', args: ['rest'], env: { C: 'c' } });
    expect(filled(config, { a: '', b: [] }, two)).toMatchObject({ args: ['rest'], env: { C: 'c' } });
  });

  test('is nothing while a required value is missing', () => {
    const user = { a: { ...string, required: true }, b: { ...string, required: true, multiple: true } };
    expect(filled({ command: 'x' }, {}, user)).toEqual({ ok: false, missing: ['a', 'b'] });
    expect(filled({ command: 'x' }, { a: '', b: [] }, user)).toEqual({ ok: false, missing: ['a', 'b'] });
    expect(filled({ command: 'x' }, { a: 'x', b: ['y'] }, user)).toMatchObject({ ok: true });
  });

  test('is filled once: what stands in a value is never filled', () => {
    expect(filled({ command: 'x', args: ['${user_config.a}'] }, { a: '${HOME} ${user_config.b}', b: ['x'] }, two)).toMatchObject({
      args: ['${HOME} ${user_config.b}'],
    });
  });

  test.each([
    [{ command: 'x', env: { A: '${env:GITHUB_TOKEN}' } }, {}],
    [{ command: 'x', args: ['${secret:OTHER}'] }, {}],
    [{ command: '${env:SHELL}' }, {}],
    // Put together of two harmless halves.
    [{ command: 'x', args: ['$${user_config.a}'] }, { a: '{env:GITHUB_TOKEN}' }],
  ])('gets no value of this computer: %j', (config, values) => {
    expect(filled(config, values, two)).toMatchObject({ ok: false, problem: expect.stringContaining('not its own') });
  });

  test('may hold the references to its own secrets', () => {
    const user = { a: { ...string, sensitive: true } };
    expect(filled({ command: 'x', env: { A: 'Bearer ${user_config.a}' } }, { a: '${secret:CONFIG_A}' }, user)).toMatchObject({
      env: { A: 'Bearer ${secret:CONFIG_A}' },
    });
  });

  test('is another thing on a platform whose override says so: whole members', () => {
    const config = {
      command: 'x',
      args: ['1', '2'],
      env: { A: 'a', B: 'b' },
      platform_overrides: { win32: { command: 'x.exe', env: { C: 'c' } }, toString: { command: 'evil' } },
    };
    expect(filled(config)).toMatchObject({ command: 'x', args: ['1', '2'], env: { A: 'a', B: 'b' } });
    expect(filled(config, {}, {}, 'win32')).toMatchObject({ command: 'x.exe', args: ['1', '2'], env: { C: 'c' } });
  });

  test.each([
    ['node', 'linux', 'node', ['/b/index.js']],
    ['python', 'linux', 'python3', ['/b/index.js']],
    ['python', 'win32', 'python', ['C:\\b/index.js']],
    ['uv', 'linux', 'uv', ['run', '--directory', '/b', '/b/index.js']],
    ['binary', 'linux', '/b/index.js', []],
  ] as const)('of type %s is its entry point where the manifest says no more (%s)', (type, platform, command, args) => {
    expect(fillManifest(read({ server: { type, entry_point: 'index.js' } }), {}, here(platform))).toMatchObject({ command, args });
  });
});

describe('Values of a bundle', () => {
  const manifest = read({
    user_config: {
      dir: { type: 'directory', title: 'Folder', description: '', default: '${HOME}/x' },
      dirs: { type: 'directory', title: 'Folders', description: '', multiple: true, default: ['${DESKTOP}', '${DOCUMENTS}'] },
      count: { type: 'number', title: 'Count', description: '', min: 1, max: 10, default: 5 },
      on: { type: 'boolean', title: 'On', description: '', default: true },
      key: { type: 'string', title: 'Key', description: '', sensitive: true, required: true },
      keys: { type: 'string', title: 'Keys', description: '', sensitive: true, multiple: true },
      api_token: { type: 'string', title: 'Token', description: '' },
    },
  });
  const check = (given: Record<string, BundleValue | null>, before: Record<string, BundleValue> = {}) =>
    checkValues(manifest, given, before, (option) => defaultIn(option, here()));

  test('have defaults, in which places may stand', () => {
    expect(check({ key: 'k' })).toMatchObject({
      kept: { dir: '/home/ada/x', dirs: ['/home/ada/Schreibtisch', '/home/ada/Docs'], count: 5, on: true },
      problems: [],
    });
  });

  test('that are sensitive, or called like a secret, are kept as references; the values go to the store', () => {
    const { kept, secrets } = check({ key: 'k1', keys: ['a', 'b'], api_token: 't' });
    expect(kept).toMatchObject({
      key: '${secret:CONFIG_KEY}',
      keys: ['${secret:CONFIG_KEYS}', '${secret:CONFIG_KEYS_V2}'],
      api_token: '${secret:CONFIG_API_TOKEN}',
    });
    expect(Object.fromEntries(secrets)).toEqual({ CONFIG_KEY: 'k1', CONFIG_KEYS: 'a', CONFIG_KEYS_V2: 'b', CONFIG_API_TOKEN: 't' });
    expect(JSON.stringify(kept)).not.toContain('k1');
  });

  test('stay where none is given, go where null is given, and fall away with their field', () => {
    const before = { key: '${secret:CONFIG_KEY}', count: 7, gone: 'x' };
    expect(check({}, before)).toMatchObject({ kept: { key: '${secret:CONFIG_KEY}', count: 7 }, problems: [] });
    expect(check({}, before).secrets.size).toBe(0);
    expect(check({}, before).kept).not.toHaveProperty('gone');
    // That its default is not wanted is kept too.
    expect(check({ count: null }, before).kept).toMatchObject({ count: '' });
    expect(check({}, { ...before, count: '' })).toMatchObject({ kept: { count: '' }, problems: [] });
    expect(check({ key: null }, before).problems).toEqual([{ name: 'key', message: '“Key” is needed.' }]);
  });

  test.each([
    ['count', 0, '1 or more'],
    ['count', 11, '10 or less'],
    ['count', 'many', 'must be a number'],
    ['count', Number.NaN, 'must be a number'],
    ['count', [1] as unknown as BundleValue, 'takes one value'],
    ['on', 'yes', 'on or off'],
    ['dir', 5, 'must be a text'],
    ['dir', ['a', 'b'], 'takes one value'],
    ['dir', 'a\0b', 'no program can be given'],
    ['dir', '${env:HOME}', 'not filled in'],
    ['key', '', 'is needed'],
  ])('of the field %s are refused when they are %j: %s', (key, value, words) => {
    expect(check({ key: 'k', [key]: value }).problems).toEqual([{ name: key, message: expect.stringContaining(words) }]);
  });

  test('that a newer version does not take any more are asked for again', () => {
    expect(check({}, { key: '${secret:CONFIG_KEY}', count: 50 }).problems).toMatchObject([{ name: 'count' }]);
  });

  test('have names of secrets of their own where keys are alike', () => {
    const alike = read({ user_config: { 'a-b': { ...string, sensitive: true }, a_b: { ...string, sensitive: true } } });
    expect(new Set(secretNames(alike).values()).size).toBe(2);
  });

  test('never come out when they are secrets', () => {
    const { kept } = check({ key: 'k1', keys: ['a'] });
    const fields = fieldsOf(
      manifest,
      kept,
      (option) => defaultIn(option, here()),
      () => true,
    );
    expect(fields.find(({ key }) => key === 'key')).toMatchObject({ isSet: true, sensitive: true });
    expect(fields.find(({ key }) => key === 'key')).not.toHaveProperty('value');
    expect(fields.find(({ key }) => key === 'dirs')).toMatchObject({ value: ['/home/ada/Schreibtisch', '/home/ada/Docs'] });
    expect(
      fieldsOf(
        manifest,
        kept,
        () => undefined,
        () => false,
      ).find(({ key }) => key === 'key'),
    ).not.toHaveProperty('isSet');
  });
});

describe('What a bundle needs', () => {
  const computer = { platform: 'linux' as const, maitre: '0.1.0', node: '24.1.0', python: '3.12.1' };
  test.each([
    [{ platforms: ['darwin', 'win32'] }, computer, 'macOS, Windows, and this is Linux'],
    [{ platforms: [] }, computer, 'no system'],
    [{ platforms: ['linux'] }, computer, undefined],
    [{ runtimes: { node: '>=18.0.0' } }, computer, undefined],
    [{ runtimes: { node: '>=25' } }, computer, 'Node.js >=25, and here is 24.1.0'],
    [{ runtimes: { python: '>=3.10,<4.0' } }, computer, undefined],
    [{ runtimes: { python: '>=3.13' } }, computer, 'here is 3.12.1'],
    [{ runtimes: { python: '>=3.8' } }, { ...computer, python: undefined }, 'none was found'],
    [{ maitre: '>=2.0.0', claude_desktop: '>=99' }, computer, 'needs Maitre >=2.0.0'],
    [{ claude_desktop: '>=99.0.0' }, computer, undefined],
    [{ runtimes: { node: 'whatever works' } }, computer, undefined],
  ])('%j is held against this computer', (compatibility, at, words) => {
    const server = { type: 'python', entry_point: 'x.py' };
    const answer = unmet(read({ compatibility, server }), at);
    if (words === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(words);
  });

  test.each([
    ['1.2.0', '1.10.0', 'older'],
    ['1.10.0', '1.2.0', 'newer'],
    ['1.0.0', '1.0.0', 'same'],
    ['1.0.0-beta.1', '1.0.0', 'older'],
    ['2', '1.9', 'newer'],
    ['spring', 'autumn', 'unknown'],
  ])('version %s beside %s is %s', (version, installed, order) => {
    expect(orderOf(version, installed)).toBe(order);
  });
});

test.each([
  ['unsigned', undefined, undefined, 'unsigned', undefined, undefined, true],
  ['unsigned', undefined, undefined, 'signed', 'Acme', 'b', true],
  ['signed', 'Acme', 'a', 'signed', 'Acme', 'b', true],
  ['signed', 'Acme', 'a', 'signed', 'Evil', 'b', false],
  ['signed', 'Acme', 'a', 'selfSigned', 'Acme', 'b', false],
  ['signed', 'Acme', 'a', 'selfSigned', 'Acme', 'a', true],
  ['signed', 'Acme', 'a', 'unsigned', undefined, undefined, false],
  ['selfSigned', 'Acme', 'a', 'selfSigned', 'Acme', 'a', true],
  ['selfSigned', 'Acme', 'a', 'selfSigned', 'Acme', 'b', false],
  ['selfSigned', 'Acme', 'a', 'signed', 'Acme', 'b', false],
] as const)(
  'a bundle %s by %s (%s) gives way to one %s by %s (%s): %s',
  (state, publisher, signer, next, nextPublisher, nextSigner, may) => {
    const installed = { name: 'n', version: '1', type: 'node' as const, digest: 'd', folder: 'f', signature: state, publisher, signer };
    const refused = whyNotInstead(installed, { signature: { state: next, publisher: nextPublisher, signer: nextSigner } });
    expect(refused === undefined).toBe(may);
  },
);
