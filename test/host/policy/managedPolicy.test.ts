import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import {
  deniesServer,
  deniesTool,
  type Managed,
  ManagedPolicy,
  managedFor,
  managedPolicySchema,
  managedView,
  matchesGlob,
  offeredScopes,
  sandboxOf,
} from '../../../main/host/policy/managedPolicy.ts';
import { readManagedPolicy } from '../../../main/host/policy/readManagedPolicy.ts';
import { tempFolder } from '../../doubles/hostParts.ts';
import { packageFile } from '../mcp/harness.ts';

const set = (policy: object): Managed => ({ state: 'set', policy: ManagedPolicy.parse({ version: 1, ...policy }), hash: 'h' });
const none: Managed = { state: 'none' };
const broken: Managed = { state: 'broken', path: '/etc/maitre/policy.json', problem: 'It cannot be used.' };
const remote = (url: string): ServerConfig => ({ url });
const local = (command: string, args: string[] = [], more: object = {}): ServerConfig => ({ command, args, ...more });
const kept = { auditIsKept: true };

describe('servers', () => {
  test.each<[string, object, ServerConfig, boolean]>([
    ['the host of an address', { url: 'mcp.evil.test' }, remote('https://mcp.evil.test/mcp'), true],
    ['in other letters and with a dot behind', { url: 'mcp.evil.test' }, remote('https://MCP.Evil.Test./mcp'), true],
    ['a subdomain by a star', { url: '*.evil.test' }, remote('https://a.b.evil.test/'), true],
    ['not the domain itself by that star', { url: '*.evil.test' }, remote('https://evil.test/'), false],
    ['not a name that ends alike', { url: 'evil.test' }, remote('https://notevil.test/'), false],
    ['not by user name, path or query', { url: 'evil.test' }, remote('https://evil.test@good.test/evil.test?evil.test'), false],
    ['an address that is known at the start only', { url: 'evil.test' }, remote('https://${env:HOST}/'), true],
    ['a program by its name', { command: 'bash' }, local('/usr/bin/bash'), true],
    ['on Windows too', { command: 'bash' }, local('C:\\Git\\BASH.EXE'), true],
    ['a program by its path', { command: '/opt/*' }, local('/opt/x/../y/tool'), true],
    ['not a path that leads elsewhere', { command: '/opt/*' }, local('/opt/../usr/bin/tool'), false],
    ['a package', { package: '@evil/*' }, local('npx', ['-y', '@evil/server@1.2.3', '/tmp']), true],
    ['behind an option', { package: 'evil' }, local('npx', ['--package=evil@latest', '-c', 'run']), true],
    ['in the words of a shell', { package: '@evil/server' }, local('sh', ['-c', 'exec npx @evil/server']), true],
    ['with an extra of Python', { package: 'evil' }, local('uvx', ['evil[all]==2']), true],
    ['behind another name', { package: 'evil' }, local('npx', ['-y', 'good@npm:evil@1']), true],
    ['behind another name, with a scope', { package: '@evil/*' }, local('npx', ['-y', 'good@npm:@evil/server']), true],
    ['in another way of writing it for Python', { package: 'evil-server' }, local('uvx', ['Evil_Server==2']), true],
    ['an image with its tag', { package: 'acme/evil' }, local('docker', ['run', '--privileged', 'docker.io/acme/evil:1.2']), true],
    ['an image by its digest', { package: 'evil' }, local('docker', ['run', '--privileged', 'library/evil@sha256:abc']), true],
    ['what is known at the start only, whatever package it may be', { package: 'evil' }, local('npx', ['-y', '${env:IT}']), true],
    ['what is known at the start only, whatever program it may be', { command: 'bash' }, local('${env:IT}'), true],
    ['not another package', { package: 'evil' }, local('npx', ['good-evil-not']), false],
    ['a server that comes with Maitre', { bundled: 'files' }, { bundled: 'files' }, true],
    ['not another one', { bundled: 'files' }, { bundled: 'memory' }, false],
    ['not a program that is called like an address', { url: '*' }, local('npx'), false],
  ])('are denied by %s', (_how, match, config, denied) => {
    expect(deniesServer(set({ servers: { deny: [match] } }), config) !== undefined).toBe(denied);
  });

  test.each<[string, object, ServerConfig, boolean]>([
    ['the host of an address', { url: '*.good.test' }, remote('https://mcp.good.test/'), true],
    ['not an address that is known at the start only', { url: '*.good.test' }, remote('https://${env:HOST}.good.test/'), false],
    ['a program that PATH finds', { command: 'npx' }, local('npx', ['whatever']), true],
    ['not another file of that name', { command: 'npx' }, local('/tmp/npx'), false],
    ['not a program that is known at the start only', { command: '/opt/acme/*' }, local('/opt/acme/${env:IT}'), false],
    ['not under variables that put another one in its place', { command: 'npx' }, local('npx', [], { env: { PATH: '/tmp' } }), false],
    ['a package that certainly runs', { package: '@good/*' }, local('npx', ['-y', '@good/server@2']), true],
    ['not where an option may fetch another', { package: '@good/*' }, local('npx', ['--registry=http://x', '@good/server']), false],
    ['not where it only stands in the line', { package: '@good/*' }, local('sh', ['-c', 'evil @good/server']), false],
    ['not from a folder whose files may replace it', { package: '@good/*' }, local('npx', ['@good/server'], { cwd: '/tmp' }), false],
  ])('are allowed by %s, where only some are', (_how, match, config, allowed) => {
    expect(deniesServer(set({ servers: { allow: [match] } }), config) === undefined).toBe(allowed);
  });

  test('a folder that says it is a package is denied as that package, and not allowed as it', () => {
    const config = local('node', [packageFile('server-memory', 'dist/index.js')]);
    const match = { package: '@modelcontextprotocol/server-memory' };
    expect(deniesServer(set({ servers: { allow: [match] } }), config)).toContain('not among those');
    expect(deniesServer(set({ servers: { deny: [match] } }), config)).toContain('forbidden');
  });

  test('an empty list of the allowed allows none, and a denial holds against a permission', () => {
    expect(deniesServer(set({ servers: { allow: [] } }), { bundled: 'files' })).toContain('not among those');
    expect(deniesServer(set({ servers: { allow: [{ bundled: '*' }], deny: [{ bundled: 'files' }] } }), { bundled: 'files' })).toContain(
      'forbidden',
    );
  });

  test('the sentence names the organisation', () => {
    expect(deniesServer(set({ organisation: 'Acme', servers: { deny: [{ command: 'sh' }] } }), local('sh'))).toBe(
      'Acme has forbidden this server, so it does not run.',
    );
  });
});

describe('a call', () => {
  test('is denied by the name of its tool, of any server or of one', () => {
    const managed = set({ tools: { deny: [{ tool: 'delete_*' }, { server: { url: 'mail.test' }, tool: '*' }] } });
    expect(deniesTool(managed, { config: { bundled: 'files' }, tool: 'delete_file' })).toContain('delete_file');
    expect(deniesTool(managed, { config: { bundled: 'files' }, tool: 'read_file' })).toBeUndefined();
    expect(deniesTool(managed, { config: remote('https://mail.test/'), tool: 'read' })).toBeDefined();
    // Which server it is cannot be read any more.
    expect(deniesTool(managed, { config: undefined, tool: 'read' })).toBeDefined();
  });

  test('is denied where the log cannot be kept as demanded, and only there', () => {
    const facts = { config: remote('https://mail.test/'), tool: 'read' };
    const managed = set({ audit: 'required' });
    expect(managedFor(managed, facts, { auditIsKept: false }).deniesCall).toContain('keychain');
    expect(managedFor(managed, facts, kept)).toEqual({ standingForbidden: false, demandsPins: false });
    expect(managedFor(set({}), facts, { auditIsKept: false })).toEqual({ standingForbidden: false, demandsPins: false });
  });

  test('carries what else the policy demands of it', () => {
    const managed = set({ standingPermissions: 'forbidden', changedDefinitions: 'block' });
    expect(managedFor(managed, { config: undefined, tool: 'x' }, kept)).toEqual({ standingForbidden: true, demandsPins: true });
    expect(offeredScopes(managed, ['once', 'turn', 'chat', 'until', 'always'])).toEqual(['once', 'turn']);
    expect(offeredScopes(none, ['once', 'always'])).toEqual(['once', 'always']);
  });

  test('without a policy nothing is forbidden; with one that cannot be used everything is', () => {
    const facts = { config: undefined, tool: 'x' };
    expect(managedFor(none, facts, { auditIsKept: false })).toEqual({ standingForbidden: false, demandsPins: false });
    expect(managedFor(broken, facts, kept)).toEqual({ deniesCall: 'It cannot be used.', standingForbidden: true, demandsPins: true });
    expect(deniesServer(broken, { bundled: 'files' })).toBe('It cannot be used.');
  });
});

test('the least sandbox is put on local servers, and what is stricter stays', () => {
  const managed = set({ sandbox: 'protected' });
  expect(sandboxOf(managed, local('x', []))).toMatchObject({ sandbox: 'protected' });
  expect(sandboxOf(managed, local('x', [], { sandbox: 'off' }))).toMatchObject({ sandbox: 'protected' });
  expect(sandboxOf(managed, local('x', [], { sandbox: 'strict' }))).toMatchObject({ sandbox: 'strict' });
  expect(sandboxOf(managed, { bundled: 'files', sandbox: 'off' })).toEqual({ bundled: 'files', sandbox: 'protected' });
  expect(sandboxOf(managed, remote('https://x.test/'))).toEqual(remote('https://x.test/'));
  expect(sandboxOf(none, local('x', [], { sandbox: 'off' }))).toMatchObject({ sandbox: 'off' });
});

test('what is shown tells who has set what', () => {
  expect(managedView(none)).toBeUndefined();
  expect(managedView(broken)).toEqual({ problem: 'It cannot be used.', sets: [] });
  expect(managedView(set({ organisation: 'Acme', servers: { allow: [] }, audit: 'required', sandbox: 'protected' }))).toEqual({
    organisation: 'Acme',
    sets: ['servers', 'audit', 'sandbox'],
  });
});

test.each([
  ['', '*', true],
  ['abc', 'a*c', true],
  ['abcabd', 'a*d', true],
  ['abcabd', 'a*c', false],
  ['aaab', '*ab', true],
  ['a.c', 'abc', false],
  ['ab', 'a', false],
])('"%s" and the pattern "%s": %s', (text, pattern, fits) => {
  expect(matchesGlob(text, pattern)).toBe(fits);
});

test('a pattern of stars takes no longer for a long text', () => {
  expect(matchesGlob('a'.repeat(20_000), `${'*a'.repeat(200)}b`)).toBe(false);
});

describe('the file', () => {
  const write = (text: string): string => {
    const file = path.join(tempFolder(), 'policy.json');
    writeFileSync(file, text);
    return file;
  };
  const trusted = (): undefined => undefined;

  test('none is no policy; one that is there is read', () => {
    expect(readManagedPolicy(path.join(tempFolder(), 'nowhere', 'policy.json'), trusted)).toEqual({ state: 'none' });
    expect(readManagedPolicy(write('\uFEFF{"version":1,"audit":"required"}'), trusted)).toMatchObject({
      state: 'set',
      policy: { audit: 'required' },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test.each([
    ['no JSON', '{', 'cannot be read'],
    ['a list', '[]', 'expected object'],
    ['no version', '{}', 'version'],
    ['a version of later', '{"version":2}', 'version'],
    ['a member that is misspelt', '{"version":1,"audits":"required"}', 'audits'],
    ['a demand that is misspelt', '{"version":1,"audit":"yes"}', 'audit'],
    ['a server by two members', '{"version":1,"servers":{"deny":[{"url":"a","command":"b"}]}}', 'servers.deny.0'],
  ])('%s is never ignored', (_what, text, place) => {
    const managed = readManagedPolicy(write(text), trusted);
    expect(managed).toMatchObject({ state: 'broken', problem: expect.stringContaining('no server runs') });
    expect(managed.state === 'broken' && managed.problem.toLowerCase()).toContain(place.toLowerCase());
  });

  test('a folder in its place is no policy that could be read', () => {
    expect(readManagedPolicy(tempFolder(), trusted)).toMatchObject({ state: 'broken' });
  });

  // What is tested belongs to whoever runs the tests: only root can write a file that would be taken.
  test.runIf(process.platform !== 'win32' && process.getuid?.() === 0)(
    'only a file that nobody but root can write or replace is taken',
    () => {
      const file = write('{"version":1}');
      chmodSync(file, 0o644);
      expect(readManagedPolicy(file)).toMatchObject({ state: 'set' });
      chmodSync(file, 0o664);
      expect(readManagedPolicy(file)).toMatchObject({ state: 'broken', problem: expect.stringContaining('may write to it') });
      chmodSync(file, 0o644);
      chmodSync(path.dirname(file), 0o777);
      expect(readManagedPolicy(file)).toMatchObject({ state: 'broken', problem: expect.stringContaining('may replace it') });
      const link = path.join(tempFolder(), 'policy.json');
      symlinkSync(file, link);
      expect(readManagedPolicy(link)).toMatchObject({ state: 'broken', problem: expect.stringContaining('may replace it') });
    },
  );

  test.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)('a file of the user himself is not taken', () => {
    expect(readManagedPolicy(write('{"version":1}'))).toMatchObject({ state: 'broken', problem: expect.stringContaining('administrator') });
  });

  test('the example in docs/managed-policy.md is one that would be taken', () => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../../../docs/managed-policy.md'), 'utf8');
    const example = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    expect(readManagedPolicy(write(example), trusted)).toMatchObject({ state: 'set', policy: { organisation: 'Acme' } });
  });

  test('docs/policy.schema.json is the form that is checked (node test/host/programs/writePolicySchema.ts writes it)', () => {
    const published = readFileSync(path.resolve(import.meta.dirname, '../../../docs/policy.schema.json'), 'utf8');
    expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(managedPolicySchema())));
  });
});
