import { existsSync, readFileSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Server } from '../../../preload/contract/servers.ts';
import { getConsent } from '../../../main/host/store/serverRows.ts';
import { type World, folderOfPeople, keychain, openWorld } from './world.ts';

const script = (name: string): string => realpathSync(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const everything = { command: process.execPath, args: [script('everything'), 'stdio'] };
const hashOf = (server: Server): string =>
  (server.status.state === 'off' && server.status.needsConsent?.configHash) || 'no consent is asked';
const fileOf = (mcpServers: Record<string, unknown>): string => JSON.stringify({ mcpServers }, null, 2);
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('bundled servers', () => {
  test('Files over a folder of people is added by one click, reads a file there, and is found again after a restart', async () => {
    const world = await openWorld();
    const folder = folderOfPeople();
    writeFileSync(join(folder, 'brief 信.txt'), 'Guten Tag 🦊');
    world.servers.startAll();
    const added = await world.servers.addBundled('files', [folder]);
    expect(added).toMatchObject({ name: 'Files', kind: 'bundled', bundled: 'files', enabled: true, folders: [{ path: folder }] });
    await world.servers.settled();
    expect(world.named('Files')).toMatchObject({ status: { state: 'ready' }, counts: { tools: 14 } });
    const outcome = await world.call(added, 'read_text_file', { path: join(folder, 'brief 信.txt') });
    expect(outcome).toMatchObject({ kind: 'result', isError: false, content: [{ type: 'text', text: 'Guten Tag 🦊' }] });

    const later = await world.reopened();
    later.servers.startAll();
    await later.servers.settled();
    expect(later.named('Files')).toMatchObject({ id: added.id, status: { state: 'ready' } });
  });

  test('Memory keeps its file in the data folder and is there only once', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const memory = await world.servers.addBundled('memory', []);
    await world.servers.settled();
    await world.call(memory, 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes 数学'] }] });
    expect(readFileSync(join(world.dataDir, 'memory', 'memory.jsonl'), 'utf8')).toContain('likes 数学');
    await expect(world.servers.addBundled('memory', [])).rejects.toMatchObject({ failure: { code: 'wrongState' } });
  });

  test('every tool that the bundled servers list is in their profile', async () => {
    const world = await openWorld();
    world.servers.startAll();
    await world.servers.addBundled('files', [folderOfPeople()]);
    await world.servers.addBundled('memory', []);
    await world.servers.addBundled('everything', []);
    await world.servers.settled();
    const tools = world.servers.tools();
    expect(new Set(tools.map((tool) => tool.serverName))).toEqual(new Set(['Files', 'Memory', 'Everything']));
    const unknown = tools.filter((tool) => world.servers.effectsOf(tool.serverId, tool.name).source !== 'profile');
    expect(unknown.map((tool) => tool.name)).toEqual([]);
    const effects = (name: string, tool: string) => world.servers.effectsOf(world.named(name).id, tool).set;
    expect(effects('Files', 'read_file')).toEqual(['reads']);
    expect(effects('Files', 'move_file')).toEqual(['changes']);
    expect(effects('Memory', 'delete_entities')).toEqual(['deletes']);
  });

  test('a server that only calls itself like a bundled one gets no profile; the word of the user counts most', async () => {
    const world = await openWorld({ text: fileOf({ Files: { command: process.execPath, args: [script('filesystem'), '/'] } }) });
    const { id } = world.named('Files');
    expect(world.servers.effectsOf(id, 'read_file')).toEqual({ set: ['changes', 'sendsOut'], source: 'nobody' });
    world.servers.classifyTool(id, 'read_file', ['reads']);
    expect(world.servers.effectsOf(id, 'read_file')).toEqual({ set: ['reads'], source: 'user' });
    world.servers.classifyTool(id, 'read_file', []);
    expect(world.servers.effectsOf(id, 'read_file').source).toBe('nobody');
  });

  test('picking other folders restarts Files over exactly these', async () => {
    const world = await openWorld();
    const [first, second] = [folderOfPeople(), folderOfPeople('zweiter')];
    writeFileSync(join(second, 'b.txt'), 'second');
    world.servers.startAll();
    const { id } = await world.servers.addBundled('files', [first]);
    await world.servers.settled();
    const moved = await world.servers.setFolders(id, [second]);
    expect(moved.folders).toMatchObject([{ path: second }]);
    await world.servers.settled();
    expect(world.named('Files').status.state).toBe('ready');
    expect(await world.call(moved, 'read_text_file', { path: join(second, 'b.txt') })).toMatchObject({ isError: false });
    expect(await world.call(moved, 'list_directory', { path: first })).toMatchObject({ isError: true });
    await expect(world.servers.setFolders(id, [])).rejects.toMatchObject({ failure: { code: 'invalidInput' } });
  });

  test('a bundled entry that was not made by a click asks first', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('All', { bundled: 'files', folders: ['/'] });
    expect(added.status).toMatchObject({ state: 'off', needsConsent: { folders: ['/'] } });
  });
});

describe('consent', () => {
  test('nothing starts before it, it shows everything untruncated, and it holds for this configuration only', async () => {
    const world = await openWorld();
    const mark = join(world.dataDir, 'started');
    const long = `x${'y'.repeat(5000)}`;
    const config = {
      command: 'node',
      args: ['-e', `require('fs').appendFileSync(${JSON.stringify(mark)}, 'x')`, long],
      env: { NAME: 'v' },
    };
    world.servers.startAll();
    const added = await world.servers.add('odd', config);
    await world.servers.settled();
    expect(existsSync(mark)).toBe(false);
    expect(added.status).toMatchObject({ state: 'off', needsConsent: { args: config.args, envNames: ['NAME'], cwd: world.dataDir } });
    const asked = added.status.state === 'off' ? added.status.needsConsent : undefined;
    expect(asked?.command).toMatch(/^\/.*\/node$/);

    await expect(world.servers.consent(added.id, 'another', true)).rejects.toMatchObject({ failure: { code: 'wrongHash' } });
    expect(existsSync(mark)).toBe(false);
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    expect(readFileSync(mark, 'utf8')).toContain('x');
    const runs = readFileSync(mark, 'utf8').length;

    const changed = await world.servers.update(added.id, { configJson: JSON.stringify({ ...config, args: [...config.args, 'more'] }) });
    expect(changed.status).toMatchObject({ state: 'off', needsConsent: { args: [...config.args, 'more'] } });
    await world.servers.settled();
    expect(readFileSync(mark, 'utf8')).toHaveLength(runs);
  });

  test('a no switches the server off, and is kept', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('e', everything);
    await world.servers.consent(added.id, hashOf(added), false);
    expect(world.named('e')).toMatchObject({ enabled: false, status: { state: 'off' } });
    expect(world.entry('e')).toMatchObject({ disabled: true });
    await world.servers.setEnabled(added.id, true);
    expect(hashOf(world.named('e'))).toBe(hashOf(added));
  });

  test('renaming and switching off and on do not ask again', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('e', everything);
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    expect(world.named('e').status.state).toBe('ready');
    await world.servers.update(added.id, { name: 'Übung' });
    expect(world.servers.tools().every((tool) => tool.serverName === 'Übung')).toBe(true);
    await world.servers.setEnabled(added.id, false);
    expect(world.servers.tools()).toEqual([]);
    expect(await world.call(added, 'echo', { message: 'x' })).toMatchObject({ kind: 'unavailable' });
    await world.servers.setEnabled(added.id, true);
    // The tools of the last time are known at once; a call waits for the start under way.
    expect(world.named('Übung').status.state).toBe('starting');
    expect(world.servers.tools().map((tool) => tool.name)).toContain('echo');
    expect(await world.call(added, 'echo', { message: '你好' })).toMatchObject({ kind: 'result', content: [{ text: 'Echo: 你好' }] });
  });

  test('the tools kept from the last time belong to the configuration that offered them', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('e', everything);
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    const changed = await world.servers.update(added.id, { configJson: JSON.stringify({ ...everything, env: { OTHER: '1' } }) });
    expect(changed.counts).toBeUndefined();
    expect(world.servers.tools()).toEqual([]);
    expect(world.servers.details(added.id).tools).toEqual([]);
  });
});

describe('ids', () => {
  test('an entry without, with an unknown or with a copied id gets a new one and inherits nothing', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('mine', everything);
    await world.servers.consent(added.id, hashOf(added), true);
    const mine = world.entry('mine');
    world.write(
      fileOf({
        copy: { ...mine, command: 'evil' },
        mine,
        none: { command: 'a' },
        unknown: { command: 'b', id: 'made-up' },
      }),
    );
    await world.servers.reload();
    expect(world.named('mine').id).toBe(added.id);
    const others = ['copy', 'none', 'unknown'].map((name) => world.named(name));
    expect(new Set([added.id, ...others.map((server) => server.id)]).size).toBe(4);
    expect(others.map((server) => server.id)).not.toContain('made-up');
    for (const server of others) expect(server.status).toMatchObject({ state: 'off', needsConsent: {} });
    for (const server of others) expect(world.entry(server.name)).toMatchObject({ id: server.id });
  });

  test('a command changed by hand under a known id asks again', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('mine', everything);
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    world.write(world.file().replace('"stdio"', '"stdio", "--other"'));
    await world.servers.reload();
    expect(world.named('mine')).toMatchObject({
      id: added.id,
      status: { state: 'off', needsConsent: { args: [...everything.args, '--other'] } },
    });
    expect(world.servers.tools()).toEqual([]);
  });

  test('a name in use gets a suffix', async () => {
    const world = await openWorld();
    await world.servers.add('github', { command: 'a' });
    const second = await world.servers.add(' GitHub ', { command: 'b' });
    expect(second.name).toBe('GitHub 2');
    expect((await world.servers.update(second.id, { name: 'github' })).name).toBe('github 2');
  });
});

describe('servers.json that is broken', () => {
  test('is kept, shown with its place, and refuses every change until it is mended; what runs runs on', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('e', everything);
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    const good = world.file();
    const broken = `${good}{"mcpServers":{}}`;
    world.write(broken);
    await world.servers.reload();
    const line = good.split('\n').length;
    expect(world.servers.fileProblem()).toMatchObject({ path: join(world.dataDir, 'servers.json'), at: { line, column: 1 } });
    expect(world.problems.at(-1)).toEqual(world.servers.fileProblem());
    const refused = { failure: { code: 'configurationUnreadable', at: { line, column: 1 } } };
    await expect(world.servers.add('x', { command: 'x' })).rejects.toMatchObject(refused);
    await expect(world.servers.remove(added.id)).rejects.toMatchObject(refused);
    await expect(world.servers.setEnabled(added.id, false)).rejects.toMatchObject(refused);
    expect(world.file()).toBe(broken);
    expect(await world.call(added, 'echo', { message: 'still here' })).toMatchObject({ kind: 'result' });

    world.write(good);
    await world.servers.reload();
    expect(world.servers.fileProblem()).toBeUndefined();
    await world.servers.setEnabled(added.id, false);
    expect(world.entry('e')).toMatchObject({ disabled: true });
  });

  test('is found broken at the start, and by a change that nobody announced', async () => {
    const world = await openWorld({ text: '{"mcpServers": }' });
    expect(world.servers.list()).toEqual([]);
    expect(world.servers.fileProblem()).toMatchObject({ at: { line: 1, column: 16 } });
    world.write('{}');
    await world.servers.reload();
    world.write('{');
    await expect(world.servers.add('x', { command: 'x' })).rejects.toMatchObject({ failure: { code: 'configurationUnreadable' } });
    expect(world.servers.fileProblem()).toMatchObject({ at: { line: 1, column: 2 } });
    expect(world.file()).toBe('{');
  });

  test('an entry that cannot be used is shown with its reason and kept; the others work', async () => {
    const bad = { command: 7, note: 'keep me' };
    const world = await openWorld({ text: fileOf({ bad, nothing: {}, text: 'x', good: everything }) });
    world.servers.startAll();
    for (const name of ['bad', 'nothing', 'text']) {
      expect(world.named(name).status).toMatchObject({ state: 'failed', failure: { code: 'configurationInvalid' } });
    }
    expect(world.named('nothing').status).toMatchObject({ failure: { message: expect.stringContaining('"command"') } });
    expect(world.entry('bad')).toMatchObject(bad);
    const good = world.named('good');
    await world.servers.consent(good.id, hashOf(good), true);
    await world.servers.settled();
    expect(world.named('good').status.state).toBe('ready');
  });

  test('changes made by hand meanwhile are kept by a change made here', async () => {
    const world = await openWorld();
    const added = await world.servers.add('a', { command: 'x' });
    world.write(world.file().replace('"a": {', '// by hand\n    "renamed": {\n      "extra": true,'));
    await world.servers.setEnabled(added.id, false);
    expect(world.file()).toContain('// by hand');
    expect(world.named('renamed')).toMatchObject({ id: added.id, enabled: false });
  });
});

describe('a server that cannot run says why', () => {
  const failed = async (config: Record<string, unknown>): Promise<Server> => {
    const world = await openWorld({ text: fileOf({ s: config }) });
    world.servers.startAll();
    await world.servers.consent(world.named('s').id, hashOf(world.named('s')), true);
    await world.servers.settled();
    return world.named('s');
  };

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a command that is not there', { command: 'no-such-program-here' }, 'commandNotFound', /no-such-program-here/],
    [
      'a program that exits at once',
      { command: process.execPath, args: ['-e', 'console.error("no database"); process.exit(3)'] },
      'exitedAtStart',
      /./,
    ],
    ['a working folder that is not there', { ...everything, cwd: '/no/such/folder' }, 'configurationInvalid', /\/no\/such\/folder/],
    [
      'a secret that is not set',
      { ...everything, env: { A: '${secret:GITHUB_TOKEN}' } },
      'configurationInvalid',
      /secret GITHUB_TOKEN is not set/,
    ],
    ['a variable that is not set', { ...everything, args: ['${env:NOT_SET_ANYWHERE}'] }, 'configurationInvalid', /NOT_SET_ANYWHERE/],
    ['folders that are gone', { bundled: 'files', folders: ['/gone/1', '/gone/2'] }, 'configurationInvalid', /\/gone\/1, \/gone\/2/],
    ['an address that is none', { url: 'file:///etc/passwd' }, 'configurationInvalid', /https:\/\//],
    ['a header with a line break', { url: 'http://127.0.0.1:9/', headers: { 'X-A': 'a\nb' } }, 'configurationInvalid', /header X-A/],
  ])('%s', async (_what, config, code, words) => {
    expect((await failed(config)).status).toMatchObject({ state: 'failed', failure: { code, message: expect.stringMatching(words) } });
  });

  test('the last words of a program that exits are one click away', async () => {
    const server = await failed({ command: process.execPath, args: ['-e', 'console.error("no database"); process.exit(3)'] });
    expect(server.status).toMatchObject({ failure: { detail: expect.stringContaining('no database') } });
  });
});

describe('secrets', () => {
  const value = 'sk-live-1234567890';
  const backups = (world: World): string[] =>
    readdirSync(join(world.dataDir, 'backups')).map((name) => readFileSync(join(world.dataDir, 'backups', name), 'utf8'));
  const printer = (expression: string) => ({
    command: process.execPath,
    args: ['-e', `require('fs').writeFileSync(process.env.OUT, String(${expression})); process.exit(1)`],
  });

  test('plain ones of a new server go to the secret store; the file, its backups and the details hold references', async () => {
    const world = await openWorld();
    const out = join(world.dataDir, 'out.txt');
    world.servers.startAll();
    const config = printer('process.env.API_KEY');
    const added = await world.servers.add('s', { ...config, env: { API_KEY: value, OUT: out } });
    expect(world.entry('s')).toMatchObject({ env: { API_KEY: '${secret:API_KEY}', OUT: out } });
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    expect(readFileSync(out, 'utf8')).toBe(value);
    await world.servers.update(added.id, { name: 't' });
    const details = world.servers.details(added.id);
    expect(details.secrets).toEqual([{ name: 'API_KEY', isSet: true }]);
    expect(JSON.stringify([details, world.servers.list(), world.changes])).not.toContain(value);
    expect(backups(world).join()).not.toContain(value);
    await world.servers.remove(added.id);
    expect(world.secrets.has(`server:${added.id}`, 'API_KEY')).toBe('missing');
    expect(getConsent(world.db, added.id)).toBeUndefined();
  });

  test('plain ones written into the file by hand move to the keychain', async () => {
    const text = fileOf({ s: { url: 'http://127.0.0.1:9/', headers: { Authorization: `Bearer ${value}` }, disabled: true } });
    const world = await openWorld({ text });
    await expect.poll(() => world.file()).not.toContain(value);
    const { id } = world.named('s');
    expect(world.entry('s')).toEqual({
      url: 'http://127.0.0.1:9/',
      headers: { Authorization: '${secret:AUTHORIZATION}' },
      disabled: true,
      id,
    });
    expect(await world.secrets.get(`server:${id}`, 'AUTHORIZATION')).toBe(`Bearer ${value}`);
    expect(backups(world).length).toBeGreaterThan(0);
    expect(backups(world).join()).not.toContain(value);
  });

  test('without a keychain they stay where their owner put them, work, and are not shown', async () => {
    const dataDir = folderOfPeople();
    const out = join(dataDir, 'out.txt');
    const text = fileOf({ s: { ...printer('process.env.API_KEY'), env: { API_KEY: value, OUT: out } } });
    const world = await openWorld({ text, dataDir, keys: keychain(true) });
    await world.secrets.ready;
    world.servers.startAll();
    const server = world.named('s');
    await world.servers.consent(server.id, hashOf(server), true);
    await world.servers.settled();
    expect(readFileSync(out, 'utf8')).toBe(value);
    expect(world.file()).toContain(value);
    const details = world.servers.details(server.id);
    expect(JSON.stringify(details)).not.toContain(value);
    expect(details.warnings.join()).toContain('API_KEY');
  });

  test('a secret that is set later starts what waited for it', async () => {
    const world = await openWorld({ text: fileOf({ e: { ...everything, env: { T: '${secret:T}' } } }) });
    world.servers.startAll();
    const server = world.named('e');
    await world.servers.consent(server.id, hashOf(server), true);
    await world.servers.settled();
    expect(world.named('e').status.state).toBe('failed');
    await world.secrets.set(`server:${server.id}`, 'T', value);
    await world.servers.secretsChanged(server.id);
    await world.servers.settled();
    expect(world.named('e').status.state).toBe('ready');
  });

  test('what the host was started with does not reach a server', async () => {
    const dataDir = folderOfPeople();
    const out = join(dataDir, 'out.json');
    const text = fileOf({
      s: { ...printer('JSON.stringify(process.env)'), env: { OUT: out, LISTED: 'yes', MAITRE_KEY_OPENAI: 'listed' } },
    });
    const env = { ...process.env, MAITRE_KEY_OPENAI: value, OPENAI_API_KEY: value, NODE_OPTIONS: '--no-warnings' };
    const world = await openWorld({ text, dataDir, deps: { env } });
    world.servers.startAll();
    await world.servers.consent(world.named('s').id, hashOf(world.named('s')), true);
    await world.servers.settled();
    const seen = JSON.parse(readFileSync(out, 'utf8'));
    expect(seen).toMatchObject({ LISTED: 'yes', PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PATH: process.env['PATH'] });
    expect(JSON.stringify(seen)).not.toContain(value);
    expect(Object.keys(seen).filter((name) => name.startsWith('MAITRE_') || name === 'NODE_OPTIONS')).toEqual([]);
  });
});

describe('a file named on the command line', () => {
  const place = (mcpServers: Record<string, unknown>): { dir: string; path: string } => {
    const dir = folderOfPeople();
    const path = join(dir, 'my servers.json');
    writeFileSync(path, fileOf(mcpServers));
    return { dir, path };
  };

  test('is consent to start its servers, is never written, and gives the same ids every time, through links too', async () => {
    const { dir, path } = place({ e: everything, off: { ...everything, disabled: true } });
    const before = readFileSync(path, 'utf8');
    const world = await openWorld({ deps: { serversFile: path } });
    world.servers.startAll();
    await world.servers.settled();
    expect(world.named('e').status.state).toBe('ready');
    expect(world.named('off').status).toEqual({ state: 'off' });
    const ids = world.servers.list().map((server) => server.id);
    await expect(world.servers.add('x', { command: 'x' })).rejects.toMatchObject({ failure: { code: 'unsupported' } });
    await expect(world.servers.remove(world.named('e').id)).rejects.toMatchObject({ failure: { code: 'unsupported' } });
    symlinkSync(path, join(dir, 'link.json'));
    const later = await world.reopened({ serversFile: join(dir, 'link.json') });
    expect(later.servers.list().map((server) => server.id)).toEqual(ids);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(existsSync(join(world.dataDir, 'servers.json'))).toBe(false);
  });

  test('that cannot be read is refused with its place', async () => {
    const { path } = place({});
    writeFileSync(path, '{"mcpServers":{}}{');
    await expect(openWorld({ deps: { serversFile: path } })).rejects.toMatchObject({
      failure: { code: 'configurationUnreadable', at: { line: 1, column: 18 } },
    });
    writeFileSync(path, '{"servers":{"a":{"command":"x"}}}');
    await expect(openWorld({ deps: { serversFile: path } })).rejects.toThrow(/holds no "mcpServers"/);
    await expect(openWorld({ deps: { serversFile: `${path}.none` } })).rejects.toMatchObject({
      failure: { code: 'configurationUnreadable' },
    });
  });
});

describe('remote servers', () => {
  test('ask before they are connected to, and say what is wrong', async () => {
    const closed = createServer();
    const port = await new Promise<number>((resolve) => closed.listen(0, '127.0.0.1', () => resolve(Object(closed.address()).port)));
    await new Promise((resolve) => closed.close(resolve));
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.add('r', { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer x' } });
    expect(added).toMatchObject({
      kind: 'remote',
      status: { needsConsent: { url: `http://127.0.0.1:${port}/mcp`, envNames: ['Authorization'] } },
    });
    await world.servers.consent(added.id, hashOf(added), true);
    await world.servers.settled();
    expect(world.named('r').status).toMatchObject({ state: 'failed', failure: { code: 'connectionRefused' } });
  });

  test('an address whose traffic anybody can read is warned of', async () => {
    const world = await openWorld({ text: fileOf({ r: { url: 'http://192.168.1.10/mcp' }, l: { url: 'http://localhost:3000/mcp' } }) });
    expect(world.servers.details(world.named('r').id).warnings).toHaveLength(1);
    expect(world.servers.details(world.named('l').id).warnings).toEqual([]);
  });
});

describe('processes', () => {
  const pids = (world: World): number[] => world.db.prepare<[], number>('SELECT pid FROM processes').pluck().all();

  test('are recorded while they live and forgotten when they end; removing a server ends its process', async () => {
    const world = await openWorld();
    world.servers.startAll();
    const added = await world.servers.addBundled('everything', []);
    await world.servers.settled();
    await world.servers.addBundled('memory', []);
    await world.servers.settled();
    await expect.poll(() => pids(world)).toHaveLength(2);
    const running = pids(world);
    expect(running.every(alive)).toBe(true);
    await world.servers.remove(added.id);
    expect(running.filter(alive)).toHaveLength(1);
    expect(world.removed).toEqual([added.id]);
    expect(world.servers.list().map((server) => server.name)).toEqual(['Memory']);
    await world.servers.close();
    expect(running.filter(alive)).toEqual([]);
    expect(pids(world)).toEqual([]);
  });

  test('a silent server does not hold up the others', async () => {
    const text = fileOf({
      silent: { command: process.execPath, args: ['-e', 'process.stdin.resume(); setInterval(() => {}, 1e6)'] },
      e: everything,
    });
    const world = await openWorld({ text });
    for (const server of world.servers.list()) await world.servers.consent(server.id, hashOf(server), true);
    world.servers.startAll();
    await world.when(() => world.named('e').status.state === 'ready');
    expect(world.named('silent').status.state).toBe('starting');
    const stop = new AbortController();
    const waiting = world.call(world.named('silent'), 'any', {}, stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ kind: 'cancelled' });
  });
});

test('a host that has no servers yet writes no file', async () => {
  const world = await openWorld();
  expect(world.servers.list()).toEqual([]);
  expect(world.servers.tools()).toEqual([]);
  expect(existsSync(join(world.dataDir, 'servers.json'))).toBe(false);
});
