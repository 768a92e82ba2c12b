import { expect, test, vi } from 'vitest';
import childProcess from 'node:child_process';
import net from 'node:net';
import { inProcess } from '../../doubles/inProcess.ts';
import { modernServer } from '../../servers/modernTools.ts';
import { call, eventually, open, textOf } from './harness.ts';

const methodsOf = (passed: readonly string[]): string[] =>
  passed.flatMap((line) => (line.startsWith('>') ? [String(JSON.parse(line.slice(1)).method)] : []));

test.each([
  ['a server of both eras is modern', 'both', 'auto', { era: 'modern', version: '2026-07-28', how: 'probed' }, 'server/discover'],
  ['a modern one, as it is set', 'modern', 'modern', { era: 'modern', version: '2026-07-28', how: 'set' }, 'server/discover'],
  ['a server of both is legacy where that is set', 'both', 'legacy', { era: 'legacy', version: '2025-11-25', how: 'set' }, 'initialize'],
  ['a legacy one is found out', 'legacy', 'auto', { era: 'legacy', version: '2025-11-25', how: 'probed' }, 'initialize'],
] as const)(
  'in this process, by the same connection and without a process or a socket: %s (§1.5)',
  async (_name, eras, era, protocol, method) => {
    const spawned = vi.spyOn(childProcess, 'spawn');
    const connected = vi.spyOn(net.Socket.prototype, 'connect');
    const passed: string[] = [];
    const { connection, lists } = await open(inProcess(modernServer, eras, passed), { era });
    expect(connection.protocol).toEqual({ ...protocol, transport: 'inProcess' });
    expect(methodsOf(passed)).toContain(method);
    expect(connection.lists()).toMatchObject({ instructions: 'Be brief.', reported: { name: 'modern', version: '2.0.0' }, warnings: [] });
    expect(textOf(await call(connection, 'echo', { text: 'héllo 你好' }))).toBe('héllo 你好');

    expect(textOf(await call(connection, 'add-tool', { name: 'fresh' }))).toBe('added');
    await eventually(() => lists.some(({ tools }) => tools.some(({ name }) => name === 'fresh')));

    const stop = new AbortController();
    const stalled = call(connection, 'stall', {}, { signal: stop.signal });
    await eventually(() => methodsOf(passed).filter((sent) => sent === 'tools/call').length === 3);
    stop.abort();
    expect(await stalled).toEqual({ kind: 'cancelled' });
    await eventually(() => methodsOf(passed).includes('notifications/cancelled'));

    await connection.close();
    expect(await connection.ended).toBeUndefined();
    expect(spawned).not.toHaveBeenCalled();
    expect(connected).not.toHaveBeenCalled();
  },
);

test('a modern server in this process asks in rounds, and is answered as over any transport (M3 to M6)', async () => {
  const passed: string[] = [];
  const { connection } = await open(inProcess(modernServer, 'modern', passed), {
    answer: (request) =>
      Promise.resolve(
        request.kind === 'elicitation'
          ? { kind: 'result', result: { action: 'accept', content: { name: request.message === 'Your name?' ? 'Ada' : 'nobody' } } }
          : { kind: 'declined' },
      ),
  });
  expect(textOf(await call(connection, 'greet'))).toBe('Hello Ada');
  expect(methodsOf(passed).filter((method) => method === 'tools/call')).toHaveLength(2);
  expect(passed.at(-2)).toContain('"requestState":"opaque ✓"');
});
