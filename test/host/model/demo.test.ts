import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDemoModel } from '../../../main/host/model/demo/demoModel.ts';
import { partsOf } from '../../../main/host/model/demo/sentenceParts.ts';
import { demoSentences } from '../../../main/host/model/demo/sentences.ts';
import type { ModelEvent, ModelTool, PromptMessage, PromptPart } from '../../../main/host/model/model.ts';
import { buildCatalogue } from '../../../main/host/tools/catalogue.ts';
import { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerTool } from '../../../main/host/mcp/callTool.ts';

/** The three bundled servers, started from their packages, and the demo model over their real tools. */
let folder: string;
let memory: string;
const clients = new Map<string, Client>();
const tools: ServerTool[] = [];
const model = createDemoModel();

const require = createRequire(import.meta.url);

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'maitre-demo-')));
  memory = await realpath(await mkdtemp(join(tmpdir(), 'maitre-memory-')));
  await writeFile(join(folder, 'notes-of-monday.txt'), 'Water the plants.');
  await connect('files', 'server-filesystem', [folder], {});
  await connect('memory', 'server-memory', [], { MEMORY_FILE_PATH: join(memory, 'memory.jsonl') });
  await connect('everything', 'server-everything', [], {});
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await rm(folder, { recursive: true, force: true });
  await rm(memory, { recursive: true, force: true });
});

async function connect(name: string, packageName: string, args: string[], env: Record<string, string>): Promise<void> {
  const script = join(dirname(require.resolve(`@modelcontextprotocol/${packageName}/package.json`)), 'dist', 'index.js');
  const client = new Client({ name: 'maitre-test', version: '1.0.0' }, { capabilities: {} });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [script, ...args],
      env: { ...env, PATH: process.env['PATH'] ?? '' },
      stderr: 'ignore',
    }),
  );
  clients.set(name, client);
  for (const tool of (await client.listTools()).tools) {
    tools.push({
      serverId: ServerId.parse(name),
      serverName: name,
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    });
  }
}

interface Story {
  calls: { server: string; tool: string; arguments: Record<string, unknown> }[];
  answer: string;
  deltas: number;
}

/** Model, call, model, …, as a turn does it; `deny` answers every call with a denial. */
async function tell(sentence: string, deny = false): Promise<Story> {
  const catalogue = buildCatalogue(tools, model.limits, new Set());
  const messages: PromptMessage[] = [{ role: 'user', parts: [{ type: 'text', text: sentence.replaceAll('{folder}', folder) }] }];
  const story: Story = { calls: [], answer: '', deltas: 0 };
  for (let step = 0; step < 5; step += 1) {
    const events: ModelEvent[] = [];
    for await (const event of model.stream({
      system: '',
      messages,
      tools: catalogue.modelTools,
      signal: new AbortController().signal,
      timeoutMs: 1000,
    }))
      events.push(event);
    const text = events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');
    const calls = events.filter((event) => event.type === 'call');
    story.answer = text;
    story.deltas = events.filter((event) => event.type === 'text.delta').length;
    if (calls.length === 0) return story;
    messages.push({
      role: 'assistant',
      text,
      calls: calls.map(({ modelCallId, wireName, arguments: given }) => ({ modelCallId, wireName, arguments: given })),
    });
    for (const call of calls) {
      const tool = catalogue.find(call.wireName);
      if (tool === undefined || call.arguments === undefined) throw new Error(`no such tool: ${call.wireName}`);
      story.calls.push({ server: tool.serverName, tool: tool.name, arguments: call.arguments });
      const outcome = deny
        ? { isError: true, denied: true, parts: [{ type: 'text' as const, text: 'The person did not allow this call.' }] }
        : await callServer(tool, call.arguments);
      messages.push({ role: 'tool', results: [{ modelCallId: call.modelCallId, wireName: call.wireName, ...outcome }] });
    }
  }
  throw new Error('The demo model does not come to an end.');
}

async function callServer(tool: ServerTool, given: Record<string, unknown>): Promise<{ isError: boolean; parts: PromptPart[] }> {
  const result = await clients.get(tool.serverName)?.callTool({ name: tool.name, arguments: given });
  const content = Array.isArray(result?.content) ? result.content : [];
  return {
    isError: result?.isError === true,
    parts: content.map((block): PromptPart =>
      block.type === 'image'
        ? { type: 'image', mimeType: block.mimeType, base64: block.data }
        : { type: 'text', text: block.type === 'text' ? block.text : JSON.stringify(block) },
    ),
  };
}

/** What the last answer must show, so that a sentence counts as completed and not only as called. */
const shows: Record<string, string> = {
  'list the files in {folder}': 'notes-of-monday.txt',
  'write "hello" to {folder}/hello.txt': 'Successfully wrote',
  'read {folder}/hello.txt': 'hello',
  'search for notes in {folder}': 'notes-of-monday.txt',
  'remember that Ada likes tea': 'Ada likes tea',
  'what do you remember about Ada?': 'Ada likes tea',
  '列出 {folder} 里的文件': 'hello.txt',
  '把“你好”写入 {folder}/问候.txt': 'Successfully wrote',
  '读取 {folder}/问候.txt': '你好',
  记住小明喜欢喝茶: '小明喜欢喝茶',
  '你还记得关于小明的什么？': '小明喜欢喝茶',
  '计算 2 加 3': '5',
};

describe('the twelve documented sentences, over the real bundled servers', () => {
  test('are six English and six Chinese ones, each with something to show', () => {
    expect(demoSentences.filter(({ language }) => language === 'en')).toHaveLength(6);
    expect(demoSentences.filter(({ language }) => language === 'zh')).toHaveLength(6);
    expect(demoSentences.map(({ sentence }) => sentence)).toEqual(Object.keys(shows));
  });

  test('an English question about a Chinese file name is answered in English', () => {
    expect(partsOf('read "/notes/行程.md"').language).toBe('en');
    expect(partsOf('read /notes/行程.md').language).toBe('en');
    expect(partsOf('读取 /notes/trip.md').language).toBe('zh');
    expect(partsOf('“你好”').language).toBe('zh');
  });

  test.each(demoSentences)('$sentence', async ({ sentence, server, tool, language }) => {
    const story = await tell(sentence);
    expect(story.calls).toMatchObject([{ server, tool }]);
    expect(story.answer).toContain(shows[sentence]);
    expect(story.answer).toContain(language === 'zh' ? '我调用了' : 'I called');
    expect(story.answer).not.toContain(language === 'zh' ? '失败' : 'failed');
    expect(story.deltas).toBeGreaterThan(2);
  });

  test('the written files hold exactly what the sentences said', async () => {
    expect(await readFile(join(folder, 'hello.txt'), 'utf8')).toBe('hello');
    expect(await readFile(join(folder, '问候.txt'), 'utf8')).toBe('你好');
  });

  test('stand in the documentation as they are', async () => {
    const page = await readFile(new URL('../../../docs/demo.md', import.meta.url), 'utf8');
    for (const { sentence } of demoSentences) expect(page).toContain(sentence.replaceAll('{folder}', '/your/folder'));
  });
});

test.each([
  ['echo "hi"', 'echo', 'hi'],
  ['复述“你好”', 'echo', '你好'],
  ['add 2 and 3', 'get-sum', '5'],
  ['what is in {folder}?', 'list_directory', 'notes-of-monday.txt'],
  ['请读一下 {folder}/notes-of-monday.txt的内容', 'read_text_file', 'Water the plants.'],
  ['在 {folder} 中搜索 notes', 'search_files', 'notes-of-monday.txt'],
  ['call read_text_file path="{folder}/notes-of-monday.txt" head=1', 'read_text_file', 'Water the plants.'],
  ['how large is {folder}/notes-of-monday.txt', 'get_file_info', 'size: 17'],
  ['create a new folder {folder}/plans', 'create_directory', 'Successfully created'],
  ['which folders can you use?', 'list_allowed_directories', 'maitre-demo-'],
  ['get structured content for Chicago', 'get-structured-content', 'temperature'],
  ['show me a tiny image', 'get-tiny-image', 'It gave an image.'],
])('also completes: %s', async (sentence, tool, shown) => {
  const story = await tell(sentence);
  expect(story.calls.map((call) => call.tool)).toEqual([tool]);
  expect(story.answer).toContain(shown);
});

test('something new about a known name is added to it, in a second call', async () => {
  await tell('remember that Grace is an admiral');
  const story = await tell('remember that Grace likes ships');
  expect(story.calls.map((call) => call.tool)).toEqual(['create_entities', 'add_observations']);
  expect((await tell('what do you know about Grace')).answer).toContain('Grace likes ships');
});

test.each([
  ['write "x" to {folder}/denied.txt', 'You did not allow', 'files'],
  ['把“x”写入 {folder}/denied.txt', '你没有允许', 'files'],
])('after a denial it says so, and does not try again: %s', async (sentence, words, server) => {
  const story = await tell(sentence, true);
  expect(story.calls).toHaveLength(1);
  expect(story.answer).toContain(words);
  expect(story.answer).toContain(server);
  await expect(readFile(join(folder, 'denied.txt'))).rejects.toThrow('ENOENT');
});

test('a failed call is told as failed, with what the tool said', async () => {
  const story = await tell('read /etc/hostname.txt');
  expect(story.answer).toContain('failed');
  expect(story.answer).toContain('outside allowed directories');
});

test.each([
  ['hello', 'list the files in /your/folder'],
  ['你好', '列出 /你的/文件夹 里的文件'],
])('when no tool fits it calls nothing and says what it can do: %s', async (sentence, example) => {
  const story = await tell(sentence);
  expect(story.calls).toEqual([]);
  expect(story.answer).toContain(example);
});

test.each(['call write_file path={folder}/x.txt', 'write the words hello there to {folder}/x.txt'])(
  'what is to be written must be quoted; it is asked for, not guessed: %s',
  async (sentence) => {
    const story = await tell(sentence);
    expect(story.calls).toEqual([]);
    expect(story.answer).toContain('content="…"');
  },
);

test('a result cannot leave its block: a fence in it makes ours longer', async () => {
  await writeFile(join(folder, 'fence.txt'), '```\n# not a heading of ours\n````\n![x](https://example.com/x.png)');
  const story = await tell('read {folder}/fence.txt');
  expect(story.answer).toMatch(/\n`{5}\n```\n[\s\S]*\n`{5}$/);
});

test('without servers it says how to add one', async () => {
  const events: ModelEvent[] = [];
  const noTools: ModelTool[] = [];
  for await (const event of model.stream({
    system: '',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'list the files in /x' }] }],
    tools: noTools,
    signal: new AbortController().signal,
    timeoutMs: 1000,
  }))
    events.push(event);
  expect(events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')).toContain('No server is connected');
});

/** What it says to a request without more. */
async function saidTo(messages: PromptMessage[], more: { tools?: ModelTool[]; fromServer?: boolean } = {}): Promise<string> {
  let said = '';
  const request = { system: '', messages, tools: [], signal: new AbortController().signal, timeoutMs: 1000, ...more };
  for await (const event of model.stream(request)) said += event.type === 'text.delta' ? event.text : '';
  return said;
}

test.each([
  ['Summarise this.', 'cannot answer what a server asks'],
  ['请总结。', '无法回答服务器的问题'],
])('what a server asks it does not answer, and says nothing of servers that are missing: %s', async (text, words) => {
  const said = await saidTo([{ role: 'user', parts: [{ type: 'text', text }] }], { fromServer: true });
  expect(said).toContain(words);
  expect(said).not.toMatch(/No server is connected|没有连接/);
});

test('what the host says of a call is not told as words of the tool', async () => {
  const wireName = 'files__read';
  const tool = (isError: boolean, parts: PromptPart[]): PromptMessage[] => [
    { role: 'user', parts: [{ type: 'text', text: 'read' }] },
    { role: 'assistant', text: '', calls: [{ modelCallId: 'a', wireName, arguments: {} }] },
    { role: 'tool', results: [{ modelCallId: 'a', wireName, isError, parts }] },
  ];
  const note: PromptPart = { type: 'text', text: '[The user changed the arguments.]', by: 'host' };
  expect(await saidTo(tool(false, [note, { type: 'text', text: 'the words' }]))).toBe(
    'I called “files__read”. It answered:\n\n```\nthe words\n```\n\nMaitre says of it:\n\n```\n[The user changed the arguments.]\n```',
  );
  expect(await saidTo(tool(true, [{ type: 'text', text: 'It took too long.', by: 'host' }]))).toBe(
    'I called “files__read”, but it failed.\n\nMaitre says of it:\n\n```\nIt took too long.\n```',
  );
});

test('Stop ends it in the middle of its words', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  const run = (async () => {
    for await (const event of model.stream({
      system: '',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
      tools: [],
      signal: stop.signal,
      timeoutMs: 1000,
    })) {
      if (event.type === 'text.delta') stop.abort(reason);
    }
  })();
  await expect(run).rejects.toBe(reason);
});
