import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../preload/contract/conversations.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { ConversationId, FolderId, ServerId } from '../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import type { HostOptions } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { startProviderServer } from '../doubles/providerServer.ts';
import { startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';

const packaged = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));
const own = (name: string): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url));

interface Given {
  host: TestHost;
  home: string;
  opened: string[];
  dataDir: string;
  script: string;
  add(name: string, args: string[]): Promise<void>;
  /** Sends a message; the script's steps answer it, and every call is allowed. */
  say(): Promise<ConversationId>;
}

/** A real host with a script as its model. Every call is allowed; every question waits for the test. */
async function start(steps: object[], dataDir?: string, options: Partial<HostOptions> = {}): Promise<Given> {
  const home = realpathSync(tempFolder());
  const script = path.join(home, 'script.json');
  writeFileSync(script, JSON.stringify({ steps }));
  const opened: string[] = [];
  const data = dataDir ?? path.join(home, 'data');
  const host = await startTestHost({
    dataDir: data,
    ...options,
    scriptFiles: [script],
    ports: {
      paths: { ...nodePorts({ env: {}, dataDir: data }).paths, home },
      openUrl: async (url) => void opened.push(url),
    },
  });
  host.host.on((message) => {
    if (message.topic !== 'approvals' || message.event.type !== 'approval.added') return;
    const { id, argumentsHash } = message.event.approval;
    void host.run('approval.answer', { approvalId: id, argumentsHash, decision: { kind: 'allow', scope: 'once' } });
  });
  return {
    host,
    home,
    opened,
    dataDir: data,
    script,
    async add(name, args) {
      const { server } = await host.run('server.add', { name, config: { command: process.execPath, args } });
      if (server.status.state !== 'off' || !server.status.needsConsent) throw new Error(server.status.state);
      await host.run('server.consent', { serverId: server.id, configHash: server.status.needsConsent.configHash, allow: true });
      await host.serversReady();
    },
    async say() {
      const { conversation } = await host.run('conversation.create', { model: `scripted:${script}` });
      await host.run('turn.send', { conversationId: conversation.id, text: 'Go on.' });
      return conversation.id;
    },
  };
}

/** The first question, in whatever stage, for which `fits` holds. */
const question =
  (fits: (input: InputRequest) => boolean) =>
  (message: EventMessage): InputRequest | undefined => {
    if (message.topic !== 'approvals' || (message.event.type !== 'input.added' && message.event.type !== 'input.changed')) return undefined;
    return fits(message.event.input) ? message.event.input : undefined;
  };

const answer = (host: TestHost, { id }: InputRequest, reply: InputAnswer) => host.run('input.answer', { inputId: id, answer: reply });

async function resultsOf(host: TestHost, conversationId: ConversationId): Promise<string[]> {
  expect(await host.until(turnEnd(conversationId))).toMatchObject({ state: 'done' });
  const { messages } = await host.run('conversation.open', { conversationId });
  const calls = messages.flatMap((message: Message) => message.parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
  return calls.map((call) => {
    if (call.state === 'succeeded') return call.content.map((block) => (block.type === 'text' ? block.text.text : '')).join('\n');
    return `${call.state}: ${call.state === 'failed' ? `${call.error.code} ${call.error.message}` : ''}`;
  });
}

test('the public everything server: form, model, pages and folders, each through its card', async () => {
  const given = await start([
    { text: 'A form.', calls: [{ tool: 'everything.trigger-elicitation-request', arguments: {} }] },
    { calls: [{ tool: 'everything.trigger-sampling-request', arguments: { prompt: 'What is up?', maxTokens: 30 } }] },
    {
      calls: [
        { tool: 'everything.trigger-url-elicitation', arguments: { url: 'https://example.com/a', message: 'Open it', errorPath: true } },
      ],
    },
    { calls: [{ tool: 'everything.get-roots-list', arguments: {} }] },
    { text: 'Done.' },
  ]);
  const { host, home, opened } = given;
  mkdirSync(path.join(home, 'project', '.git'), { recursive: true });
  mkdirSync(path.join(home, 'project', 'src'));
  await given.add('everything', [packaged('everything'), 'stdio']);

  // It asks for folders by itself, soon after it has begun.
  const folders = await host.until(question((input) => input.kind === 'roots'));
  expect(folders.callId).toBeUndefined();
  const { entries } = await host.run('folder.browse', {});
  const project = entries.find(({ name }) => name === 'project');
  if (!project) throw new Error('The folder is not listed.');
  await answer(host, folders, { action: 'accept', content: { folderIds: [project.id] } });

  const chat = await given.say();
  const form = await host.until(question((input) => input.schema !== undefined));
  expect(form).toMatchObject({ kind: 'elicitation', serverName: 'everything', conversationId: chat });
  const wrong = await host.refused('input.answer', {
    inputId: form.id,
    answer: { action: 'accept', content: { integer: 1000, email: 'x' } },
  });
  expect(wrong.fields?.map(({ name }) => name)).toEqual(expect.arrayContaining(['email', 'integer']));
  await answer(host, form, { action: 'accept', content: { name: 'Ada', integer: 7, titledSingleSelectEnum: 'hero-2' } });

  const request = await host.until(question((input) => input.kind === 'sampling'));
  expect(request.sampling).toMatchObject({ maxTokens: 30, systemPrompt: { text: 'You are a helpful test server.' } });
  await answer(host, request, { action: 'accept' });
  const result = await host.until(question((input) => input.stage === 'result'));
  expect(result.sampling?.result).toMatchObject({ blocks: [{ type: 'text', text: { text: 'A form.' } }] });
  await answer(host, result, { action: 'accept', stage: 'result' });

  const needed = await host.until(question((input) => input.url?.startsWith('https://modelcontextprotocol.io') === true));
  expect(opened).toEqual([]);
  await answer(host, needed, { action: 'accept' });
  const visited = await host.until(question((input) => input.stage === 'opened'));
  await answer(host, visited, { action: 'accept', stage: 'opened' });
  const page = await host.until(question((input) => input.url === 'https://example.com/a'));
  await answer(host, page, { action: 'accept' });
  expect(opened).toEqual(['https://modelcontextprotocol.io/', 'https://example.com/a']);

  const [filled, sampled, browsed, told] = await resultsOf(host, chat);
  expect(filled).toContain('Ada');
  expect(sampled).toContain('A form.');
  expect(browsed).toContain('completed the URL elicitation flow');
  expect(told).toContain(pathToFileURL(path.join(home, 'project')).href);
}, 60_000);

test('the public file server without folders is told of one, and hears of a change', async () => {
  const given = await start([{ calls: [{ tool: 'fs.list_allowed_directories', arguments: {} }] }, { text: 'Done.' }]);
  const { host, home } = given;
  for (const name of ['one', 'two']) mkdirSync(path.join(home, name));
  await given.add('fs', [packaged('filesystem')]);
  const asked = await host.until(question((input) => input.kind === 'roots'));
  const { entries } = await host.run('folder.browse', {});
  const idOf = (wanted: string): FolderId => entries.find(({ name }) => name === wanted)?.id ?? ('none' as FolderId);
  await answer(host, asked, { action: 'accept', content: { folderIds: [idOf('one')] } });
  // It takes what it was told on its own time: an answer shows when it has.
  const untilAllowed = async (name: string, other: string): Promise<void> => {
    for (;;) {
      const [allowed = ''] = await resultsOf(host, await given.say());
      if (allowed.includes(path.join(home, name)) && !allowed.includes(path.join(home, other))) return;
    }
  };
  await untilAllowed('one', 'two');

  const { features } = await host.run('server.setClientFeatures', { serverId: asked.serverId!, folderIds: [idOf('two')] });
  expect(features).toMatchObject({ foldersChosen: true, folders: [{ path: path.join(home, 'two') }] });
  await untilAllowed('two', 'one');
}, 60_000);

test('what was chosen for a server outlives a restart, and a repository around a folder is suggested', async () => {
  const given = await start([]);
  const { host, home } = given;
  mkdirSync(path.join(home, 'repo', '.git'), { recursive: true });
  mkdirSync(path.join(home, 'repo', 'deep', 'er'), { recursive: true });
  const { server } = await host.run('server.add', {
    name: 'asks',
    config: { command: process.execPath, args: [own('askAnything')], cwd: path.join(home, 'repo', 'deep') },
  });
  const before = await host.run('server.clientFeatures', { serverId: server.id });
  expect(before.features).toMatchObject({ folders: [], foldersChosen: false, suggestions: [{ path: path.join(home, 'repo') }] });
  const { folder } = await host.run('folder.browse', { folderId: before.features.suggestions[0]?.id });
  const deep = (await host.run('folder.browse', { folderId: folder.id })).entries.find(({ name }) => name === 'deep');
  await host.run('server.setClientFeatures', {
    serverId: server.id,
    folderIds: [deep?.id ?? ('none' as FolderId)],
    questionsBlocked: true,
  });
  await host.close();

  const again = await start([], given.dataDir);
  const { features } = await again.host.run('server.clientFeatures', { serverId: server.id });
  expect(features).toMatchObject({
    folders: [{ path: path.join(home, 'repo', 'deep'), repository: { path: path.join(home, 'repo') } }],
    foldersChosen: true,
    questionsBlocked: true,
    deprecatedInModern: false,
    sendsTraceIds: false,
  });
});

test('rounds of a modern server: one call, its questions beside each other, the state unseen by log, trace, events and model', async () => {
  const seed = 'sees-ydobon-taht-etats';
  const secret = seed.split('').reverse().join('');
  const form = (message: string) => ({
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
  });
  const rounds = [{ inputRequests: { one: form('One?'), two: form('Two?') } }, { inputRequests: { three: form('Three?') } }];
  const given = await start([{ calls: [{ tool: 'modern.ask', arguments: { rounds } }] }, { text: 'Done.' }]);
  const { host } = given;
  await given.add('modern', [own('askAnything'), 'modern', seed]);
  const chat = await given.say();
  const first = await host.until(question((input) => input.message.text === 'One?'));
  const second = await host.until(question((input) => input.message.text === 'Two?'));
  expect([first.round, second.round]).toEqual([1, 1]);
  expect(second.callId).toBe(first.callId);
  await answer(host, second, { action: 'accept', content: { a: '2' } });
  await answer(host, first, { action: 'decline' });
  const third = await host.until(question((input) => input.message.text === 'Three?'));
  expect(third).toMatchObject({
    round: 2,
    callId: first.callId,
    earlier: [
      { message: 'Two?', round: 1, action: 'accept' },
      { message: 'One?', round: 1, action: 'decline' },
    ],
  });
  await answer(host, third, { action: 'cancel' });
  const [legs = ''] = await resultsOf(host, chat);
  // The server has seen its own state come back, and says so without repeating it.
  expect(JSON.parse(legs)).toMatchObject([{}, { stateCameBack: true }, { stateCameBack: true }]);
  const { servers } = await host.run('server.list', {});
  const { json } = await host.run('trace.bundle', { serverId: servers[0]?.id ?? first.serverId! });
  expect(json).toContain('requestState');
  for (const place of [host.events, host.log.lines, json]) expect(JSON.stringify(place).includes(secret)).toBe(false);
}, 60_000);

test('a modern server is offered folders and the model only after the person has said so', async () => {
  const given = await start([{ calls: [{ tool: 'modern.ask', arguments: { rounds: [] } }] }, { text: 'Done.' }]);
  const { host } = given;
  await given.add('modern', [own('askAnything'), 'modern']);
  const offered = async (): Promise<string[]> => {
    const legs = JSON.parse((await resultsOf(host, await given.say()))[0] ?? '') as { capabilities: object }[];
    return Object.keys(legs.at(-1)?.capabilities ?? {});
  };
  expect(await offered()).not.toEqual(expect.arrayContaining(['sampling']));
  const { servers } = await host.run('server.list', {});
  await host.run('server.setClientFeatures', { serverId: servers[0]?.id ?? ('none' as ServerId), deprecatedInModern: true });
  await host.serversReady();
  expect(await offered()).toEqual(expect.arrayContaining(['elicitation', 'sampling', 'roots']));
}, 60_000);

test('with no window at all a question waits, and is cancelled when the application closes', async () => {
  const given = await start([
    {
      calls: [
        {
          tool: 'asks.ask',
          arguments: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } } },
        },
      ],
    },
  ]);
  const { host } = given;
  await given.add('asks', [own('askAnything')]);
  const chat = await given.say();
  await host.until(question((input) => input.kind === 'elicitation'));
  await host.close();
  const again = await start([], given.dataDir);
  const { messages } = await again.host.run('conversation.open', { conversationId: chat });
  expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ kind: 'call', call: { state: expect.stringMatching(/interrupted|cancelled/) } });
}, 60_000);

test('sampling with hints for Claude and only Gemini there: its priorities choose, an image and tools are passed, the limit holds', async () => {
  const provider = await startProviderServer();
  onTestFinished(() => provider.close());
  provider.lists['/google/models'] = {
    models: ['gemini-2.5-pro', 'gemini-2.5-flash-lite'].map((name) => ({
      name: `models/${name}`,
      displayName: name,
      inputTokenLimit: 1_000_000,
      supportedGenerationMethods: ['generateContent'],
    })),
  };
  const image = Buffer.from('not really an image').toString('base64');
  const tools = [
    { name: 'get weather!', description: 'Weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  ];
  const preferences = { hints: [{ name: 'claude-3-sonnet' }, { name: 'claude' }], costPriority: 0.9, intelligencePriority: 0.1 };
  const asked = {
    role: 'user',
    content: [
      { type: 'text', text: 'How is the weather there?' },
      { type: 'image', data: image, mimeType: 'image/png' },
    ],
  };
  const toolUse = { role: 'assistant', content: [{ type: 'tool_use', id: 'use-1', name: 'get weather!', input: { city: 'Hue' } }] };
  const toolResult = {
    role: 'user',
    content: [{ type: 'tool_result', toolUseId: 'use-1', content: [{ type: 'text', text: 'Rain' }] }],
  };
  const call = (mode: string, messages: object[]) => ({
    calls: [
      {
        tool: 'asks.ask',
        arguments: {
          method: 'sampling/createMessage',
          params: { messages, maxTokens: 77, modelPreferences: preferences, tools, toolChoice: { mode } },
        },
      },
    ],
  });
  const given = await start([call('required', [asked]), call('auto', [asked, toolUse, toolResult]), { text: 'Done.' }], undefined, {
    env: { PATH: process.env['PATH'], MAITRE_KEY_GOOGLE: 'key-1234567890' },
    endpoints: { local: [], providers: { google: `${provider.url}/google` } },
  });
  const { host } = given;
  await host.run('provider.refresh', { providerId: 'google' });
  await given.add('asks', [own('askAnything')]);
  provider.queue.push({ parts: [{ call: { id: 'use-1', name: 'get_weather_', argumentsText: '{"city":"Hue"}' } }] });
  provider.queue.push({ parts: [{ text: 'It rains in Hue.' }] });
  const chat = await given.say();

  const first = await host.until(question((input) => input.kind === 'sampling'));
  expect(first.sampling).toMatchObject({
    model: { ref: 'google/gemini-2.5-flash-lite' },
    modelReason: expect.stringContaining('“claude-3-sonnet”, “claude”, which you do not have'),
    tools: ['get weather!'],
  });
  await answer(host, first, { action: 'accept', waiveResult: true });
  const second = await host.until(question((input) => input.kind === 'sampling' && input.sampling?.messages.length === 3));
  await answer(host, second, { action: 'accept' });

  const [wanted = '', said = ''] = await resultsOf(host, chat);
  expect(JSON.parse(wanted)).toMatchObject({
    result: {
      model: 'google/gemini-2.5-flash-lite',
      stopReason: 'toolUse',
      content: [{ type: 'tool_use', name: 'get weather!', input: { city: 'Hue' } }],
    },
  });
  expect(JSON.parse(said)).toMatchObject({ result: { stopReason: 'endTurn', content: [{ type: 'text', text: 'It rains in Hue.' }] } });
  const requests = provider.requests.filter(({ method }) => method === 'POST');
  expect(requests).toHaveLength(2);
  expect(requests[0]?.body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'ANY' } });
  for (const { path: asPath, body } of requests) {
    expect(asPath).toContain('gemini-2.5-flash-lite');
    expect(body['generationConfig']).toMatchObject({ maxOutputTokens: 77 });
    expect(JSON.stringify(body)).toContain(image);
  }
  expect(JSON.stringify(requests[1]?.body)).toContain('Rain');
}, 60_000);
