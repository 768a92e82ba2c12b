/** The command line as a person runs it: a process of its own, the real host, real servers. */
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHost } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { aboutBundle } from '../doubles/bundleHost.ts';

type Line = Record<string, unknown>;
const main = fileURLToPath(new URL('../../main/cli/main.ts', import.meta.url));
const cloudAtHome = fileURLToPath(new URL('../doubles/cloudAtHome.ts', import.meta.url));
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let dir: string;
let servers: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'cli-'));
  servers = await write('servers.json', {
    mcpServers: {
      everything: { command: process.execPath, args: [everything, 'stdio'] },
      broken: { command: process.execPath, args: ['-e', 'console.error("no key set"); process.exit(3)'] },
    },
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, value: unknown): Promise<string> {
  const file = path.join(dir, name);
  await writeFile(file, JSON.stringify(value));
  return file;
}

/** Runs the command line; every line of its output must be JSON. */
const cli = (...args: string[]) => cliWith({}, [main, ...args]);

/** The same with more in the environment; `args` are those of Node. */
function cliWith(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ code: number | null; lines: Line[]; result: Line; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      const lines = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Line => JSON.parse(line));
      const result = lines.at(-1);
      if (result === undefined) reject(new Error(`No line came.\n${stderr}`));
      else resolve({ code, lines, result, stderr });
    });
  });
}

const echo = (message: string) => ({ tool: 'everything.echo', arguments: { message } });

test('no line holds a character that the terminal obeys, and each is read back as it was', { timeout: 60_000 }, () => {
  const said = 'x\u009b2J\u009d52;c;aGk=\u009c\u202egpj.\u2066\u2028\u007f';
  const { stdout } = spawnSync(process.execPath, [main, said], { encoding: 'utf8' });
  expect(stdout).toMatch(/^[\n\x20-\x7e“”]+$/);
  expect(JSON.parse(stdout).error.message).toContain(said);
});

test('help is the usage as text, and every command of docs/cli.md is in it', { timeout: 60_000 }, () => {
  const { stdout, status } = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  expect(status).toBe(0);
  const documented = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8').split('```')[1] ?? '';
  const written = documented.match(/npm run .*/g)?.map((line) => line.replace(/ +/g, ' ')) ?? [];
  expect(written.length).toBeGreaterThan(5);
  expect(stdout.match(/npm run .*/g)).toEqual(written);
});

describe('run', { timeout: 60_000 }, () => {
  test('denies what no answer lists, tells the model so, and ends with its last words', async () => {
    const script = await write('script.json', { steps: [{ text: 'Calling.', calls: [echo('one')] }, { text: 'Done.' }] });
    const ran = await cli(
      'run',
      '--data',
      path.join(dir, 'deny'),
      '--servers',
      servers,
      '--model',
      `scripted:${script}`,
      '--trace-model',
      'Go',
    );
    expect(ran.result).toEqual({ type: 'result', status: 'done', text: 'Done.' });
    expect(ran.code).toBe(0);
    const requests = ran.lines.filter((line) => line['type'] === 'modelRequest');
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[0])).toContain('echo');
    expect(JSON.stringify(requests[1]?.['messages'])).toMatch(/denied/i);
    const topics = new Set(ran.lines.map((line) => line['topic']).filter((topic) => topic !== undefined));
    expect([...topics]).toEqual(expect.arrayContaining(['conversation', 'approvals', 'history']));
    expect(JSON.stringify(ran.lines)).not.toContain('"state":"succeeded"');
  });

  test('allows what an answer lists', async () => {
    const script = await write('script2.json', { steps: [{ calls: [echo('two')] }, { text: 'Done.' }] });
    const answers = await write('answers.json', [{ server: 'everything', tool: 'echo', decision: 'allow' }]);
    const ran = await cli(
      ...['run', '--data', path.join(dir, 'allow'), '--servers', servers, '--model', `scripted:${script}`],
      ...['--answers', answers, '--trace-model', 'Go'],
    );
    expect(ran.result).toMatchObject({ status: 'done', text: 'Done.' });
    expect(JSON.stringify(ran.lines.filter((line) => line['type'] === 'modelRequest').at(-1))).toContain('Echo: two');
  });

  test('leaves private keys out of what goes to a cloud model, says so masked, and prints the key nowhere but in the chat it stands in', async () => {
    const provider = await startProviderServer();
    onTestFinished(() => provider.close());
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    /** Whatever else is masked or cut: these letters are the key. */
    const heart = key.split('\n')[1]?.slice(4, 40) ?? '';
    const folder = path.join(dir, 'keys');
    await mkdir(folder);
    const file = path.join(folder, 'deploy.txt');
    await writeFile(file, `The key of the server:\n${key}Keep it.\n`);
    const filesystem = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
    const files = await write('files.json', { mcpServers: { files: { command: process.execPath, args: [filesystem, folder] } } });
    const answers = await write('filesAnswers.json', [{ server: 'files', tool: 'read_text_file', decision: 'allow' }]);
    const argumentsText = JSON.stringify({ path: file });
    provider.queue.push({ parts: [{ call: { id: 'call-1', name: 'files__read_text_file', argumentsText } }] });
    provider.queue.push({ parts: [{ text: 'I have read it.' }] });
    const ran = await cliWith({ MAITRE_KEY_ANTHROPIC: 'key-1234567890', DOUBLE_OF_ANTHROPIC: provider.url }, [
      ...['--import', pathToFileURL(cloudAtHome).href, main, 'run', '--data', path.join(dir, 'leftOut'), '--servers', files],
      ...['--answers', answers, '--model', 'anthropic/claude-sonnet-4-5', '--trace-model', 'Read the note.'],
    ]);
    expect(ran.result).toEqual({ type: 'result', status: 'done', text: 'I have read it.' });
    const bodies = provider.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('[private key left out by the user]');
    expect(bodies.join()).not.toContain(heart);
    expect(ran.lines.filter((line) => line['type'] === 'leftOut')).toEqual([
      {
        type: 'leftOut',
        model: { ref: 'anthropic/claude-sonnet-4-5', provider: 'Anthropic' },
        findings: [
          { kind: 'private key', lines: 3, where: 'result', tool: 'read_text_file of files', preview: expect.stringContaining('••••') },
        ],
      },
    ]);
    const apartFromChat = ran.lines.filter((line) => line['topic'] !== 'conversation');
    expect(apartFromChat.filter((line) => line['type'] === 'modelRequest')).toHaveLength(2);
    expect(JSON.stringify(apartFromChat)).not.toContain(heart);
    expect(ran.stderr).not.toContain(heart);
  });

  test('waits out the tries of a model that nobody answers for, and says so', async () => {
    const ran = await cli('run', '--data', path.join(dir, 'offline'), '--model', 'compatible:http://127.0.0.1:9#none', 'Hello');
    expect(ran.result).toMatchObject({ type: 'result', status: 'failed', error: { message: expect.stringContaining('127.0.0.1') } });
    expect(ran.code).toBe(1);
  });

  test('says in a sentence that another host has the data folder', async () => {
    const dataDir = path.join(dir, 'taken');
    const host = await createHost(nodePorts({ dataDir, env: {} }), { shell: 'test', version: '0' });
    const ran = await cli('run', '--data', dataDir, '--model', 'demo', 'Hello');
    expect(ran.code).toBe(3);
    expect(ran.result).toMatchObject({ type: 'result', status: 'error', error: { code: 'dataFolderInUse' } });
    await host.close();
  });

  test('is stopped by Ctrl+C while a server is silent, and says so', async () => {
    const silent = await write('silent.json', {
      mcpServers: { silent: { command: process.execPath, args: ['-e', 'process.stdin.resume(); console.error("started")'] } },
    });
    const dataDir = path.join(dir, 'stopped');
    const child = spawn(process.execPath, [main, 'run', '--data', dataDir, '--servers', silent, '--model', 'demo', 'Hello'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', resolve));
    await expect.poll(() => existsSync(path.join(dataDir, 'lock.json'))).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'result', status: 'stopped' });
  });

  test('starts nothing when the usage is wrong', async () => {
    const ran = await cli('run', '--model', 'demo', '--answers', await write('bad.json', [{ server: 'a' }]), 'Hello');
    expect(ran.code).toBe(2);
    expect(ran.lines).toHaveLength(1);
    expect(ran.result).toMatchObject({ status: 'error', error: { code: 'invalidInput' } });
  });
});

describe('servers and tools', { timeout: 60_000 }, () => {
  test('list every server with its state, one that fails beside one that works, under ids that stay', async () => {
    const dataDir = path.join(dir, 'list');
    const first = await cli('servers', '--data', dataDir, '--servers', servers);
    expect(first.code).toBe(0);
    const by = (name: string, lines: Line[]): Line => lines.find((line) => line['name'] === name) ?? {};
    expect(by('everything', first.lines)).toMatchObject({
      type: 'server',
      state: 'ready',
      era: 'legacy',
      protocolVersion: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      counts: { tools: expect.any(Number) },
      error: null,
    });
    expect(by('broken', first.lines)).toMatchObject({ type: 'server', state: 'failed', error: { message: expect.any(String) } });
    expect(first.result).toEqual({ type: 'result', status: 'done', servers: 2 });
    const second = await cli('tools', '--data', dataDir, '--servers', servers);
    expect(second.lines).toContainEqual(expect.objectContaining({ type: 'tool', server: 'everything', name: 'echo' }));
    expect(second.lines.find((line) => line['type'] === 'tool')?.['serverId']).toBe(by('everything', first.lines)['id']);
  });
});

describe('call', { timeout: 60_000 }, () => {
  const call = (...more: string[]) =>
    cli('call', '--data', path.join(dir, 'call'), '--servers', servers, 'everything', 'echo', '{"message":"hi there"}', ...more);

  test('is denied without --allow', async () => {
    const ran = await call();
    expect(ran.result).toMatchObject({ type: 'result', status: 'denied' });
    expect(ran.code).toBe(1);
  });

  test('gives the result with --allow', async () => {
    const ran = await call('--allow');
    expect(ran.result).toMatchObject({ type: 'result', status: 'succeeded' });
    expect(JSON.stringify(ran.result['content'])).toContain('Echo: hi there');
    expect(ran.code).toBe(0);
  });

  test('to an unknown server names those there are', async () => {
    const ran = await cli('call', '--data', path.join(dir, 'call2'), '--servers', servers, 'nobody', 'echo', '{}');
    expect(ran.result).toMatchObject({ status: 'error', error: { code: 'notFound', message: expect.stringContaining('everything') } });
    expect(ran.code).toBe(3);
  });

  test('to a server that did not start, or to a tool that it does not have, says just that', async () => {
    const data = ['--data', path.join(dir, 'call3'), '--servers', servers];
    expect(await cli('call', ...data, 'broken', 'echo', '{}', '--allow')).toMatchObject({
      code: 3,
      result: { status: 'error', error: { code: 'serverUnavailable', detail: expect.stringContaining('no key set') } },
    });
    expect(await cli('call', ...data, 'everything', 'ecco', '{}', '--allow')).toMatchObject({
      code: 3,
      result: { status: 'error', error: { code: 'notFound', message: expect.stringMatching(/no tool “ecco”.*echo/) } },
    });
  });
});

const hasKeyring = spawnSync('sh', ['-c', 'command -v dbus-run-session && command -v gnome-keyring-daemon']).status === 0;

describe('audit', { timeout: 60_000 }, () => {
  test('checks and prints the log beside a host that runs, and names the row that was changed', async () => {
    const dataDir = path.join(dir, 'audit');
    await cli('call', '--data', dataDir, '--servers', servers, 'everything', 'echo', '{"message":"canary-in-the-arguments"}', '--allow');
    const host = await createHost(nodePorts({ dataDir, env: {} }), { shell: 'test', version: '0' });
    const exported = await cli('audit', '--data', dataDir, '--export');
    expect(exported.code).toBe(0);
    const rows = exported.lines.filter((line) => line['type'] === 'row');
    expect(exported.result).toEqual({ type: 'result', status: 'done', rows: rows.length });
    expect(rows.map((row) => row['seq'])).toEqual(rows.map((_, index) => index + 1));
    const calls = rows.filter((row) => String(row['kind']).startsWith('call.'));
    expect(calls.map(({ kind, tool, outcome }) => [kind, tool, outcome])).toEqual([
      ['call.answered', 'echo', 'allowed'],
      ['call.ended', 'echo', 'succeeded'],
    ]);
    expect(JSON.stringify(exported.lines)).not.toContain('canary');
    // No keychain answers in this process tree: that is said, and is no success.
    const unchecked = await cli('audit', '--data', dataDir, '--verify');
    expect(unchecked.result).toMatchObject({ status: 'unchecked', code: 'noKeychain', rows: rows.length });
    expect(unchecked.code).toBe(4);
    await host.close();

    const db = new Database(path.join(dataDir, 'maitre.db'));
    db.exec("DROP TRIGGER audit_stays; UPDATE audit SET outcome = 'denied' WHERE seq = 1");
    db.close();
    const broken = await cli('audit', '--data', dataDir, '--verify');
    expect(broken.result).toMatchObject({ status: 'broken', code: 'changed', seq: 1, text: 'Row 1 was changed or moved.' });
    expect(broken.code).toBe(1);
  });

  test.runIf(hasKeyring)('with the keychain of the system the log is whole after each start, and a row cut off its end is missed', () => {
    const dataDir = path.join(dir, 'kept');
    const cut = `const db = new (require('better-sqlite3'))(process.argv[1] + '/maitre.db');
      db.exec('DROP TRIGGER audit_only_grows; DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)')`;
    // The unlocking password comes on stdin; the keyring lives in a home of its own.
    const script = `echo pass | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      run() { "$node" "$main" "$@" | tail -n 1; }
      node=$1 main=$2 data=$3 servers=$4
      run call --data "$data" --servers "$servers" everything echo '{"message":"one"}' --allow
      run call --data "$data" --servers "$servers" everything echo '{"message":"two"}' --allow
      run audit --data "$data" --verify
      "$node" -e "$5" "$data"
      run audit --data "$data" --verify`;
    const ran = spawnSync('dbus-run-session', ['--', 'sh', '-c', script, 'sh', process.execPath, main, dataDir, servers, cut], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: dir, XDG_RUNTIME_DIR: dir, XDG_DATA_HOME: path.join(dir, 'share') },
    });
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line));
    const rows = Number(lines[2]?.['rows']);
    expect(lines).toMatchObject([
      { status: 'succeeded' },
      { status: 'succeeded' },
      { status: 'intact', rows },
      { status: 'broken', code: 'truncated', seq: rows, to: rows, rows: rows - 1 },
    ]);
    expect(rows).toBeGreaterThanOrEqual(4);
  });

  test('says that a folder holds nothing yet, and makes none', async () => {
    const dataDir = path.join(dir, 'nothing');
    const ran = await cli('audit', '--data', dataDir, '--verify');
    expect(ran.code).toBe(3);
    expect(ran.result).toMatchObject({ status: 'error', error: { code: 'notFound' } });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('wants to know what to do with the log', async () => {
    expect((await cli('audit', '--verify', '--export')).code).toBe(2);
  });
});

describe('install', { timeout: 60_000 }, () => {
  const bundle = async (version: string): Promise<string> => {
    const file = path.join(dir, `notes-${version}.mcpb`);
    const user_config = { name: { type: 'string', title: 'Name', description: '', required: true } };
    await writeFile(file, await aboutBundle({ version, user_config }, { env: { NAME: '${user_config.name}' } }));
    return file;
  };

  test('adds the server of a bundle with its settings, brings it up to date, and starts nothing', async () => {
    const data = ['--data', path.join(dir, 'install')];
    const first = await bundle('1.0.0');
    expect((await cli('install', ...data, first)).result).toMatchObject({
      status: 'error',
      error: {
        code: 'invalidInput',
        message: expect.stringContaining('--values names (name)'),
        fields: [{ name: 'name', message: expect.stringContaining('needed') }],
      },
    });
    const values = await write('values.json', { name: 'Ada' });
    const added = await cli('install', ...data, '--values', values, first);
    expect(added).toMatchObject({
      code: 0,
      lines: [{ type: 'bundle', summary: { name: 'notes', version: '1.0.0', signature: 'unsigned' }, start: { command: 'node' } }, {}],
      result: { status: 'done', name: 'notes', version: '1.0.0', updated: false, needsConsent: true },
    });
    const { result } = await cli('install', ...data, await bundle('1.1.0'));
    expect(result).toMatchObject({
      status: 'done',
      serverId: added.result['serverId'],
      version: '1.1.0',
      updated: true,
      needsConsent: true,
    });
    const listed = await cli('servers', ...data);
    expect(listed.lines[0]).toMatchObject({ name: 'notes', state: 'off', needsConsent: true });
  });

  test('says what is wrong with a file that is no bundle, and with values that are no object', async () => {
    const data = ['--data', path.join(dir, 'install-wrong')];
    const file = await write('no-bundle.mcpb', {});
    expect((await cli('install', ...data, file)).result).toMatchObject({ error: { message: expect.stringContaining('no ZIP archive') } });
    const wrong = await write('wrong.json', ['x']);
    expect((await cli('install', ...data, '--values', wrong, file)).result).toMatchObject({
      error: { message: expect.stringContaining('--values') },
    });
    expect(await cli('install', ...data, path.join(dir, 'nowhere.mcpb'))).toMatchObject({
      code: 2,
      result: { error: { code: 'invalidInput' } },
    });
  });
});
