import { ProtocolError } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leftOutOf, maxPages, promptsOf, readList, readPages, resourcesOf, templatesOf, toolsOf } from '../../../main/host/mcp/lists.ts';
import { createReadCache } from '../../../main/host/mcp/readCache.ts';
import { handClock } from './handClock.ts';

const names = (tools: { name: string }[]) => tools.map((tool) => tool.name);

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
  expect(read.items).toHaveLength(40);
  expect(read.warnings).toEqual([expect.stringContaining('longer than 16 MiB')]);
});

const inputSchema = { type: 'object' };

test('a tool is what its server says of it; what has another form than it must have is left out', () => {
  const whole = {
    name: 'a',
    title: 'A',
    description: 'Does a.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'string' },
    annotations: { title: 'B', readOnlyHint: true },
  };
  const odd = { name: 'b', title: 1, description: null, inputSchema: {}, outputSchema: [], annotations: 'x', execution: [] };
  const nothing = { title: undefined, description: undefined, outputSchema: undefined, annotations: undefined };
  expect(toolsOf([whole, odd], false)).toStrictEqual({ items: [whole, { name: 'b', inputSchema: {}, ...nothing }], warnings: [] });
  expect(toolsOf([{ name: 'c', inputSchema, annotations: { title: 'C' } }], false).items).toMatchObject([{ title: 'C' }]);
  const tasks = ['required', 'optional', 'forbidden'].map((taskSupport) => ({
    name: taskSupport,
    inputSchema,
    execution: { taskSupport },
  }));
  expect(toolsOf(tasks, false).items.map((tool) => tool.runsAsTask)).toEqual([true, true, undefined]);
});

test.each([
  [7, '(tool 1)', 'the server lists something here that is no tool'],
  [['a'], '(tool 1)', 'the server lists something here that is no tool'],
  [{ inputSchema }, '(tool 1)', 'it has no "name"'],
  [{ name: '', inputSchema }, '(tool 1)', 'it has no "name"'],
  [{ name: 5, inputSchema }, '(tool 1)', 'it has no "name"'],
  [{ name: 'n'.repeat(1025), inputSchema }, '(tool 1)', 'its name is longer than 1024 characters'],
  [{ name: 'resources/read', inputSchema }, 'resources/read', 'it has the name of a request of the protocol'],
  [{ name: 'a' }, 'a', 'the schema of its arguments is missing or no object'],
  [{ name: 'a', inputSchema: { type: 'array' } }, 'a', 'its arguments are described as "array" and must be an object'],
  [{ name: 'a', inputSchema: { type: 't'.repeat(90) } }, 'a', `its arguments are described as "${'t'.repeat(79)} and must be an object`],
])('%j is shown as a tool that cannot be used, with the reason', (item, name, problem) => {
  const { items, warnings } = toolsOf([item, { name: 'good', inputSchema }], false);
  expect(items).toMatchObject([{ name, problem }, { name: 'good' }]);
  expect(items[1]?.problem).toBeUndefined();
  expect(warnings).toEqual([`The tool ${name} cannot be used: ${problem}.`]);
});

test('the longest name is usable, of two tools of one name the first counts, and headers count over HTTP only', () => {
  expect(toolsOf([{ name: 'n'.repeat(1024), inputSchema }], true).warnings).toEqual([]);
  const twice = toolsOf(
    [
      { name: 'a', title: 'first', inputSchema },
      { name: 'a', title: 'second' },
    ],
    false,
  );
  expect(twice).toMatchObject({ items: [{ title: 'first' }], warnings: [] });
  expect(twice.items).toHaveLength(1);
  const header = { name: 'a', inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': '' } } } };
  expect(toolsOf([header], false).items[0]?.problem).toBeUndefined();
  expect(toolsOf([header], true).items[0]?.problem).toContain('impossible name');
});

test('what of a list is left out is said: entries without a name, and names that come again', () => {
  const twice = [{ name: 'a' }, { name: 'b' }, { name: 'a' }, { name: 'a' }];
  expect(leftOutOf('tools', [...twice, {}, 7])).toEqual([
    'The list of tools names these more than once, and the first of each counts: "a".',
  ]);
  expect(leftOutOf('prompts', [...twice, {}, 7])).toEqual([
    'The list of prompts has entries without a "name" (2), which are left out.',
    'The list of prompts names these more than once, and the first of each counts: "a".',
  ]);
  expect(leftOutOf('resources', [{ name: 'nameless' }])).toEqual([
    'The list of resources has entries without a "uri" (1), which are left out.',
  ]);
  expect(leftOutOf('templates', [{ uriTemplate: 'x:{a}' }, { uriTemplate: 'x:{b}' }])).toEqual([]);
  const many = Array.from({ length: 12 }, (_, index) => ({ name: `${index}${'n'.repeat(200)}` }));
  expect(leftOutOf('tools', [...many, ...many])[0]).toMatch(/"9n{99}" and 2 more\.$/);
  expect(leftOutOf('tools', many)).toEqual([]);
});

test('resources are listed once each under their address, with what they say in the right form', () => {
  const whole = { uri: 'x:1', name: 'One', title: 'T', description: 'D', mimeType: 'text/plain', size: 0 };
  const bare = { name: 'x:2', title: undefined, description: undefined, mimeType: undefined };
  expect(
    resourcesOf([whole, { ...whole, name: 'again' }, { uri: 'x:2', size: -1, title: 5 }, { name: 'nameless' }, { uri: 5 }, null, 7]),
  ).toStrictEqual([whole, { uri: 'x:2', ...bare }]);
  for (const size of [1.5, '7', 2 ** 53]) expect(resourcesOf([{ uri: 'x:2', size }])).toStrictEqual([{ uri: 'x:2', ...bare }]);
});

test('templates are listed once each with their variables; one that cannot be filled stays, with the reason', () => {
  const whole = { uriTemplate: 'x:/{a}', name: 'One', title: 'T', description: 'D', mimeType: 'text/plain' };
  const bare = { title: undefined, description: undefined, mimeType: undefined };
  expect(templatesOf([whole, { ...whole, name: 'again' }, { uriTemplate: 'x:/{' }, {}, { uriTemplate: 1 }, null])).toStrictEqual([
    { ...whole, variables: ['a'] },
    { uriTemplate: 'x:/{', name: 'x:/{', ...bare, variables: [], problem: 'its braces do not match' },
  ]);
});

test('prompts are listed once each with their arguments, those without a name left out', () => {
  const argument = { name: 'a', title: 'T', description: 'D' };
  const bare = { title: undefined, description: undefined };
  const given = [{ ...argument, required: true }, { name: 'b', required: 'yes' }, { title: 'nameless' }, 7];
  const prompt = { name: 'p', title: 'P', description: 'Q' };
  expect(promptsOf([{ ...prompt, arguments: given }, { name: 'p' }, { name: 'q', arguments: {} }, {}, null])).toStrictEqual([
    {
      ...prompt,
      arguments: [
        { ...argument, required: true },
        { name: 'b', ...bare },
      ],
    },
    { name: 'q', ...bare, arguments: [] },
  ]);
});

/** Reads pages of templates, whose list has another name than the list that a page holds. */
const readTemplates = (pages: (Record<string, unknown> | Error)[]) => {
  const asked: (string | undefined)[] = [];
  const read = readPages('templates', async (cursor) => {
    asked.push(cursor);
    const page = pages.shift();
    if (page instanceof Error) throw page;
    return page ?? {};
  });
  return { asked, read };
};

test('pages are followed by their cursors until there is none', async () => {
  for (const last of [{}, { nextCursor: null }]) {
    const { asked, read } = readTemplates([
      { resourceTemplates: [1], nextCursor: '' },
      { resourceTemplates: [2], nextCursor: 'b' },
      { resourceTemplates: [3], ...last },
    ]);
    expect(await read).toEqual({ items: [1, 2, 3], warnings: [] });
    expect(asked).toEqual([undefined, '', 'b']);
  }
});

test.each<[string, Record<string, unknown> | Error]>([
  [`page 2 could not be read (${'x'.repeat(300)})`, new Error('x'.repeat(400))],
  ['page 2 of the server holds no list', { resourceTemplates: {} }],
  ['it is longer than 16 MiB', { resourceTemplates: ['x'.repeat(16 * 1024 * 1024)] }],
  ['the server names the next page in a form that is not allowed', { resourceTemplates: [], nextCursor: 5 }],
  ['the server names a page again that was read before', { resourceTemplates: [], nextCursor: 'b' }],
])('%s: what was read before stays, and the list is called incomplete', async (why, page) => {
  const { read } = readTemplates([{ resourceTemplates: [1], nextCursor: 'b' }, page]);
  expect(await read).toEqual({ items: [1], warnings: [`The list of resource templates is incomplete: ${why}.`] });
});

test('a list of as many pages as may be is complete; a page more is not read', async () => {
  const pages = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      resourceTemplates: [index],
      ...(index === count - 1 ? {} : { nextCursor: `${index}` }),
    }));
  expect(await readTemplates(pages(maxPages)).read).toMatchObject({ warnings: [] });
  const { asked, read } = readTemplates(pages(maxPages + 1));
  expect(await read).toMatchObject({ warnings: ['The list of resource templates is incomplete: it has more than 64 pages.'] });
  expect(asked).toHaveLength(maxPages);
});

test('an entry that is nested too deep to be looked through is nothing, and the others stay', async () => {
  const deep: unknown = JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`);
  expect(await readTemplates([{ resourceTemplates: [deep, 2] }]).read).toEqual({ items: [null, 2], warnings: [] });
});

test('a first page that cannot be read is an error', async () => {
  await expect(readTemplates([new Error('gone')]).read).rejects.toThrow('gone');
});

type Client = Parameters<typeof readList>[0];
const signal = new AbortController().signal;

test.each([
  ['tools', 'tools', 'tools/list', 'tools', 'tools'],
  ['resources', 'resources', 'resources/list', 'resources', 'resources'],
  ['templates', 'resources', 'resources/templates/list', 'resourceTemplates', 'resource templates'],
  ['prompts', 'prompts', 'prompts/list', 'prompts', 'prompts'],
] as const)('%s are asked for where the server declares %s; its refusal is a warning', async (kind, capability, method, member, words) => {
  const asked: unknown[] = [];
  const read = (capabilities: object | undefined, answer: () => unknown) => {
    const client = {
      getServerCapabilities: () => capabilities,
      request: async (...args: unknown[]) => (asked.push(args[0], args[2]), answer()),
    };
    const cache = createReadCache(handClock(), () => '');
    return readList(client as unknown as Client, kind, { timeoutMs: 7, signal, cache });
  };
  const refuse = (error: Error) => () => {
    throw error;
  };
  const nothing = { items: [], warnings: [], pages: [], hasTtl: false };
  expect(await read({}, () => ({}))).toEqual(nothing);
  expect(await read(undefined, () => ({}))).toEqual(nothing);
  expect(asked).toEqual([]);
  expect(await read({ [capability]: {} }, () => ({ [member]: [1] }))).toEqual({ items: [1], warnings: [], pages: [''], hasTtl: false });
  expect(asked).toEqual([
    { method, params: {} },
    { timeout: 7, signal },
  ]);
  expect(await read({ [capability]: {} }, refuse(new ProtocolError(-32601, 'unknown')))).toEqual(nothing);
  expect(await read({ [capability]: {} }, refuse(new ProtocolError(-32602, 'x'.repeat(400))))).toEqual({
    ...nothing,
    warnings: [`The list of ${words} could not be read: ${'x'.repeat(300)}`],
  });
  await expect(read({ [capability]: {} }, refuse(new Error('lost')))).rejects.toThrow('lost');
});
