import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LocalServerConfig } from '../../../preload/contract/servers.ts';
import { claimedServerOf, knownServerOf, listings } from '../../../main/host/servers/profiles/knownServers.ts';
import type { ToolProfile } from '../../../main/host/servers/toolProfile.ts';
import { tempFolder } from '../../doubles/hostParts.ts';
import { packageFile } from '../mcp/harness.ts';

const knownAs = (command: string, args: string[], more: Partial<LocalServerConfig> = {}) => knownServerOf({ command, args, ...more })?.name;

describe('a server is known by what its configuration starts or calls', () => {
  const files = '@modelcontextprotocol/server-filesystem';
  test.each([
    ['npx', ['-y', files, '/home/ada'], files],
    ['npx', [`${files}@2026.8.31`], files],
    ['npx', ['--yes', `${files}@latest`], files],
    ['npx.cmd', ['-y', files], files],
    ['cmd', ['/c', 'npx', '-y', files], files],
    ['bunx', [files], files],
    ['pnpm', ['dlx', files], files],
    ['uvx', ['mcp-server-git'], 'mcp-server-git'],
    ['uvx', ['mcp_server_git==2026.7.4'], 'mcp-server-git'],
    ['uv', ['tool', 'run', 'mcp-server-fetch'], 'mcp-server-fetch'],
    ['pipx', ['run', 'mcp-server-time'], 'mcp-server-time'],
    [
      'docker',
      ['run', '-i', '--rm', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
      'ghcr.io/github/github-mcp-server',
    ],
    ['podman', ['run', '-i', '--rm', '--mount', 'type=bind,src=/a,dst=/b', 'docker.io/mcp/git:latest'], 'mcp/git'],
    ['docker', ['run', '-i', '-v', 'claude-memory:/app/dist', '--rm', 'mcp/memory'], 'mcp/memory'],
    ['docker', ['run', '-i', '-v', '/opt/a:/projects/a:ro', '--volume=C:\\me\\b:/projects/b', 'mcp/git'], 'mcp/git'],
  ])('%s %j', (command, args, name) => expect(knownAs(command, args)).toBe(name));

  test.each([
    ['a version that nobody has read', 'npx', [`${files}@2026.9.1`]],
    ['an older one', 'npx', [`${files}@0.6.2`]],
    ['a range', 'npx', [`${files}@^2026`]],
    ['a version whose arguments could be taken for flags', 'uvx', ['mcp-server-git==2025.9.25']],
    ['a tag', 'npx', [`${files}@next`]],
    ['a look-alike name', 'npx', ['-y', '@modelcontextprotoco1/server-filesystem']],
    ['the name behind another one', 'npx', ['-y', 'evil', files]],
    ['a package beside the command', 'npx', ['-p', 'evil', files]],
    ['another registry', 'npx', ['--registry=https://evil.example', files]],
    ['a call', 'npx', ['-c', files]],
    ['an address', 'npx', [`git+https://evil.example/${files}`]],
    ['a launcher by its path', '/tmp/npx', ['-y', files]],
    ['a source', 'uvx', ['--from', 'git+https://evil.example/x', 'mcp-server-git']],
    ['another entry point', 'docker', ['run', '-i', '--entrypoint', 'sh', 'mcp/git']],
    ['another maker', 'docker', ['run', '-i', 'evil/mcp-git']],
    ['a digest', 'docker', ['run', '-i', `mcp/git@sha256:${'0'.repeat(64)}`]],
    ['a folder in the place of its code', 'docker', ['run', '-i', '-v', '/tmp/evil:/app/src', 'mcp/git']],
    ['a folder in the place of a library', 'docker', ['run', '-i', '--volume=/tmp/evil:/usr/lib/node', 'mcp/git']],
    ['a folder over all of it', 'docker', ['run', '-i', '-v', 'C:\\evil:/', 'mcp/git']],
    ['a mount that climbs', 'docker', ['run', '-i', '--mount', 'type=bind,src=/tmp/evil,dst=/projects/../app', 'mcp/git']],
    ['a mount over its code', 'docker', ['run', '-i', '--mount=type=bind,source=/tmp/evil,target=/app', 'mcp/git']],
    ['a mount with two targets', 'docker', ['run', '-i', '--mount', 'type=bind,src=/tmp/evil,dst=/projects,target=/app', 'mcp/git']],
    ['a volume that is a folder', 'docker', ['run', '-i', '--mount', 'volume-opt=device=/tmp/evil,src=x,dst=/app', 'mcp/git']],
    ['a variable inside that names other code', 'docker', ['run', '-i', '-e', 'NODE_OPTIONS=--import=data:,x', 'mcp/git']],
    ['the same in one word', 'docker', ['run', '-i', '--env=PYTHONPATH=/projects', 'mcp/git']],
    ['variables of a file', 'docker', ['run', '-i', '--env-file', '/tmp/evil', 'mcp/git']],
    ['a flag of Node', 'node', ['--import', './evil.mjs', packageFile('server-memory', 'dist/index.js')]],
    ['a way out of a package', 'node', [`${packageFile('server-memory', 'dist')}/../../../evil.js`]],
    ['a name in an argument', 'sh', ['-c', `npx ${files}`]],
  ])('and not by %s', (_, command, args) => expect(knownAs(command, args)).toBeUndefined());

  test.each([
    { NPM_CONFIG_REGISTRY: 'https://evil.example' },
    { npm_config_registry: 'x' },
    { PATH: '/tmp' },
    { HOME: '/tmp' },
    { XDG_CONFIG_HOME: '/tmp' },
    { NODE_OPTIONS: '--import=/tmp/x' },
  ])('and not where a variable steers the launcher: %j', (env) => expect(knownAs('npx', ['-y', files], { env })).toBeUndefined());

  test('and not where its folder may hold a package of the same name', () => {
    expect(knownAs('npx', ['-y', files], { cwd: '/tmp/clone' })).toBeUndefined();
    expect(knownAs('npx', ['-y', files], { env: { BRAVE_API_KEY: 'k' } })).toBe(files);
  });

  test('a folder that says which package it is proves nothing: that is a claim, and only of the very package', () => {
    const memory = '@modelcontextprotocol/server-memory';
    const script = path.join(tempFolder(), 'node_modules', memory, 'index.js');
    const says = (manifest: unknown) => writeFileSync(path.join(path.dirname(script), 'package.json'), JSON.stringify(manifest));
    const claims = (args = [script]) => claimedServerOf({ command: 'node', args })?.name;
    mkdirSync(path.dirname(script), { recursive: true });
    expect(claims()).toBeUndefined();
    says({ name: 'evil', version: '2026.8.31' });
    expect(claims()).toBeUndefined();
    says({ name: memory, version: '2026.8.30' });
    expect(claims()).toBeUndefined();
    says({ name: memory, version: '2026.8.31' });
    expect(claims()).toBe(memory);
    expect(claims(['--import', './evil.mjs', script])).toBeUndefined();
    expect(claims([`${path.dirname(script)}/../server-memory/index.js`])).toBeUndefined();
    expect(knownAs('node', [script])).toBeUndefined();
  });

  test('what is known needs no claim', () => {
    for (const config of [
      undefined,
      { bundled: 'memory' as const },
      { url: 'https://mcp.linear.app/mcp' },
      { command: 'npx', args: [files] },
    ])
      expect(claimedServerOf(config)).toBeUndefined();
  });

  test.each([
    ['https://mcp.linear.app/mcp', 'mcp.linear.app'],
    ['https://api.githubcopilot.com/mcp/readonly', 'api.githubcopilot.com'],
    ['http://mcp.linear.app/mcp', undefined],
    ['https://mcp.linear.app:8443/mcp', undefined],
    ['https://mcp.linear.app.evil.example/mcp', undefined],
    ['https://mcp.linear.app@evil.example/mcp', undefined],
    ['https://evil.example/mcp.linear.app', undefined],
    ['mcp.linear.app', undefined],
  ])('%s', (url, name) => expect(knownServerOf({ url })?.name).toBe(name));
});

test('no two listings claim the same package, image or host', () => {
  const names = listings.flatMap(({ npm, pypi, images = [], hosts = [] }) => [
    ...(npm ? [`npm ${npm}`] : []),
    ...(pypi ? [`pypi ${pypi}`] : []),
    ...images,
    ...hosts,
  ]);
  expect(new Set(names).size).toBe(names.length);
});

/** Everything that it offers to a client that can do everything. */
async function toolsOf(script: string, args: string[], env: Record<string, string>) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: {
        sampling: {},
        elicitation: { form: {}, url: {} },
        roots: { listChanged: true },
        tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
      },
    },
  );
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [script, ...args], env, stderr: 'ignore' }));
  return (await client.listTools()).tools;
}

const pointersOf = ({ paths = [], destinations = [], keptUnder = [] }: ToolProfile) => [...paths, ...destinations, ...keptUnder];

/** The pointer into values, followed through the schema of the values. */
function isIn(schema: unknown, pointer: string): boolean {
  let at: unknown = schema;
  for (const step of pointer.split('/').slice(1)) {
    const { properties, items } = (at ?? {}) as { properties?: Record<string, unknown>; items?: unknown };
    at = step === '*' ? items : properties?.[step];
  }
  return at !== undefined;
}

describe('the profile of an installed server lists its real tools, and points at real arguments', () => {
  test.each([
    ['server-filesystem', (folder) => [folder], () => ({})],
    ['server-memory', () => [], (folder) => ({ MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') })],
    ['server-everything', () => ['stdio'], () => ({})],
    ['server-sequential-thinking', () => [], () => ({})],
    ['server-github', () => [], () => ({ GITHUB_PERSONAL_ACCESS_TOKEN: 'none' })],
    ['server-postgres', () => ['postgres://nobody@127.0.0.1:1/none'], () => ({})],
  ] as [string, (folder: string) => string[], (folder: string) => Record<string, string>][])(
    '%s',
    async (name, args, env) => {
      const manifest = createRequire(import.meta.url)(packageFile(name, 'package.json')) as { bin: Record<string, string> };
      const script = packageFile(name, Object.values(manifest.bin)[0] ?? '');
      const known = knownServerOf({ command: 'npx', args: [`@modelcontextprotocol/${name}`] });
      expect(known?.name).toBe(`@modelcontextprotocol/${name}`);
      const folder = tempFolder();
      const tools = await toolsOf(script, args(folder), env(folder));
      expect(Object.keys(known?.profile.tools ?? {}).toSorted()).toEqual(tools.map((tool) => tool.name).toSorted());
      for (const tool of tools)
        for (const pointer of pointersOf(known?.profile.tools[tool.name] ?? { effects: [] }))
          expect(isIn(tool.inputSchema, pointer), `${tool.name} ${pointer}`).toBe(true);
    },
    30_000,
  );
});
