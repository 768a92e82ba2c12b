import { expect, test } from 'vitest';
import { maxPages } from '../../../main/host/mcp/lists.ts';
import { call, nodeProgram, open, testServer, textOf } from './harness.ts';

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
  expect(warnings).toHaveLength(5);
  expect(warnings).toContainEqual(expect.stringContaining('more than once, and the first of each counts: "good0"'));
  expect(await call(connection, 'good9')).toMatchObject({ kind: 'result' });
});

test('200 notices in a burst cost at most two list calls, and the last change is not lost', async () => {
  const { connection, lists } = await open(nodeProgram(testServer('notices')));
  const before = Number(textOf(await call(connection, 'lists')));
  await call(connection, 'burst');
  await expect.poll(() => connection.lists().tools.length).toBe(202);
  expect(Number(textOf(await call(connection, 'lists'))) - before).toBeLessThanOrEqual(2);
  expect(lists.at(-1)?.tools.at(-1)?.name).toBe('added200');
});

test('a notice sent from inside every list does not go round for ever: it is read ever more rarely and called noisy', async () => {
  const { connection } = await open(nodeProgram(testServer('notices'), 'inside'));
  await expect.poll(() => connection.lists().warnings).toEqual([expect.stringContaining('again and again')]);
  expect(Number(textOf(await call(connection, 'lists')))).toBeLessThan(8);
});
