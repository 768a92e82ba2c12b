import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import { messageOf } from '../../../main/host/refusal.ts';
import { databaseFile } from '../../../main/host/store/database.ts';
import { indexMessage } from '../../../main/host/store/search.ts';
import { maxJsonLength } from '../../../main/host/workers/parseJson.ts';
import { createWorkerPool, JobOverran, type WorkerPool } from '../../../main/host/workers/pool.ts';
import { insertConversation, insertMessage, rememberingLog, tempDatabase, tempFolder } from '../../doubles/hostParts.ts';

/** Takes years, in every engine that goes back: the time doubles with each letter. */
const hostile = { schema: { type: 'string', pattern: '^(a+)+$' }, value: `${'a'.repeat(60)}!` };
const harmless = { schema: { type: 'string' }, value: 'a' };
const ample = { timeoutMs: 20_000 };

/** The words a job fails with. Taken at once, so that no rejection is left unhandled while the test does something else. */
const failureOf = (job: Promise<unknown>): Promise<string> =>
  job.then(
    () => 'It succeeded.',
    (error: unknown) => messageOf(error),
  );

let pool: WorkerPool;
let log: ReturnType<typeof rememberingLog>;
const start = (size: number) => {
  log = rememberingLog();
  pool = createWorkerPool({ size, log });
  onTestFinished(() => pool.close());
};
beforeEach(() => start(1));

describe('the worker pool', () => {
  test('a hostile pattern is stopped in bounded time, and the next job works', async () => {
    await expect(pool.run('validate', hostile, { timeoutMs: 250 })).rejects.toThrow(JobOverran);
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', fields: { job: 'validate', timeoutMs: 250 } })]);
    expect(await pool.run('validate', harmless, ample)).toEqual({ valid: true });
  });

  test('an aborted job rejects with the reason, running or waiting, and the others go on', async () => {
    // With a worker that is ready the first job runs at once, the others wait.
    await pool.run('validate', harmless, ample);
    const running = new AbortController();
    const waiting = new AbortController();
    const first = pool.run('validate', hostile, { ...ample, signal: running.signal });
    const second = pool.run('validate', harmless, { ...ample, signal: waiting.signal });
    const third = pool.run('validate', harmless, ample);
    waiting.abort(new Error('no longer wanted'));
    await expect(second).rejects.toThrow('no longer wanted');
    running.abort(new Error('stopped by hand'));
    await expect(first).rejects.toThrow('stopped by hand');
    expect(await third).toEqual({ valid: true });
    await expect(pool.run('validate', harmless, { ...ample, signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });

  test('while one worker is held up the other serves everyone', async () => {
    start(2);
    const held = failureOf(pool.run('validate', hostile, ample));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, value) => pool.run('validate', { schema: { const: value }, value }, ample)),
    );
    expect(answers).toEqual(answers.map(() => ({ valid: true })));
    await pool.close();
    expect(await held).toBe('The worker pool was closed.');
  });

  test('closing ends what runs and waits, and nothing is taken after it', async () => {
    const running = failureOf(pool.run('validate', hostile, ample));
    const waiting = failureOf(pool.run('validate', harmless, ample));
    await pool.close();
    expect(await Promise.all([running, waiting])).toEqual(['The worker pool was closed.', 'The worker pool was closed.']);
    await expect(pool.run('validate', harmless, ample)).rejects.toThrow('closed');
  });

  test("a job's own error comes back with its name and words, and the worker goes on", async () => {
    await expect(pool.run('parseJson', { text: '{"a":' }, ample)).rejects.toMatchObject({ name: 'SyntaxError' });
    expect(await pool.run('parseJson', { text: '{"a":[1,null]}' }, ample)).toEqual({ value: { a: [1, null] } });
  });

  test('an input that cannot cross is the fault of its caller alone', async () => {
    await expect(pool.run('canonicalHash', { value: () => 1 }, ample)).rejects.toThrow('could not be cloned');
    expect(await pool.run('validate', harmless, ample)).toEqual({ valid: true });
  });

  test('JSON that could use up all memory is refused before it is parsed', async () => {
    const text = `[${'[],'.repeat(maxJsonLength / 3)}0]`;
    await expect(pool.run('parseJson', { text }, ample)).rejects.toMatchObject({
      name: 'RangeError',
      message: expect.stringContaining('too long'),
    });
  });

  test('canonical JSON and its hash do not depend on the order of members', async () => {
    const one = await pool.run('canonicalHash', { value: { b: [1, 'é'], a: 1e21 } }, ample);
    expect(one).toEqual(await pool.run('canonicalHash', { value: { a: 1e21, b: [1, 'é'] } }, ample));
    expect(one.json).toBe('{"a":1e+21,"b":[1,"é"]}');
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the history is searched through a connection of the worker, which sees what was saved since', async () => {
    const { db, dataDir } = tempDatabase();
    insertConversation(db, 'c1', 'Cats');
    const query = { databaseFile: databaseFile(dataDir), query: 'whiskers', limit: 10 };
    expect(await pool.run('search', query, ample)).toEqual([]);
    insertMessage(db, 'm1', 'c1');
    indexMessage(db, { conversationId: 'c1' as ConversationId, messageId: 'm1' as MessageId, text: 'long whiskers', at: 5 });
    expect(await pool.run('search', query, ample)).toEqual([
      { conversationId: 'c1', title: 'Cats', messageId: 'm1', snippet: 'long whiskers', ranges: [[5, 13]], at: 5 },
    ]);
  });
});

test('the same pool works from a bundle, with worker.js beside it', async () => {
  const outDir = tempFolder();
  const workers = fileURLToPath(new URL('../../../main/host/workers/', import.meta.url));
  await build({
    configFile: false,
    logLevel: 'error',
    root: workers,
    build: {
      outDir,
      ssr: true,
      target: 'node24',
      rolldownOptions: {
        input: { pool: path.join(workers, 'pool.ts'), worker: path.join(workers, 'worker.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true, external: ['better-sqlite3'] },
  });
  const script = `
    const { createWorkerPool } = await import(process.argv[1]);
    const pool = createWorkerPool({ size: 1, log: console });
    console.log(JSON.stringify(await pool.run('validate', { schema: { type: 'string' }, value: 1 }, { timeoutMs: 20000 })));
    await pool.close();`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, path.join(outDir, 'pool.js')], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(JSON.parse(run.stdout)).toMatchObject({ valid: false });
});
