import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { about, agree, consentOf, install, serverOf } from '../../doubles/bundleHost.ts';
import { bundleOf } from '../../doubles/bundleFile.ts';
import { startTestHost } from '../../doubles/testHost.ts';
import { testServer } from '../mcp/harness.ts';
import { people, whyNoSandbox } from './confined.ts';

beforeEach(async ({ skip }) => {
  const reason = await whyNoSandbox('protected');
  if (reason !== undefined) skip(reason);
});

/** Tries what it is given in `READS` and `WRITES`, and tells in its instructions what it could do. */
const prober = `
import { readFileSync, writeFileSync } from 'node:fs';
import { initializeResult, serveLegacy, reply } from './rawStdio.ts';
const could = (act) => (path) => { try { return act(path); } catch (error) { return error.code; } };
const told = {
  cwd: process.cwd(),
  reads: JSON.parse(process.env.READS).map(could((path) => readFileSync(path, 'utf8'))),
  writes: JSON.parse(process.env.WRITES).map(could((path) => (writeFileSync(path, 'written'), 'written'))),
};
serveLegacy({ initialize: (message) => reply(message, { ...initializeResult(), instructions: JSON.stringify(told) }) });
`;

test('a new bundle is protected: it reads its files and changes none, writes to its own folder, and sees nothing else of Maitre', async () => {
  const { home, dataDir, outside } = people();
  const host = await startTestHost({ dataDir, sandbox: 'detect', ports: { paths: { dataDir, home, temp: tmpdir() } } });
  const list = (...paths: string[]) => JSON.stringify(paths);
  const env = {
    READS: list(
      '${__dirname}/server/note.txt',
      join(outside, 'file.txt'),
      join(dataDir, 'marker.txt'),
      join(dataDir, 'servers.json'),
      '${user_config.key}',
    ),
    WRITES: list('kept.txt', '${__dirname}/server/note.txt', '${__dirname}/new.txt', '${__dirname}/../new.txt', join(outside, 'file.txt')),
  };
  const bytes = await bundleOf({
    manifest: {
      server: {
        type: 'node',
        entry_point: 'server/probe.ts',
        mcp_config: { command: 'node', args: ['${__dirname}/server/probe.ts'], env },
      },
      user_config: { key: { type: 'file', title: 'Key', description: '' } },
    },
    files: [
      { name: 'server/probe.ts', content: prober },
      { name: 'server/note.txt', content: 'a note' },
      { name: 'server/rawStdio.ts', content: readFileSync(testServer('rawStdio')) },
    ],
  });
  const { id } = await install(host, bytes, { key: join(home, '.ssh/id_ed25519') });
  expect(consentOf(await serverOf(host, id)).sandbox).toEqual({
    word: 'protected',
    writable: [join(dataDir, 'bundles', id, 'data')],
    network: [],
  });
  expect(await agree(host, id)).toMatchObject({ status: { state: 'ready' } });

  const own = join(dataDir, 'bundles', id);
  expect(await about(host, id)).toEqual({
    cwd: join(own, 'data'),
    reads: ['a note', 'outside', 'ENOENT', 'ENOENT', expect.stringMatching(/^(ENOENT|EACCES)$/)],
    writes: ['written', 'EROFS', 'EROFS', expect.stringMatching(/^E/), 'EROFS'],
  });
  expect(readFileSync(join(own, 'data/kept.txt'), 'utf8')).toBe('written');
  expect(existsSync(join(own, 'new.txt'))).toBe(false);
  // Its files are as they came, so that it starts again without a question.
  await host.run('server.restart', { serverId: id });
  expect((await serverOf(host, id)).status.state).not.toBe('off');
  expect(readdirSync(own)).toHaveLength(2);
});
