import { expect, onTestFinished, test } from 'vitest';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import { type Scanner, startScanner } from '../../servers/scanner.ts';
import { handClock } from './handClock.ts';
import { call, eventually, http, open, textOf } from './harness.ts';

async function scanner(version?: '2025-03-26'): Promise<Scanner> {
  const started = await startScanner(version);
  onTestFinished(() => started.close());
  return started;
}

test.each(['calm', 'broken'])(
  'a stream that ends early (%s) is taken up where it stopped, so that the call was made once and its answer comes',
  async (host) => {
    const { url, scans, resumed } = await scanner();
    const { connection } = await open(http(url));
    const steps: CallProgress[] = [];
    const outcome = await call(connection, 'scan', { host }, { onProgress: (progress) => void steps.push(progress) });
    expect(textOf(outcome)).toBe(`1 finding on ${host}`);
    expect(outcome).toMatchObject({ hasStructuredContent: true, structuredContent: { findings: [{ rule: 'CWE-79' }] } });
    expect(steps.map(({ progress }) => progress)).toEqual([1, 2]);
    expect(scans).toEqual([host]);
    expect(resumed).toEqual([expect.stringMatching(/\.1$/)]);
  },
);

test('§2.4 §4.8: however long a server wants a stream to be left, it is taken up again after five minutes', async () => {
  const patient = await scanner();
  // More than a timer of the system can hold, which would then end at once.
  patient.retryMs = 30 * 24 * 3_600_000;
  const clock = handClock();
  const { connection } = await open(http(patient.url), { clock });
  const outcome = call(connection, 'scan', { host: 'calm' }, { timeoutMs: 3_600_000 });
  await eventually(() => patient.scans.length === 1);
  for (let minute = 0; minute < 4; minute += 1) await clock.pass(60_000);
  expect(patient.resumed).toEqual([]);
  const passing = setInterval(() => void clock.pass(60_000), 20);
  onTestFinished(() => clearInterval(passing));
  expect(textOf(await outcome)).toBe('1 finding on calm');
});

test('several messages in one event, as 2025-03-26 has them, are all received', async () => {
  const { url } = await scanner('2025-03-26');
  const { connection } = await open(http(url));
  expect(connection.protocol).toMatchObject({ era: 'legacy', version: '2025-03-26' });
  const steps: CallProgress[] = [];
  const outcome = await call(connection, 'scan', { host: 'a' }, { onProgress: (progress) => void steps.push(progress) });
  expect(textOf(outcome)).toBe('1 finding on a');
  expect(steps).toHaveLength(2);
});

test('a call to a session that is not known there proves that it was not made, and ends the connection', async () => {
  const forgetful = await scanner();
  const { connection } = await open(http(forgetful.url));
  forgetful.forget();
  expect(await call(connection, 'scan', { host: 'a' })).toMatchObject({ kind: 'unavailable', notRun: true });
  expect(await connection.ended).toMatchObject({ code: 'httpError' });
  expect(forgetful.scans).toEqual([]);
});

test('the old code for a resource that is not there (-32002) means the same as the new one', async () => {
  const { url } = await scanner();
  const { connection } = await open(http(url));
  const asker = { signal: new AbortController().signal };
  expect(await connection.readResource('scan://report/1', asker)).toMatchObject({ kind: 'ok' });
  expect(await connection.readResource('scan://report/2', asker)).toMatchObject({ kind: 'notFound' });
  // A server without completion is not asked.
  expect(await connection.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' }, {}, asker)).toEqual({
    kind: 'ok',
    value: { values: [], hasMore: false },
  });
});

test('a remembered legacy server that answers initialize with nonsense is asked anew what it is', async () => {
  const changed = await scanner();
  changed.initializeWith = { protocolVersion: 7 };
  await expect(open(http(changed.url), { remembered: { era: 'legacy', version: '2025-11-25' } })).rejects.toMatchObject({
    failure: { code: expect.any(String) },
  });
  const honest = await scanner();
  const { connection } = await open(http(honest.url), { remembered: { era: 'legacy', version: '2025-11-25' } });
  expect(connection.protocol).toMatchObject({ era: 'legacy', how: 'remembered' });
  await eventually(() => honest.sessions.length === 1);
});
