import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationId } from '../../preload/contract/ids.ts';
import { EventMessage } from '../../preload/contract/events.ts';
import type { InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import { fileKeychain } from '../doubles/fileKeychain.ts';
import { type ProviderServer, startProviderServer } from '../doubles/providerServer.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, type TestHost, turnEnd } from '../doubles/testHost.ts';

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
/** Whatever else is masked or cut: these letters are the key. */
const heart = key.split('\n')[1]?.slice(4, 40) ?? '';
const token = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`;
const cloud = 'anthropic/claude-sonnet-4-5';

const own = (name: string) => ({ command: process.execPath, args: [path.resolve('test/servers', `${name}.ts`)] });

/** The real filesystem server over a folder that holds a key. */
function filesWithKey(dir: string) {
  const folder = path.join(dir, 'folder');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'deploy.txt'), `The key of the server:\n${key}Keep it.\n`);
  const program = path.resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
  return { folder, files: { command: process.execPath, args: [program, folder] } };
}

/** A host whose cloud model is a double on this machine, with the real filesystem server over a folder that holds a key. */
async function world(dataDir = path.join(tempFolder(), 'data'), provider?: ProviderServer, keychain?: string) {
  const dir = path.dirname(dataDir);
  const { folder, files } = filesWithKey(dir);
  const serversFile = path.join(dir, 'servers.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { files, asks: own('askAnything') } }));
  const double = provider ?? (await startProviderServer());
  if (!provider) onTestFinished(() => double.close());
  const script = path.join(dir, 'script.json');
  const host = await startTestHost({
    dataDir,
    serversFile,
    scriptFiles: [script],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], MAITRE_KEY_ANTHROPIC: 'key-1234567890' },
    endpoints: { local: [], providers: { anthropic: double.url } },
    ...(keychain === undefined ? {} : { ports: { keychain: fileKeychain(keychain) } }),
  });
  await host.serversReady();
  const sent = (): string[] => double.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.stringify(body));
  return { host, provider: double, sent, folder, script, dataDir };
}

/** The n-th question (from 0) before a request to a cloud model. */
function guard(n = 0): (message: EventMessage) => InputRequest | undefined {
  let seen = 0;
  return (message) => {
    if (message.topic !== 'approvals' || message.event.type !== 'input.added') return undefined;
    const { input } = message.event;
    return input.kind === 'modelGuard' && seen++ === n ? input : undefined;
  };
}
const asked = (host: TestHost): InputRequest[] => {
  const found = host.events.map((message) => guard()(message));
  return found.flatMap((input) => (input ? [input] : []));
};
const answer = (host: TestHost, { id }: InputRequest, action: InputAnswer['action']) =>
  host.run('input.answer', { inputId: id, answer: { action } });
const chatWith = async (host: TestHost, model: string): Promise<ConversationId> =>
  (await host.run('conversation.create', { model })).conversation.id;

/** The model wants the file, the person allows it; then the guard stands before the second request. */
async function readsTheKey() {
  const given = await world();
  const { host, provider, folder } = given;
  const argumentsText = JSON.stringify({ path: path.join(folder, 'deploy.txt') });
  provider.queue.push({ parts: [{ call: { id: 'call-1', name: 'files__read_text_file', argumentsText } }] });
  provider.queue.push({ parts: [{ text: 'I have read it.' }] });
  const chat = await chatWith(host, cloud);
  await host.run('turn.send', { conversationId: chat, text: 'Read the note.' });
  const call = await host.until(card(0));
  await host.run('approval.answer', { approvalId: call.id, argumentsHash: call.argumentsHash, decision: { kind: 'allow', scope: 'once' } });
  return { ...given, chat, call, question: await host.until(guard()) };
}

test('a private key in a result is left out of the next request unless the person says otherwise, and is asked about once in a chat', async () => {
  const { host, provider, sent, chat, call, question } = await readsTheKey();
  expect(call.findings).toMatchObject([{ where: 'file', kind: 'private key' }]);
  expect(sent()).toHaveLength(1);
  expect(question).toMatchObject({
    conversationId: chat,
    serverName: 'Anthropic',
    modelGuard: {
      model: { ref: cloud, provider: 'Anthropic' },
      findings: [{ kind: 'private key', lines: 3, where: 'result', tool: 'read_text_file of files' }],
    },
  });
  expect(JSON.stringify(host.events.filter(({ topic }) => topic === 'approvals'))).not.toContain(heart);
  expect(await host.run('conversation.list', {})).toMatchObject({ conversations: [{ activity: 'waiting' }] });

  await answer(host, question, 'decline');
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(sent()).toHaveLength(2);
  expect(sent()[1]).toContain('[private key left out by the user]');
  expect(sent()[1]).toContain('Keep it.');

  provider.queue.push({ parts: [{ text: 'Still there.' }] });
  await host.run('turn.send', { conversationId: chat, text: 'And now?' });
  expect(await host.until(turnEnd(chat, 1))).toMatchObject({ state: 'done' });
  expect(asked(host)).toHaveLength(1);
  expect(sent()).toHaveLength(3);
  for (const body of sent()) expect(body).not.toContain(heart);
}, 60_000);

test('what the person sends goes out as it is', async () => {
  const { host, sent, chat, question } = await readsTheKey();
  await answer(host, question, 'accept');
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(sent()[1]).toContain(heart);
}, 60_000);

test('stopping sends nothing and ends the answer; Continue asks again', async () => {
  const { host, sent, chat, question } = await readsTheKey();
  await answer(host, question, 'cancel');
  const { id } = await host.until(turnEnd(chat));
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'stopped' });
  expect(sent()).toHaveLength(1);
  await host.run('turn.continue', { turnId: id });
  await answer(host, await host.until(guard(1)), 'decline');
  expect(await host.until(turnEnd(chat, 1))).toMatchObject({ state: 'done' });
  expect(sent()).toHaveLength(2);
  expect(sent()[1]).not.toContain(heart);
}, 60_000);

test('a question that waits when the application ends is asked again when the answer is continued', async () => {
  const { host, provider, chat, dataDir, sent } = await readsTheKey();
  await host.close();
  const again = await world(dataDir, provider);
  const { messages } = await again.host.run('conversation.open', { conversationId: chat });
  const turn = messages.at(-1)?.turn;
  expect(turn).toMatchObject({ state: 'interrupted' });
  await again.host.run('turn.continue', { turnId: turn!.id });
  await answer(again.host, await again.host.until(guard()), 'decline');
  expect(await again.host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(sent()).toHaveLength(2);
  expect(sent().join()).not.toContain(heart);
}, 60_000);

test('when the application is killed while the question waits, nothing was sent, no log holds the key, and Continue asks again', async () => {
  const dir = tempFolder();
  const { folder, files } = filesWithKey(dir);
  const [dataDir, serversFile, keychain] = ['data', 'killed.json', 'keychain.json'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { files } }));
  const provider = await startProviderServer();
  onTestFinished(() => provider.close());
  const argumentsText = JSON.stringify({ path: path.join(folder, 'deploy.txt') });
  provider.queue.push({ parts: [{ call: { id: 'call-1', name: 'files__read_text_file', argumentsText } }] });
  const program = path.resolve('test/host/programs/hostInAProcess.ts');
  const child = spawn(process.execPath, [program, dataDir, serversFile, '-', 'allow', keychain, provider.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, MAITRE_KEY_ANTHROPIC: 'key-1234567890' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const written = (name: string) =>
    (existsSync(path.join(dataDir, name)) ? readdirSync(path.join(dataDir, name), { recursive: true, withFileTypes: true }) : [])
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
  let chat: ConversationId | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const question = guard()(EventMessage.parse(JSON.parse(line)));
    if (question === undefined) continue;
    expect(line).not.toContain(heart);
    chat = question.conversationId;
    // The trace is written a moment after what it tells of.
    await expect.poll(() => written('traces').join()).toContain('Keep it.');
    child.kill('SIGKILL');
    await once(child, 'exit');
    break;
  }
  if (chat === undefined) throw new Error(`The host ended before its question.\n${complaints}`);
  const sent = () => provider.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.stringify(body));
  expect(sent()).toHaveLength(1);

  // The recording has the call and its result: without the key.
  expect(written('traces').join()).toContain('read_text_file');
  expect(written('traces').join()).toContain('Keep it.');
  for (const text of [...written('traces'), ...written('logs'), complaints]) expect(text).not.toContain(heart);

  const again = await world(dataDir, provider, keychain);
  expect(sent()).toHaveLength(1);
  const { inputs } = await again.host.run('approval.list', {});
  expect(inputs.filter(({ kind }) => kind === 'modelGuard')).toEqual([]);
  const { messages } = await again.host.run('conversation.open', { conversationId: chat });
  const turn = messages.at(-1)?.turn;
  expect(turn).toMatchObject({ state: 'interrupted' });
  const audit = await again.host.run('audit.list', {});
  expect(audit.rows.filter(({ code }) => code === 'modelGuard')).toEqual([]);
  expect(JSON.stringify(audit)).not.toContain(heart);

  provider.queue.push({ parts: [{ text: 'I have read it.' }] });
  await again.host.run('turn.continue', { turnId: turn!.id });
  const question = await again.host.until(guard());
  expect(sent()).toHaveLength(1);
  await answer(again.host, question, 'decline');
  expect(await again.host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
  expect(sent()).toHaveLength(2);
  expect(sent().join()).not.toContain(heart);
}, 60_000);

test('a token in the person’s own words is asked about before the first request, also when it is written in base64; each kind has its place', async () => {
  const { host, provider, sent } = await world();
  provider.queue.push({ parts: [{ text: 'Noted.' }] });
  const chat = await chatWith(host, cloud);
  const hidden = Buffer.from(`the password store: ${key}`).toString('base64');
  await host.run('turn.send', { conversationId: chat, text: `My token is ${token}. And ${hidden}!` });
  const question = await host.until(guard());
  expect(question.modelGuard?.findings).toMatchObject([
    { kind: 'GitHub Token', where: 'user', preview: 'ghp_••••INUx' },
    { kind: 'private key', where: 'user' },
  ]);
  expect(sent()).toEqual([]);
  await answer(host, question, 'decline');
  await host.until(turnEnd(chat));
  expect(sent()[0]).toContain('My token is [GitHub Token left out by the user]. And ');
  expect(sent()[0]).not.toContain(token);
  expect(sent()[0]).not.toContain(hidden.slice(60, 120));
}, 60_000);

test('models of this computer are asked without a question; when the chat goes on with a cloud model, what was read before is asked about', async () => {
  const { host, provider, sent, script } = await world();
  writeFileSync(script, JSON.stringify({ steps: [{ text: `You said ${token}.` }] }));
  const chat = await chatWith(host, `scripted:${script}`);
  await host.run('turn.send', { conversationId: chat, text: `My token is ${token}.` });
  await host.until(turnEnd(chat));
  expect(asked(host)).toEqual([]);
  provider.queue.push({ parts: [{ text: 'Hello.' }] });
  await host.run('turn.send', { conversationId: chat, text: 'And you?', model: cloud });
  await answer(host, await host.until(guard()), 'decline');
  await host.until(turnEnd(chat, 1));
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).not.toContain(token);
}, 60_000);

test('a secret that a model wrote as the name of an argument is asked about and left out, and no argument goes with it', async () => {
  const { host, provider, sent, script } = await world();
  const other = `ghp_${'Zq7Rk2VbN8xLw4TcY1mHs6Jd9PfGa3Ue5o0I'}`;
  const names = { [token]: 'first', [other]: { deep: { [token]: 'third' } } };
  writeFileSync(script, JSON.stringify({ steps: [{ calls: [{ tool: 'nobody__has_it', arguments: names }] }, { text: 'Done.' }] }));
  const chat = await chatWith(host, `scripted:${script}`);
  await host.run('turn.send', { conversationId: chat, text: 'Go on.' });
  await host.until(turnEnd(chat));
  provider.queue.push({ parts: [{ text: 'Hello.' }] });
  await host.run('turn.send', { conversationId: chat, text: 'And you?', model: cloud });
  const question = await host.until(guard());
  expect(question.modelGuard?.findings).toMatchObject([
    { kind: 'GitHub Token', where: 'model' },
    { kind: 'GitHub Token', where: 'model' },
  ]);
  await answer(host, question, 'decline');
  await host.until(turnEnd(chat, 1));
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).not.toContain(token);
  expect(sent()[0]).not.toContain(other);
  const left = '[GitHub Token left out by the user]';
  expect(sent()[0]).toContain(JSON.stringify({ [left]: { deep: { [left]: 'third' } }, [`${left} 2`]: 'first' }));
}, 60_000);

test('a secret in what a server wants to ask the model is asked about as well', async () => {
  const { host, provider, sent, script } = await world();
  const params = {
    messages: [{ role: 'user', content: { type: 'text', text: `Check ${token}.` } }],
    maxTokens: 50,
    modelPreferences: { hints: [{ name: 'claude' }] },
    tools: [
      {
        name: 'check',
        description: `Checks ${token}.`,
        inputSchema: { type: 'object', properties: { token: { type: 'string', enum: [token] } } },
      },
    ],
  };
  const calls = [{ tool: 'asks.ask', arguments: { method: 'sampling/createMessage', params } }];
  writeFileSync(script, JSON.stringify({ steps: [{ calls }, { text: 'Done.' }] }));
  provider.lists['/models'] = { data: [{ id: 'claude-sonnet-4-5', display_name: 'Sonnet' }] };
  await host.run('provider.refresh', { providerId: 'anthropic' });
  const chat = await chatWith(host, `scripted:${script}`);
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  const call = await host.until(card(0));
  await host.run('approval.answer', { approvalId: call.id, argumentsHash: call.argumentsHash, decision: { kind: 'allow', scope: 'once' } });
  const sampling = await host.until(
    (message) =>
      message.topic === 'approvals' &&
      message.event.type === 'input.added' &&
      message.event.input.kind === 'sampling' &&
      message.event.input,
  );
  expect(sampling.sampling?.model.ref).toBe(cloud);
  provider.queue.push({ parts: [{ text: 'Checked.' }] });
  await answer(host, sampling, 'accept');
  const question = await host.until(guard());
  expect(question.modelGuard?.findings).toMatchObject([{ kind: 'GitHub Token', where: 'server' }]);
  expect(sent()).toEqual([]);
  await answer(host, question, 'decline');
  await host.until(
    (message) => message.topic === 'approvals' && message.event.type === 'input.changed' && message.event.input.stage === 'result',
  );
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).toContain('Check [GitHub Token left out by the user].');
  expect(sent()[0]).toContain('Checks [GitHub Token left out by the user].');
  expect(sent()[0]).not.toContain(token);
}, 60_000);
