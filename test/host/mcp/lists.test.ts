import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstDelayMs, listChanges } from '../../../main/host/mcp/listChanges.ts';
import { maxPages, readPages, toolsOf } from '../../../main/host/mcp/lists.ts';
import { call, handClock, nodeProgram, open, testServer, textOf } from './harness.ts';

const names = (tools: { name: string }[]) => tools.map((tool) => tool.name);

test('a cursor that is repeated for ever is followed once: eight tools stay eight, and the list is called incomplete', async () => {
  for (const mode of ['repeats', 'emptyRepeats']) {
    const { connection } = await open(nodeProgram(testServer('cursors'), mode));
    expect(connection.lists().tools).toHaveLength(8);
    expect(connection.lists().warnings).toEqual([expect.stringMatching(/^The list of tools is incomplete: .*read before/)]);
    expect(textOf(await call(connection, 'tool0'))).toBe('2');
  }
});

test('an empty cursor is a cursor: the page behind it is read', async () => {
  const { connection } = await open(nodeProgram(testServer('cursors'), 'emptyOnce'));
  expect(names(connection.lists().tools)).toEqual(['first', 'second']);
  expect(connection.lists().warnings).toEqual([]);
});

test('a list without end stops at the page cap, with what it had', async () => {
  const { connection } = await open(nodeProgram(testServer('cursors'), 'many'));
  expect(connection.lists().tools).toHaveLength(maxPages);
  expect(connection.lists().warnings).toEqual([expect.stringContaining(`more than ${maxPages} pages`)]);
});

test('a page that fails does not lose the pages before it', async () => {
  const { connection } = await open(nodeProgram(testServer('cursors'), 'breaks'));
  expect(names(connection.lists().tools)).toEqual(['first']);
  expect(connection.lists().warnings).toEqual([expect.stringContaining('the store is gone')]);
});

test('one bad tool of twenty never loses the others: it is shown with the reason', async () => {
  const { connection } = await open(nodeProgram(testServer('badTools')));
  const { tools, warnings } = connection.lists();
  expect(tools).toHaveLength(20);
  expect(tools.filter((tool) => tool.problem === undefined)).toHaveLength(16);
  expect(tools.find((tool) => tool.name === 'arrayRoot')?.problem).toContain('must be an object');
  expect(tools.find((tool) => tool.name === 'noSchema')?.problem).toContain('schema');
  expect(tools.filter((tool) => tool.name.startsWith('(tool'))).toHaveLength(2);
  expect(warnings).toHaveLength(4);
  expect(await call(connection, 'good9')).toMatchObject({ kind: 'result' });
});

test('200 notices in a burst cost at most two list calls, and the last change is not lost', async () => {
  const { connection, lists } = await open(nodeProgram(testServer('notices')));
  const before = Number(textOf(await call(connection, 'lists')));
  await call(connection, 'burst');
  await expect.poll(() => connection.lists().tools.length, { timeout: 10_000 }).toBe(202);
  expect(Number(textOf(await call(connection, 'lists'))) - before).toBeLessThanOrEqual(2);
  expect(lists.at(-1)?.tools.at(-1)?.name).toBe('added200');
});

test('a notice sent from inside every list does not go round for ever: it is read ever more rarely and called noisy', async () => {
  const { connection } = await open(nodeProgram(testServer('notices'), 'inside'));
  await expect.poll(() => connection.lists().warnings, { timeout: 15_000 }).toEqual([expect.stringContaining('again and again')]);
  expect(Number(textOf(await call(connection, 'lists')))).toBeLessThan(8);
});

test('whenever notices come, the list is read again after the last of them, and never twice at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 3000 })), { minLength: 1, maxLength: 60 }),
      async (gaps) => {
        const clock = handClock();
        let version = 0;
        let seen = -1;
        let reading = 0;
        let reads = 0;
        const changes = listChanges({
          clock,
          async read() {
            reading += 1;
            reads += 1;
            expect(reading).toBe(1);
            // What the server answers is how things stood when it was asked.
            const asked = version;
            await new Promise<void>((resolve) => void clock.after(200, resolve));
            const changed = seen !== asked;
            seen = asked;
            reading -= 1;
            return changed;
          },
          onNoisy: () => undefined,
        });
        for (const gap of gaps) {
          version += 1;
          changes.notice();
          await clock.pass(gap);
        }
        await clock.pass(700_000);
        expect(seen).toBe(version);
        expect(reads).toBeLessThanOrEqual(gaps.length);
      },
    ),
    { seed: 7, numRuns: 60 },
  );
});

test('a server that answers every list with another notice is read a dozen times in the time in which it was read 1,742 times elsewhere', async () => {
  const clock = handClock();
  let reads = 0;
  let noisy = 0;
  const changes = listChanges({
    clock,
    read() {
      reads += 1;
      changes.notice();
      return Promise.resolve(false);
    },
    onNoisy: () => (noisy += 1),
  });
  changes.notice();
  await clock.pass(164_000);
  expect(reads).toBeLessThanOrEqual(12);
  expect(reads).toBeGreaterThan(5);
  expect(noisy).toBe(1);
});

test('after a quiet time the first notice is followed quickly again', async () => {
  const clock = handClock();
  let reads = 0;
  const changes = listChanges({ clock, read: () => Promise.resolve(++reads > 0), onNoisy: () => undefined });
  for (let each = 0; each < 5; each += 1) {
    changes.notice();
    await clock.pass(firstDelayMs * 2 ** each);
  }
  expect(reads).toBe(5);
  await clock.pass(3_600_000);
  changes.notice();
  await clock.pass(firstDelayMs);
  expect(reads).toBe(6);
});

test('whatever a server lists, salvage keeps every usable tool once and gives every other one a reason', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: fc.constant({ type: 'object' }) })), { maxLength: 30 }),
      (items) => {
        const { items: tools, warnings } = toolsOf(items, true);
        expect(new Set(names(tools)).size).toBe(tools.length);
        expect(tools.every((tool) => tool.name !== '')).toBe(true);
        expect(warnings).toHaveLength(tools.filter((tool) => tool.problem !== undefined).length);
      },
    ),
    { seed: 11, numRuns: 200 },
  );
});

test('a list longer than the byte cap stops with what it had', async () => {
  const page = { tools: Array.from({ length: 10 }, (_, index) => ({ name: `t${index}`, description: 'x'.repeat(400_000) })) };
  let pages = 0;
  const read = await readPages('tools', () => Promise.resolve({ ...page, nextCursor: String(++pages) }));
  expect(pages).toBe(5);
  expect(read.warnings).toEqual([expect.stringContaining('longer than 16 MiB')]);
});
