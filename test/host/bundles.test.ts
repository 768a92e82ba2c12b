import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServerId } from '../../preload/contract/ids.ts';
import { about, aboutBundle, agree, consentOf, install, open, refusedToOpen, serverOf, upload } from '../doubles/bundleHost.ts';
import { bundleOf, signed } from '../doubles/bundleFile.ts';
import { selfSigned, vouchedFor } from '../doubles/certificates.ts';
import { memoryKeychain, tempFolder } from '../doubles/hostParts.ts';
import { startTestHost, type TestHost } from '../doubles/testHost.ts';

const string = { type: 'string', title: 'A', description: 'a' };
const fileOf = (host: TestHost) => readFileSync(path.join(host.dataDir, 'servers.json'), 'utf8');
const entryOf = (host: TestHost) => Object.values(JSON.parse(fileOf(host)).mcpServers)[0] as Record<string, never>;
const placesOf = (host: TestHost, id: ServerId) => readdirSync(path.join(host.dataDir, 'bundles', id)).filter((name) => name !== 'data');
const folderOf = (host: TestHost, id: ServerId) => path.join(host.dataDir, 'bundles', id, placesOf(host, id)[0] ?? 'none');
const everything = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** A server in Python, in two files. */
const python = {
  module: `
import json, sys
def answer(message, result):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    sys.stdout.flush()
`,
  main: `
import json, sys
from answer import answer
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        info = {"name": "py", "version": "1"}
        answer(message, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info})
    elif message.get("method") == "tools/list":
        answer(message, {"tools": []})
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
`,
};

describe('Opening a bundle', () => {
  test('shows who made it and what it would run, and leaves nothing that runs, in no list', async () => {
    const host = await startTestHost();
    const user_config = { folder: { type: 'directory', title: 'Folder', description: 'Where', required: true } };
    const bytes = await aboutBundle(
      { display_name: 'Notes of all', user_config, license: 'MIT', extra: 1 },
      { args: ['${__dirname}/server/index.ts', '${user_config.folder}', '--\u202eexe', 'x'.repeat(5000)], env: { A: '1' } },
    );
    const proposal = await open(host, bytes);
    expect(proposal).toMatchObject({
      summary: { name: 'notes', version: '1.0.0', signature: 'unsigned' },
      title: 'Notes of all',
      author: 'Ada',
      license: 'MIT',
      type: 'node',
      files: 3,
      start: { command: 'node', envNames: ['A'], folder: expect.stringContaining('bundles') },
      fields: [{ key: 'folder', type: 'directory', required: true }],
      warnings: [expect.stringContaining('extra')],
    });
    expect(proposal.start.args).toEqual([
      path.join(proposal.start.folder, 'server/index.ts'),
      '${user_config.folder}',
      '--\u202eexe',
      'x'.repeat(5000),
    ]);
    expect(existsSync(proposal.start.folder)).toBe(false);
    expect((await host.run('server.list', {})).servers).toEqual([]);
  });

  test('gives it a name, and its settings titles, in which nothing is hidden', async () => {
    const host = await startTestHost();
    const user_config = { a: { ...string, title: 'Fol\u200bder\nof \u202enotes' }, b: { ...string, title: '\u200b' } };
    const proposal = await open(host, await aboutBundle({ display_name: 'Fi\u200bles\u202e\n', user_config }));
    expect(proposal).toMatchObject({ title: 'Files', fields: [{ title: 'Folder of notes' }, { title: 'b' }] });
  });

  test('in pieces is put together in order, and a piece that is missing is told', async () => {
    const host = await startTestHost();
    const bytes = await aboutBundle();
    const uploadId = await upload(host, bytes, 700);
    await host.run('bundle.upload', { uploadId, offset: 0, data: bytes.subarray(0, 700).toString('base64') });
    expect(await host.refused('bundle.upload', { uploadId, offset: bytes.length + 1, data: 'AAAA' })).toMatchObject({ code: 'wrongState' });
    expect((await host.run('bundle.open', { uploadId })).proposal.summary.name).toBe('notes');
    expect(await host.refused('bundle.open', { uploadId })).toMatchObject({ code: 'notFound' });
    expect(await host.refused('bundle.upload', { uploadId, offset: 1_000_000_000, data: 'AAAA' })).toMatchObject({ code: 'invalidInput' });
  });

  test.each([
    ['for another system', { compatibility: { platforms: ['plan9'] } }, {}, 'It is made for plan9'],
    ['for another Node', { compatibility: { runtimes: { node: '>=99' } } }, {}, 'needs Node.js >=99'],
    ['that asks for a variable of this computer', {}, { env: { A: '${env:HOME}' } }, 'not its own'],
  ])('%s is refused in words, and leaves nothing behind', async (_what, manifest, config, words) => {
    const host = await startTestHost();
    expect(await refusedToOpen(host, await aboutBundle(manifest, config))).toMatchObject({
      code: 'invalidInput',
      message: expect.stringContaining(words),
    });
    await expect.poll(() => readdirSync(path.join(host.dataDir, 'bundles/staging'))).toEqual([]);
  });

  test('shows who signed it; with a broken signature it is refused', async () => {
    const acme = await vouchedFor('Acme');
    const host = await startTestHost({ bundleRoots: [acme.root] });
    const bytes = signed(await aboutBundle(), acme);
    expect((await open(host, bytes)).summary).toMatchObject({ signature: 'signed', publisher: 'Acme (Acme Inc.)' });
    expect((await open(host, signed(await aboutBundle(), await selfSigned('Ada')))).summary).toMatchObject({
      signature: 'selfSigned',
      publisher: 'Ada',
    });
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    expect(await refusedToOpen(host, bytes)).toMatchObject({ code: 'invalidInput', message: expect.stringContaining('signature') });
  });

  test('that is put aside leaves nothing', async () => {
    const host = await startTestHost();
    const { bundleId } = await open(host, await aboutBundle());
    await host.run('bundle.discard', { bundleId });
    expect(readdirSync(path.join(host.dataDir, 'bundles/staging'))).toEqual([]);
    expect(await host.refused('bundle.install', { bundleId, name: 'x', values: {} })).toMatchObject({ code: 'notFound' });
  });
});

describe('An installed bundle', () => {
  test('starts after consent, on the application’s runtime, in a folder of its own', async () => {
    const host = await startTestHost();
    const server = await install(host, await aboutBundle({}, { args: ['${__dirname}/server/index.ts', 'two words', ''] }));
    const consent = consentOf(server);
    expect(server).toMatchObject({
      kind: 'local',
      summary: 'notes 1.0.0',
      bundle: { name: 'notes', version: '1.0.0', signature: 'unsigned' },
    });
    expect(consent).toMatchObject({
      command: process.execPath,
      args: [path.join(folderOf(host, server.id), 'server/index.ts'), 'two words', ''],
      cwd: path.join(host.dataDir, 'bundles', server.id, 'data'),
      bundle: { version: '1.0.0', signature: 'unsigned' },
    });
    expect(await agree(host, server.id)).toMatchObject({ status: { state: 'ready' } });
    expect(await about(host, server.id)).toMatchObject({
      program: path.join(folderOf(host, server.id), 'server/index.ts'),
      args: ['two words', ''],
      cwd: path.join(host.dataDir, 'bundles', server.id, 'data'),
    });
  });

  test('gets the variables of its manifest in its process, and an optional value that is not set takes its variable along', async () => {
    const host = await startTestHost();
    const user_config = {
      set: string,
      unset: string,
      several: { ...string, multiple: true },
      on: { type: 'boolean', title: 'On', description: '' },
    };
    const env = {
      MY_TEST_ENV: '1',
      SET: '${user_config.set}',
      UNSET: '${user_config.unset}',
      ON: '${user_config.on}',
      FOLDER: '${__dirname}',
    };
    const args = ['${__dirname}/server/index.ts', '${user_config.several}', '${user_config.unset}', '--x=${user_config.unset}', 'end'];
    const server = await install(host, await aboutBundle({ user_config }, { args, env }), { set: 'one', several: ['a', 'b c'], on: false });
    expect(consentOf(server).envNames).toEqual(['MY_TEST_ENV', 'SET', 'ON', 'FOLDER']);
    await agree(host, server.id);
    const told = await about(host, server.id);
    expect(told.env).toMatchObject({ MY_TEST_ENV: '1', SET: 'one', ON: 'false', FOLDER: folderOf(host, server.id) });
    expect(told.env).not.toHaveProperty('UNSET');
    expect(told.args).toEqual(['a', 'b c', 'end']);
  });

  test.skipIf(process.platform === 'win32')('of type binary is run as the program that it is, with its variables', async () => {
    const host = await startTestHost();
    const run = `#!${process.execPath}\nimport('${'./server/index.ts'}');\n`;
    const files = [
      { name: 'run', content: `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/server/index.ts" "$@"\n` },
      { name: 'unused.js', content: run },
    ];
    const server = {
      type: 'binary',
      entry_point: 'run',
      mcp_config: { command: '${__dirname}/run', args: ['x'], env: { MY_TEST_ENV: '1' } },
    };
    const added = await install(host, await aboutBundle({ server }, {}, files));
    expect(await agree(host, added.id)).toMatchObject({ status: { state: 'ready' } });
    expect(await about(host, added.id)).toMatchObject({ args: ['x'], env: { MY_TEST_ENV: '1' } });
  });

  test.skipIf(process.platform === 'win32')(
    'of type uv is given to uv, with its variables and a place for its packages that is no part of it',
    async () => {
      const programs = tempFolder();
      // Stands for uv, which runs the script that it is given in a folder.
      writeFileSync(path.join(programs, 'uv'), `#!/bin/sh\nexec "${process.execPath}" "$4"\n`, { mode: 0o755 });
      const host = await startTestHost({ env: { PATH: `${programs}:${process.env['PATH']}`, HOME: process.env['HOME'] } });
      const mcp_config = {
        command: 'uv',
        args: ['run', '--directory', '${__dirname}', '${__dirname}/server/index.ts'],
        env: { MY_TEST_ENV: '1' },
      };
      const added = await install(
        host,
        await aboutBundle({ manifest_version: '0.4', server: { type: 'uv', entry_point: 'server/index.ts', mcp_config } }),
      );
      expect(await agree(host, added.id)).toMatchObject({ status: { state: 'ready' } });
      expect((await about(host, added.id)).env).toMatchObject({
        MY_TEST_ENV: '1',
        UV_PROJECT_ENVIRONMENT: path.join(host.dataDir, 'bundles', added.id, 'data/venv'),
      });
    },
  );

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'of type python leaves its files as they came, and starts again without a question',
    async () => {
      const host = await startTestHost();
      const server = { type: 'python', entry_point: 'server/main.py' };
      const files = [
        { name: 'server/answer.py', content: python.module },
        { name: 'server/main.py', content: python.main },
      ];
      const { id } = await install(host, await bundleOf({ manifest: { server, compatibility: { runtimes: { python: '>=3.6' } } }, files }));
      expect(await agree(host, id)).toMatchObject({ status: { state: 'ready' } });
      const from = host.events.length;
      await host.run('server.restart', { serverId: id });
      const states = () =>
        host.events
          .slice(from)
          .flatMap((message) =>
            message.topic === 'servers' && message.event.type === 'server.changed' ? [message.event.server.status.state] : [],
          );
      await expect.poll(states).toContain('ready');
      expect(readdirSync(path.join(folderOf(host, id), 'server')).sort()).toEqual(['answer.py', 'main.py']);
    },
  );

  test('keeps what is sensitive in the secret store alone: not in the file, the log, the trace or an event', async () => {
    const host = await startTestHost();
    const user_config = { word: { ...string, sensitive: true, required: true } };
    const bytes = await aboutBundle(
      { user_config },
      { env: { QUIET: '1', KEY_OF_IT: '${user_config.word}', LINE: 'Bearer ${user_config.word}' } },
    );
    const server = await install(host, bytes, { word: 'canary-secret-1' });
    await agree(host, server.id);
    expect(fileOf(host)).toContain('${secret:CONFIG_WORD}');
    expect(everything(host.dataDir)).not.toContain('canary-secret-1');
    const { fields } = await host.run('bundle.configuration', { serverId: server.id });
    expect(fields).toEqual([expect.objectContaining({ key: 'word', isSet: true })]);
    for (const told of [fields, host.events, host.log.lines]) expect(JSON.stringify(told)).not.toContain('canary');
    expect((await about(host, server.id)).env).toEqual(expect.arrayContaining(['KEY_OF_IT', 'LINE']));
  });

  test('is not installed with a required value missing or a wrong one, and says which; then it is', async () => {
    const host = await startTestHost();
    const user_config = { a: { ...string, required: true }, n: { type: 'number', title: 'N', description: '', max: 3 } };
    const { bundleId } = await open(host, await aboutBundle({ user_config }));
    const failure = await host.refused('bundle.install', { bundleId, name: 'Notes', values: { n: 4 } });
    expect(failure).toMatchObject({ code: 'invalidInput', fields: [{ name: 'a' }, { name: 'n' }] });
    expect((await host.run('server.list', {})).servers).toEqual([]);
    const { server } = await host.run('bundle.install', { bundleId, name: 'Notes', values: { n: 3, a: 'x' } });
    expect(server.name).toBe('Notes');
    expect(await host.refused('bundle.install', { bundleId, name: 'Notes', values: { a: 'x' } })).toMatchObject({ code: 'notFound' });
  });

  test('asks anew when a value changes what it runs, and not when only a secret does', async () => {
    const host = await startTestHost();
    const user_config = { a: string, secret: { ...string, sensitive: true } };
    const bytes = await aboutBundle({ user_config }, { env: { A: '${user_config.a}', S: '${user_config.secret}' } });
    const { id } = await install(host, bytes, { a: 'one', secret: 's1-abcdef' });
    await agree(host, id);
    const { server } = await host.run('bundle.configure', { serverId: id, values: { secret: 's2-abcdef' } });
    expect(server.status.state).not.toBe('off');
    await expect.poll(async () => (await about(host, id)).env).toMatchObject({ S: 's2-abcdef' });
    await host.run('bundle.configure', { serverId: id, values: { a: 'two' } });
    expect(consentOf(await serverOf(host, id)).envNames).toEqual(['A', 'S']);
    expect(await agree(host, id)).toMatchObject({ status: { state: 'ready' } });
    expect((await about(host, id)).env).toMatchObject({ A: 'two' });
    await host.run('bundle.configure', { serverId: id, values: { secret: null } });
    expect(consentOf(await serverOf(host, id)).envNames).toEqual(['A']);
    expect(entryOf(host)).toMatchObject({ bundle: { values: { a: 'two' } } });
  });

  test('whose files were changed after consent does not start, and asks; a new start of Maitre asks no second time', async () => {
    const keychain = memoryKeychain();
    const host = await startTestHost({ ports: { keychain } });
    const { id } = await install(host, await aboutBundle());
    await agree(host, id);
    const mark = path.join(tempFolder(), 'mark');
    const program = path.join(folderOf(host, id), 'server/index.ts');
    const honest = readFileSync(program, 'utf8');
    writeFileSync(program, `require('fs').writeFileSync(${JSON.stringify(mark)}, 'ran');${honest}`);
    await host.run('server.restart', { serverId: id });
    const asked = await host.until(
      (message) =>
        message.topic === 'servers' &&
        message.event.type === 'server.changed' &&
        message.event.server.status.state === 'off' &&
        message.event.server.status.needsConsent?.bundle?.isChanged === true &&
        message.event.server.status.needsConsent,
    );
    expect(existsSync(mark)).toBe(false);
    writeFileSync(program, `${honest}\n// another look\n`);
    await host.run('server.consent', { serverId: id, configHash: asked.configHash, allow: true });
    // What was agreed to is what was found, not what lies there by now.
    await expect.poll(async () => consentOf(await serverOf(host, id)).configHash).not.toBe(asked.configHash);
    expect(await agree(host, id)).toMatchObject({ status: { state: 'ready' } });
    await host.close();
    const again = await startTestHost({ dataDir: host.dataDir, ports: { keychain } });
    await again.serversReady();
  });

  test('whose files were changed counts as signed by nobody, also after it was agreed to', async () => {
    const acme = await vouchedFor('Acme');
    const host = await startTestHost({ bundleRoots: [acme.root] });
    const { id, bundle } = await install(host, signed(await aboutBundle(), acme));
    expect(bundle).toMatchObject({ signature: 'signed', publisher: 'Acme (Acme Inc.)' });
    await agree(host, id);
    writeFileSync(path.join(folderOf(host, id), 'new.txt'), 'new');
    await host.run('server.restart', { serverId: id });
    await expect
      .poll(async () => consentOf(await serverOf(host, id)).bundle)
      .toEqual({ name: 'notes', version: '1.0.0', signature: 'unsigned', isChanged: true });
    expect((await agree(host, id)).bundle).toEqual({ name: 'notes', version: '1.0.0', signature: 'unsigned' });
  });

  test('whose files are gone says so, and what to do', async () => {
    const host = await startTestHost();
    const { id } = await install(host, await aboutBundle());
    rmSync(folderOf(host, id), { recursive: true });
    expect(await agree(host, id)).toMatchObject({
      status: { state: 'failed', failure: { message: expect.stringContaining('Open the bundle again') } },
    });
  });

  test('deletes its files, what it kept and its secrets when it is removed', async () => {
    const host = await startTestHost();
    const user_config = { secret: { ...string, sensitive: true } };
    const { id } = await install(host, await aboutBundle({ user_config }), { secret: 'canary-secret-1' });
    await agree(host, id);
    writeFileSync(path.join(host.dataDir, 'bundles', id, 'data', 'kept.txt'), 'kept');
    await host.run('server.remove', { serverId: id });
    expect(existsSync(path.join(host.dataDir, 'bundles', id))).toBe(false);
    const again = await install(host, await aboutBundle({ user_config }));
    const { fields } = await host.run('bundle.configuration', { serverId: again.id });
    expect(fields[0]).not.toHaveProperty('isSet');
  });

  test('is not brought along by a text that says it is one', async () => {
    const host = await startTestHost();
    const bundle = {
      name: 'notes',
      version: '1',
      type: 'node',
      digest: 'a'.repeat(64),
      folder: 'x',
      signature: 'signed',
      publisher: 'Acme',
    };
    const { proposed } = await host.run('server.parseJson', { text: JSON.stringify({ command: 'node', args: ['x.js'], bundle }) });
    expect(proposed[0]?.config).toEqual({ command: 'node', args: ['x.js'] });
    const { server } = await host.run('server.add', { name: 'x', config: { command: 'node', bundle } as never });
    expect(server).not.toHaveProperty('bundle');
    expect(fileOf(host)).not.toContain('Acme');
  });
});

describe('Another version of a bundle', () => {
  const user_config = { a: string, secret: { ...string, sensitive: true } };
  const env = { A: '${user_config.a}', S: '${user_config.secret}' };

  test('keeps values, secrets and what else stands in the entry; asks anew, and for the tools too', async () => {
    const host = await startTestHost({ reviews: 'wait' });
    const first = await install(host, await aboutBundle({ user_config }, { env }), { a: 'one', secret: 's1-abcdef' });
    await agree(host, first.id);
    const old = folderOf(host, first.id);
    await host.run('server.classifyTool', { serverId: first.id, tool: 'note', effects: ['reads'] });
    const file = JSON.parse(fileOf(host));
    Object.assign(file.mcpServers.Notes, { timeout: 5000 });
    writeFileSync(path.join(host.dataDir, 'servers.json'), JSON.stringify(file));
    await host.run('server.reload', {});
    writeFileSync(path.join(host.dataDir, 'bundles', first.id, 'data', 'kept.txt'), 'kept');

    const next = { version: '1.10.0', user_config: { ...user_config, more: { ...string, default: 'm' } } };
    const proposal = await open(host, await aboutBundle(next, { env: { ...env, MORE: '${user_config.more}', TOOL: 'other' } }));
    expect(proposal.installed).toEqual({
      serverId: first.id,
      serverName: 'Notes',
      summary: { name: 'notes', version: '1.0.0', signature: 'unsigned' },
      order: 'newer',
      changed: ['env', 'fields'],
    });
    expect(proposal.fields).toMatchObject([
      { key: 'a', value: 'one' },
      { key: 'secret', isSet: true },
      { key: 'more', value: 'm' },
    ]);
    // The one that is there runs on until then.
    expect((await serverOf(host, first.id)).status.state).toBe('ready');
    expect(existsSync(old)).toBe(true);

    const { server } = await host.run('bundle.install', { bundleId: proposal.bundleId, name: 'Other', values: {}, serverId: first.id });
    expect(server).toMatchObject({ id: first.id, name: 'Notes', bundle: { version: '1.10.0' } });
    expect(consentOf(server).envNames).toEqual(['A', 'S', 'MORE', 'TOOL']);
    await expect.poll(() => existsSync(old)).toBe(false);
    await agree(host, first.id);
    expect((await about(host, first.id)).env).toMatchObject({ A: 'one', MORE: 'm' });
    expect((await about(host, first.id)).env).toHaveProperty('S');
    expect(entryOf(host)).toMatchObject({ timeout: 5000 });
    expect(readFileSync(path.join(host.dataDir, 'bundles', first.id, 'data', 'kept.txt'), 'utf8')).toBe('kept');
    const { details } = await host.run('server.details', { serverId: first.id });
    expect(details.tools).toMatchObject([{ name: 'other', agreed: 'new', effects: { source: 'nobody' } }]);
    // They stand in the bundle's own form, and nowhere else.
    expect(details.secrets).toEqual([]);
    const { fields } = await host.run('bundle.configuration', { serverId: first.id });
    expect(fields).toContainEqual(expect.objectContaining({ key: 'secret', isSet: true }));
  });

  test('that is older is called so; the same one again mends its files', async () => {
    const host = await startTestHost();
    const { id } = await install(host, await aboutBundle({ version: '2.0.0' }));
    expect((await open(host, await aboutBundle({ version: '1.0.0' }))).installed).toMatchObject({ order: 'older' });
    writeFileSync(path.join(folderOf(host, id), 'server/index.ts'), 'broken');
    const proposal = await open(host, await aboutBundle({ version: '2.0.0' }));
    expect(proposal.installed).toMatchObject({ order: 'same', changed: [] });
    await host.run('bundle.install', { bundleId: proposal.bundleId, name: 'x', values: {}, serverId: id });
    expect(await agree(host, id)).toMatchObject({ status: { state: 'ready' } });
  });

  test('that nobody of the same name signed cannot take its place, and gets nothing of it beside it', async () => {
    const acme = await vouchedFor('Acme');
    const host = await startTestHost({ bundleRoots: [acme.root] });
    const first = await install(host, signed(await aboutBundle({ user_config }, { env }), acme), { a: 'one', secret: 's1-abcdef' });
    const evil = await open(host, await aboutBundle({ user_config, version: '9.0.0' }, { env }));
    expect(evil.installed).toMatchObject({ refused: expect.stringContaining('Acme'), changed: ['publisher'] });
    expect(evil.fields).toEqual([expect.not.objectContaining({ value: 'one' }), expect.not.objectContaining({ isSet: true })]);
    expect(await host.refused('bundle.install', { bundleId: evil.bundleId, name: 'x', values: {}, serverId: first.id })).toMatchObject({
      code: 'notAllowed',
    });
    const { server } = await host.run('bundle.install', { bundleId: evil.bundleId, name: 'Notes', values: {} });
    expect(server).toMatchObject({ name: 'Notes 2' });
    expect(server.id).not.toBe(first.id);
    expect((await host.run('bundle.configuration', { serverId: server.id })).fields[1]).not.toHaveProperty('isSet');
  });

  test('of another name never takes its place', async () => {
    const host = await startTestHost();
    const { id } = await install(host, await aboutBundle());
    const { bundleId, installed } = await open(host, await aboutBundle({ name: 'other' }));
    expect(installed).toBeUndefined();
    expect(await host.refused('bundle.install', { bundleId, name: 'x', values: {}, serverId: id })).toMatchObject({ code: 'notAllowed' });
  });
});

test('what a crash left behind is gone after the next start; what runs is not', async () => {
  const keychain = memoryKeychain();
  const host = await startTestHost({ ports: { keychain } });
  const { id } = await install(host, await aboutBundle());
  const [version = ''] = placesOf(host, id);
  await open(host, await aboutBundle({ name: 'other' }));
  await host.close();
  const bundles = path.join(host.dataDir, 'bundles');
  for (const left of ['staging/half/server', 'no-such-server/version', `${id}/older-version/server`])
    mkdirSync(path.join(bundles, left), { recursive: true });
  const again = await startTestHost({ dataDir: host.dataDir, ports: { keychain } });
  await expect.poll(() => readdirSync(path.join(bundles, 'staging'))).toEqual([]);
  await expect.poll(() => readdirSync(bundles).sort()).toEqual([id, 'staging'].sort());
  await expect.poll(() => placesOf(again, id)).toEqual([version]);
  expect(await agree(again, id)).toMatchObject({ status: { state: 'ready' } });
});

test('where the file of the servers cannot be written, the bundle stays open to be installed later', async () => {
  const host = await startTestHost();
  const { bundleId } = await open(host, await aboutBundle());
  writeFileSync(path.join(host.dataDir, 'servers.json'), '{ broken');
  expect(await host.refused('bundle.install', { bundleId, name: 'Notes', values: {} })).toMatchObject({ code: 'configurationUnreadable' });
  expect(readdirSync(path.join(host.dataDir, 'bundles'))).toHaveLength(2);
  writeFileSync(path.join(host.dataDir, 'servers.json'), '{}');
  await host.run('server.reload', {});
  const { server } = await host.run('bundle.install', { bundleId, name: 'Notes', values: {} });
  expect(await agree(host, server.id)).toMatchObject({ status: { state: 'ready' } });
});

describe('An organisation', () => {
  const managed = async (policy: object, roots: string[] = []) => {
    const file = path.join(tempFolder(), 'policy.json');
    writeFileSync(file, JSON.stringify({ version: 1, organisation: 'Acme', ...policy }));
    return startTestHost({ policy: { file, problemOf: () => undefined }, bundleRoots: roots });
  };

  test('that demands signed bundles lets no other be opened, and none run that was there before', async () => {
    const keychain = memoryKeychain();
    const before = await startTestHost({ ports: { keychain } });
    const { id } = await install(before, await aboutBundle());
    await agree(before, id);
    await before.close();
    const acme = await vouchedFor('Acme');
    const file = path.join(tempFolder(), 'policy.json');
    writeFileSync(file, JSON.stringify({ version: 1, organisation: 'Acme', bundles: 'signed' }));
    const host = await startTestHost({
      dataDir: before.dataDir,
      ports: { keychain },
      policy: { file, problemOf: () => undefined },
      bundleRoots: [acme.root],
    });
    expect(await serverOf(host, id)).toMatchObject({
      status: { state: 'failed', failure: { code: 'managedDenies', message: expect.stringContaining('Acme demands') } },
    });
    for (const bytes of [await aboutBundle({ name: 'b' }), signed(await aboutBundle({ name: 'c' }), await selfSigned('Acme'))])
      expect(await refusedToOpen(host, bytes)).toMatchObject({ code: 'notAllowed', message: expect.stringContaining('Acme demands') });
    expect((await open(host, signed(await aboutBundle({ name: 'd' }), acme))).summary.signature).toBe('signed');
    expect((await host.run('app.open', {})).managed).toMatchObject({ sets: ['bundles'] });
  });

  test('denies by the name of a bundle, and allows by it only where somebody vouches for who signed', async () => {
    const denying = await managed({ servers: { deny: [{ bundle: 'not*' }] } });
    expect(await refusedToOpen(denying, await aboutBundle())).toMatchObject({
      code: 'notAllowed',
      message: expect.stringContaining('Acme has forbidden'),
    });
    expect((await open(denying, await aboutBundle({ name: 'other' }))).summary.name).toBe('other');
    const [acme, evil] = [await vouchedFor('Acme'), await vouchedFor('Evil')];
    const allowing = await managed({ servers: { allow: [{ bundle: 'notes', publisher: 'Acme*' }] } }, [acme.root, evil.root]);
    expect((await open(allowing, signed(await aboutBundle(), acme))).summary.publisher).toBe('Acme (Acme Inc.)');
    for (const bytes of [await aboutBundle(), signed(await aboutBundle(), evil), signed(await aboutBundle(), await selfSigned('Acme'))])
      expect(await refusedToOpen(allowing, bytes)).toMatchObject({ code: 'notAllowed' });
  });
});

test('a bundle that says it runs a well-known package is not taken for it: it starts in a folder that can hold another one of that name', async () => {
  const host = await startTestHost();
  const mcp_config = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };
  const { id } = await install(host, await aboutBundle({ server: { type: 'node', entry_point: 'server/index.ts', mcp_config } }));
  expect((await host.run('server.details', { serverId: id })).details).not.toHaveProperty('known');
  const { server } = await host.run('server.add', { name: 'Memory', config: mcp_config });
  expect((await host.run('server.details', { serverId: server.id })).details).toHaveProperty('known');
});
