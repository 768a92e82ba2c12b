import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SignInNeeded, StartFailure } from '../../../main/host/mcp/failures.ts';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import type { Target } from '../../../main/host/mcp/target.ts';
import {
  call,
  env,
  folder,
  freePort,
  http,
  isAlive,
  linesOf,
  mostAtATime,
  nodeProgram,
  open,
  program,
  testServer,
  textOf,
} from './harness.ts';

/** The failure of a start that must not work. */
async function failureOf(target: Target, startTimeoutMs?: number) {
  const error: unknown = await open(target, startTimeoutMs === undefined ? {} : { startTimeoutMs }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StartFailure)) throw new Error(`Expected a StartFailure, got ${String(error)}`);
  return error.failure;
}

async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}/mcp?key=very-secret`;
}

test('an old server that exits when the first message is not initialize is started once more, and works', async () => {
  const record = join(folder(), 'starts');
  const { connection, remembered } = await open(nodeProgram(testServer('exitsOnDiscover'), record));
  expect(connection.protocol.era).toBe('legacy');
  expect(textOf(await call(connection, 'echo', { a: 1 }))).toBe('{"a":1}');
  expect(linesOf(record).filter((line) => line.startsWith('start'))).toHaveLength(2);
  expect(mostAtATime(record)).toBe(1);
  expect(remembered).toEqual([{ era: 'legacy', version: '2025-11-25' }]);
});

test('a remembered verdict skips the probe: the same server is started only once', async () => {
  const record = join(folder(), 'starts');
  await open(nodeProgram(testServer('exitsOnDiscover'), record), { remembered: { era: 'legacy', version: '2025-11-25' } });
  expect(linesOf(record).filter((line) => line.startsWith('start'))).toHaveLength(1);
});

test('an old server that answers nothing with _meta works in the same process after the probe has run out', async () => {
  const record = join(folder(), 'starts');
  const { connection, remembered } = await open(nodeProgram(testServer('ignoresMeta'), record));
  expect(textOf(await call(connection, 'echo'))).toBe('here');
  expect(linesOf(record)).toHaveLength(1);
  expect(remembered).toEqual([{ era: 'legacy', version: '2025-11-25' }]);
});

test('an old server that hangs for ever after the probe is started afresh, never beside its first copy', async () => {
  const record = join(folder(), 'starts');
  const { connection } = await open(nodeProgram(testServer('hangsAfterDiscover'), record));
  expect(connection.protocol.era).toBe('legacy');
  expect(linesOf(record).filter((line) => line.startsWith('start'))).toHaveLength(2);
  expect(mostAtATime(record)).toBe(1);
});

test('a server that owns a lock file and exits slowly on the probe never meets a second copy of itself', async () => {
  const record = join(folder(), 'starts');
  const { connection, log } = await open(nodeProgram(testServer('locksAndExits'), record));
  expect(connection.protocol.era).toBe('legacy');
  expect(mostAtATime(record)).toBe(1);
  expect(log.stderrTail()).not.toContain('another copy');
});

test('noise on stdout is kept as log lines and disturbs nothing', async () => {
  const { connection, log } = await open(nodeProgram(testServer('noisyStdout')));
  expect(textOf(await call(connection, 'echo'))).toBe('✓ ok\u00a0服务');
  const noise = log.lines().filter((line) => line.stream === 'stdout');
  expect(noise.map((line) => line.text)).toEqual([
    'Created index tool for tool-a',
    'HowToCook MCP服务器启动成功',
    'info: Microsoft.Hosting.Lifetime[14]',
    '{"level":30,"msg":"listening"}',
    '{ not json',
    '\ufffd\ufffdA',
    'listing…',
  ]);
});

test('a missing program is named, with the way to find it', async () => {
  const failure = await failureOf(program('no-such-program-anywhere', '--flag'));
  expect(failure.code).toBe('commandNotFound');
  expect(failure.message).toContain('no-such-program-anywhere was not found');
  expect(failure.message).toContain('which no-such-program-anywhere');
});

test('a missing working folder is not mistaken for a missing program', async () => {
  const failure = await failureOf({ kind: 'stdio', start: () => spawnProgram(process.execPath, [], { env, cwd: '/no/such/folder' }) });
  expect(failure.code).toBe('configurationInvalid');
  expect(failure.message).toContain('/no/such/folder');
});

test('messages nested too deep to be written out are left out one by one; the connection and the calls go on', async () => {
  const { connection, log } = await open(nodeProgram(testServer('deepMessages')));
  expect(textOf(await call(connection, 'echo'))).toBe('still here');
  expect(log.lines().map(({ text }) => text)).toContainEqual(expect.stringContaining('was not taken'));
});

test('a server that ends while its tools are listed is failed with the reason, though its processes take their time', async () => {
  // The shell holds out until it is killed, so that the end of the connection is known before that of its processes.
  const failure = await failureOf(
    program('/bin/sh', '-c', 'trap "" TERM; "$0" "$1"; sleep 300', process.execPath, testServer('endlessList')),
  );
  expect(failure).toMatchObject({ code: 'protocolError', message: expect.stringContaining('more than 64 MiB') });
});

test('a server that exits at once is failed with its exit code and its last words', async () => {
  const record = join(folder(), 'starts');
  const failure = await failureOf(nodeProgram(testServer('exitsAtStart'), record));
  expect(failure.code).toBe('exitedAtStart');
  expect(failure.message).toContain('exit code 7');
  expect(failure.detail).toContain('DATABASE_URL is not set');
  expect(linesOf(record).filter((line) => line.startsWith('start')).length).toBeLessThanOrEqual(2);
  expect(mostAtATime(record)).toBe(1);
});

test('a server that never answers fails when the start has run out, and says so', async () => {
  const failure = await failureOf(nodeProgram(testServer('silent')), 1500);
  expect(failure.code).toBe('noAnswer');
  expect(failure.message).toContain('did not answer within 2 seconds');
  expect(failure.detail).toContain('waiting for a database');
});

test('a server that never lists its tools fails the same way, and nothing of it is left', async () => {
  let pid: number | undefined;
  const start = () => {
    const child = spawnProgram(process.execPath, [testServer('silent'), 'lists'], { env });
    pid = child.pid;
    return child;
  };
  const error: unknown = await open(
    { kind: 'stdio', start },
    { startTimeoutMs: 2500, remembered: { era: 'legacy', version: '2025-11-25' } },
  ).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { code: 'noAnswer' } });
  expect(pid !== undefined && isAlive(pid)).toBe(false);
});

test('a modern-only HTTP server is never sent initialize and never tried over SSE', async () => {
  const seen: string[] = [];
  const url = await httpServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const message: { id?: unknown; method?: string } = body === '' ? {} : JSON.parse(body);
      seen.push(`${request.method} ${message.method}`);
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (message.method === 'server/discover') {
        const result = {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
        };
        return json(200, { jsonrpc: '2.0', id: message.id, result });
      }
      if (message.method === 'tools/list') {
        const result = { resultType: 'complete', tools: [{ name: 'bad' }, { name: 'only', inputSchema: { type: 'object' } }] };
        return json(200, { jsonrpc: '2.0', id: message.id, result });
      }
      json(400, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'Missing required _meta' } });
    });
  });
  const { connection } = await open(http(url));
  expect(connection.protocol).toEqual({ era: 'modern', version: '2026-07-28', transport: 'http', how: 'probed' });
  expect(connection.lists().tools.map((tool) => [tool.name, tool.problem === undefined])).toEqual([
    ['bad', false],
    ['only', true],
  ]);
  expect(seen).toEqual(['POST server/discover', 'POST tools/list']);
});

test('401, and 403 for want of permissions, mean a sign-in; another 403 is told; none says anything about the era', async () => {
  const missing = 'Bearer error="insufficient_scope", scope="read"';
  for (const [status, challenge, expected] of [
    [401, 'Bearer', SignInNeeded],
    [403, missing, SignInNeeded],
    [403, 'Bearer', StartFailure],
  ] as const) {
    const seen: (string | undefined)[] = [];
    const url = await httpServer((request, response) => {
      seen.push(request.method);
      response.writeHead(status, { 'www-authenticate': challenge }).end('no');
    });
    await expect(open(http(url))).rejects.toBeInstanceOf(expected);
    expect(seen).toEqual(['POST']);
  }
});

test('a server fault is no sign of age: HTTP 500 fails with the status, and the address without its secret', async () => {
  const seen: (string | undefined)[] = [];
  const url = await httpServer((request, response) => {
    seen.push(request.method);
    response.writeHead(500).end('stack trace');
  });
  const failure = await failureOf(http(url));
  expect(failure.code).toBe('httpError');
  expect(failure.message).toContain('HTTP status 500');
  expect(failure.message).not.toContain('very-secret');
  expect(seen).toEqual(['POST']);
});

test('an address where nothing like MCP answers fails with the first answer, after all transports were tried', async () => {
  const seen: (string | undefined)[] = [];
  const url = await httpServer((request, response) => {
    seen.push(request.method);
    response.writeHead(404).end('<html>Not here</html>');
  });
  const failure = await failureOf(http(url));
  expect(failure).toMatchObject({ code: 'httpError' });
  expect(failure.message).toContain('HTTP status 404');
  expect(seen).toEqual(['POST', 'POST', 'GET']);
});

test('an address that leads elsewhere is not followed there, and the sentence says where it leads', async () => {
  const url = await httpServer(
    (_request, response) => void response.writeHead(307, { location: 'https://elsewhere.example/mcp?key=very-secret' }).end(),
  );
  const failure = await failureOf(http(url));
  expect(failure).toMatchObject({ code: 'httpError', message: expect.stringContaining('It sends you to another address') });
  expect(failure.detail).toContain('https://elsewhere.example/mcp');
  expect(JSON.stringify(failure)).not.toContain('very-secret');
});

test('a web page at the address is protocol nonsense, said in words', async () => {
  const url = await httpServer(
    (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
  );
  expect(await failureOf(http(url))).toMatchObject({ code: 'protocolError' });
});

test('a refused connection names the place and no secret', async () => {
  const port = await freePort();
  const failure = await failureOf(http(`http://127.0.0.1:${port}/mcp?key=very-secret`));
  expect(failure.code).toBe('connectionRefused');
  expect(failure.message).toContain(`127.0.0.1:${port}/mcp`);
  expect(JSON.stringify(failure)).not.toContain('very-secret');
  expect(failure.detail).toContain('ECONNREFUSED');
});
