import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { missingDisplay } from '../../build/display.ts';
import { downloadElectron } from '../../build/electronBinary.ts';
import { runElectron } from '../../build/runElectron.ts';
import { root, temporaryFolder, writeFiles } from './project.ts';

/** The real launcher in a project whose web shell reports the arguments it got. */
function launcher(): string {
  const folder = temporaryFolder();
  for (const file of ['start.ts', 'display.ts', 'electronBinary.ts', 'runElectron.ts']) {
    cpSync(join(root, 'build', file), join(folder, 'build', file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFiles(folder, {
    'package.json': '{"type":"module"}',
    'main/web/main.ts': 'console.log(JSON.stringify(process.argv.slice(2)));',
  });
  return join(folder, 'build/start.ts');
}

test('With --web the web shell starts at once with all other flags.', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [launcher(), '--web', '--port', '8123', '--no-open'], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '["--port","8123","--no-open"]\n', stderr: '' });
});

test('With --help nothing starts, and the flags are printed.', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [launcher(), '--web', '--help'], { encoding: 'utf8' });
  expect(stdout).toMatch(/^Usage: npm start .*--web.*--port N/);
  expect(stderr).toBe('');
});

test.runIf(process.platform === 'linux')('Where no window can open the web shell starts, and one line says why.', () => {
  const { DISPLAY: _x11, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [launcher(), '--no-open'], { encoding: 'utf8', env });
  const reason = process.getuid?.() === 0 ? 'Electron does not run as root' : 'there is no display';
  expect(stdout).toBe('["--no-open"]\n');
  expect(stderr).toBe(`The desktop window cannot open: ${reason}. Maitre opens in the browser instead.\n`);
});

test('Nothing that starts Electron switches its sandbox off.', () => {
  for (const file of ['start.ts', 'runElectron.ts'])
    expect(readFileSync(join(root, 'build', file), 'utf8')).not.toMatch(/--no-?sandbox|NO_SANDBOX/i);
});

async function listening(server: Server): Promise<Server> {
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return server;
}

test('A display that answers is a display; one that is only named is none.', async () => {
  const folder = temporaryFolder();
  await listening(createServer((socket) => socket.on('error', () => undefined)).listen(join(folder, 'wayland-7')));
  expect(await missingDisplay({ XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'wayland-7' }, 'linux')).toBeNull();
  expect(await missingDisplay({ XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'wayland-8' }, 'linux')).toBe(
    'the display wayland-8 does not answer',
  );
  expect(await missingDisplay({ DISPLAY: ':4242' }, 'linux')).toBe('the display :4242 does not answer');
  expect(await missingDisplay({}, 'linux')).toBe('there is no display');
  expect(await missingDisplay({}, 'darwin')).toBeNull();
});

/** A program that plays Electron. */
function program(text: string): string {
  const folder = temporaryFolder();
  writeFiles(folder, { electron: `#!${process.execPath}\n${text}` });
  chmodSync(join(folder, 'electron'), 0o755);
  return join(folder, 'electron');
}

const ends: [how: string, text: string, outcome: number | { reason: string }][] = [
  ['fails before it was ready', 'process.exit(133);', { reason: 'Electron ended before it was ready (code 133)' }],
  ['crashes before it was ready', "process.kill(process.pid, 'SIGABRT');", { reason: 'Electron ended before it was ready (SIGABRT)' }],
  ['ends in order before it was ready, as a second instance does', 'process.exit(0);', 0],
  ['fails after it was ready', "process.send('ready', () => process.exit(5));", 5],
];

test.skipIf(process.platform === 'win32').each(ends)('When Electron %s the outcome tells.', async (_, text, outcome) => {
  expect(await runElectron(program(text), [])).toEqual(outcome);
});

test('A program that cannot be started is a reason, not a crash.', async () => {
  expect(await runElectron(join(temporaryFolder(), 'none'), [])).toEqual({ reason: expect.stringContaining('could not be started') });
});

test('A download that brings nothing more is given up, with the reason.', async () => {
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100000000' });
    response.write('PK');
  });
  await listening(server.listen(0, '127.0.0.1'));
  onTestFinished(() => server.closeAllConnections());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.env['ELECTRON_MIRROR'] = `http://127.0.0.1:${port}/`;
  onTestFinished(() => {
    delete process.env['ELECTRON_MIRROR'];
  });
  const lines: string[] = [];
  const cacheRoot = temporaryFolder();
  await expect(downloadElectron(300, (line) => lines.push(line), cacheRoot)).rejects.toThrow('nothing arrived for');
  expect(lines).toEqual([expect.stringMatching(/^Downloading Electron \d+\.\d+\.\d+, once …$/)]);
});
