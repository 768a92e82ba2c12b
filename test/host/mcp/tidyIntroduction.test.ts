import { expect, test } from 'vitest';
import { tidyIntroduction } from '../../../main/host/mcp/tidyIntroduction.ts';
import { call, discovered, http, jsonRpcOverHttp, open, textOf } from './harness.ts';

const tools = { tools: { listChanged: true } };

test.each([
  ['nothing', { capabilities: tools }, { capabilities: tools }, []],
  ['a null capability', { capabilities: { ...tools, prompts: null } }, { capabilities: tools }, ['capabilities.prompts is no object']],
  [
    'a capability that is only true',
    { capabilities: { tools: true } },
    { capabilities: { tools: {} } },
    ['capabilities.tools is no object'],
  ],
  [
    'a flag that is a text',
    { capabilities: { resources: { subscribe: 'yes', listChanged: false } } },
    { capabilities: { resources: { listChanged: false } } },
    ['capabilities.resources.subscribe is neither true nor false'],
  ],
  [
    'an extension that is no object',
    { capabilities: { ...tools, extensions: { 'a/b': true, 'a/c': {} }, experimental: { x: 1 } } },
    { capabilities: { ...tools, extensions: { 'a/c': {} }, experimental: {} } },
    ['capabilities.extensions.a/b is no object', 'capabilities.experimental.x is no object'],
  ],
  [
    'tasks in another form',
    { capabilities: { ...tools, tasks: { requests: { tools: { call: true } } } } },
    { capabilities: tools },
    ['capabilities.tasks is not as the protocol has it'],
  ],
  [
    'tasks as they should be',
    { capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } },
    { capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } },
    [],
  ],
  ['instructions and _meta that are null', { instructions: null, _meta: null }, {}, ['instructions is no text', '_meta is no object']],
  [
    'a name without a version',
    { serverInfo: { name: 's', title: null, websiteUrl: 5 } },
    { serverInfo: { name: 's', version: '' } },
    ['serverInfo.version is no text', 'serverInfo.title is no text', 'serverInfo.websiteUrl is no text'],
  ],
  [
    'no name in a revision that has one',
    { protocolVersion: '2025-11-25' },
    { protocolVersion: '2025-11-25', serverInfo: { name: '', version: '' } },
    ['serverInfo is no object'],
  ],
  ['no capabilities at all', { capabilities: [] }, { capabilities: [] }, []],
])('of an introduction with %s the rest stays', (_what, said, result, problems) => {
  expect(tidyIntroduction(said)).toEqual({ result, problems });
});

/** A server that answers `server/discover` and `initialize` so, and has one tool. */
const introducing = (how: Record<string, Record<string, unknown>>) =>
  jsonRpcOverHttp(({ message: { method = '' }, response, answer }) => {
    if (how[method]) answer(how[method]);
    else if (method === 'tools/list')
      answer({
        result: { resultType: 'complete', tools: [{ name: 'echo', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
      });
    else if (method === 'tools/call') answer({ result: { content: [{ type: 'text', text: 'hi' }] } });
    else if (method.startsWith('notifications/')) response.writeHead(202).end();
    else response.writeHead(404).end();
  });

test.each([
  ['initialize', { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: null }, serverInfo: { name: 's', version: '1' } }],
  ['server/discover', { ...discovered.result, capabilities: { tools: {}, prompts: null } }],
])('one bad capability in the answer to %s costs nothing but itself, and is told', async (method, result) => {
  const { connection } = await open(http(await introducing({ [method]: { result } })));
  expect(connection.lists().warnings).toEqual(['Of what it says of itself some is left out: capabilities.prompts is no object.']);
  expect(textOf(await call(connection, 'echo'))).toBe('hi');
});

test.each([
  ['names only a revision to come', { supportedVersions: ['2031-01-01'] }, 'It names these: 2031-01-01.'],
  ['names no revisions', { supportedVersions: 'all' }, 'names no revisions of the protocol in "supportedVersions"'],
  ['has no capabilities', { capabilities: null }, 'has no object "capabilities"'],
])('a server whose answer to server/discover %s is told by that, and is never sent initialize', async (_what, wrong, words) => {
  const heard: unknown[] = [];
  const url = await jsonRpcOverHttp(({ message: { method }, answer }) => {
    heard.push(method);
    answer({ result: { ...discovered.result, ...wrong } });
  });
  await expect(open(http(url))).rejects.toMatchObject({ failure: { code: 'protocolError', message: expect.stringContaining(words) } });
  expect(heard).toEqual(['server/discover']);
});

test.each([
  [{ protocolVersion: 'DRAFT-7', capabilities: {}, serverInfo: { name: 's', version: '1' } }, 'It names these: DRAFT-7.'],
  [{ protocolVersion: '2025-11-25', capabilities: [] }, 'its result of initialize is not as the protocol has it (capabilities: '],
])('an answer to initialize of %j is told by the rule that it breaks', async (result, words) => {
  await expect(open(http(await introducing({ initialize: { result } })))).rejects.toMatchObject({
    failure: { code: 'protocolError', message: expect.stringContaining(words) },
  });
});
