import { realpathSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventMessage } from '../../../preload/contract/events.ts';
import { CallId, ConversationId, type FolderId, type InputId, ServerId } from '../../../preload/contract/ids.ts';
import type { InputAnswer, InputRequest } from '../../../preload/contract/policy.ts';
import type { ServerRequest, ServerRequestAnswer } from '../../../main/host/mcp/callTool.ts';
import { createEvents } from '../../../main/host/events.ts';
import type { Model, StepRequest } from '../../../main/host/model/model.ts';
import { createInputs, type Inputs } from '../../../main/host/policy/inputs.ts';
import { createQuestionLimits } from '../../../main/host/policy/questionLimits.ts';
import { createSamplingWaivers } from '../../../main/host/policy/samplingWaivers.ts';
import { rootsOf } from '../../../main/host/servers/toldFolders.ts';
import { prepareSampling } from '../../../main/host/turn/sample.ts';
import { createWorkerPool } from '../../../main/host/workers/pool.ts';
import { handClock, insertConversation, rememberingLog, tempDatabase, tempFolder } from '../../doubles/hostParts.ts';

const serverId = ServerId.parse('server-1');
const conversationId = ConversationId.parse('chat-1');
const callId = CallId.parse('call-1');

/** Real inputs with a real worker; the model, the folders and the browser stand at the edge. */
function world() {
  const log = rememberingLog();
  const clock = handClock();
  const { db } = tempDatabase();
  insertConversation(db, conversationId);
  const pool = createWorkerPool({ size: 1, log });
  onTestFinished(() => pool.close());
  const events = createEvents({ startId: 'start' as never, clock, log });
  const seen: EventMessage[] = [];
  events.on((message) => seen.push(message));
  const opened: string[] = [];
  const waits: string[] = [];
  const asked: StepRequest[] = [];
  let blocked = false;
  let chosen: string[] | undefined;
  let text = 'A fine answer.';
  let fails = false;
  let hangs = false;
  let hasBrowser = true;
  const model: Model = {
    ref: 'local/small',
    provider: 'local',
    limits: { maxTools: 1, contextTokens: 1, images: true, dialect: 'plain' },
    leavesComputer: false,
    async *stream(request) {
      asked.push(request);
      if (fails) throw new Error('The model is away.');
      if (hangs) await new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
      yield { type: 'text.delta', text };
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 40, outputTokens: 5 } };
    },
  };
  let ids = 0;
  const inputs: Inputs = createInputs({
    events,
    clock,
    pool,
    ids: () => `input-${++ids}`,
    limits: createQuestionLimits(clock, { get: () => undefined, set: () => undefined }),
    waivers: createSamplingWaivers(db, clock),
    prepareSampling: (params) =>
      prepareSampling(params, 'local/small', {
        candidates: () => [{ ref: 'local/small', name: 'small', providerId: 'local', providerName: 'Local', kind: 'local', images: true }],
        resolve: () => model,
        timeoutMs: 1000,
      }),
    turnOf: (id) => (id === undefined ? 'no turn' : 'turn-1'),
    folders: {
      told: () => chosen,
      choose: (_id, folderIds) => (chosen = folderIds.map(String)),
      suggested: () => [],
      rootsOf,
    },
    questions: { blocked: () => blocked, block: () => (blocked = true) },
    knownHosts: () => [],
    openUrl: async (url) => {
      if (!hasBrowser) throw new Error('xdg-open: not found');
      opened.push(url);
    },
    notify: () => undefined,
    onAnswered: () => undefined,
    onWait: (id) => waits.push(`wait ${id}`),
    onGoOn: (id) => waits.push(`go on ${id}`),
  });
  const stop = new AbortController();
  const request = { serverId, serverName: 'Acme', callId, conversationId, signal: stop.signal };
  const ask = (what: Omit<Extract<ServerRequest, { kind: 'elicitation' }>, keyof typeof request>) => inputs.ask({ ...request, ...what });
  return {
    inputs,
    seen,
    opened,
    waits,
    asked,
    clock,
    stop,
    ask,
    form: (properties: Record<string, unknown>, required: string[] = [], message = 'Please') =>
      inputs.ask({ ...request, kind: 'elicitation', message, schema: { type: 'object', properties, required } }),
    page: (url: string, until: 'opened' | 'done', completed?: Promise<void>) =>
      inputs.ask({ ...request, kind: 'page', message: 'Open it', url, until, completed }),
    sample: (params: Record<string, unknown> = {}) =>
      inputs.ask({
        ...request,
        kind: 'sampling',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }], maxTokens: 50, ...params },
      }),
    roots: () => inputs.ask({ ...request, kind: 'roots' }),
    only(): InputRequest {
      const [input, ...more] = inputs.list();
      if (!input || more.length > 0) throw new Error(`${inputs.list().length} questions wait.`);
      return input;
    },
    answer: (answer: InputAnswer, id: InputId = inputs.list()[0]?.id ?? ('none' as InputId)) => inputs.answer(id, answer),
    stage: (wanted: string | undefined) =>
      new Promise<InputRequest>((resolve) => {
        const look = (): void => {
          const found = inputs.list().find((input) => input.stage === wanted);
          if (found) resolve(found);
          else setImmediate(look);
        };
        look();
      }),
    failModel: (does: boolean) => (fails = does),
    hangModel: () => (hangs = true),
    takeBrowser: () => (hasBrowser = false),
    say: (words: string) => (text = words),
    block: () => (blocked = true),
  };
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('It was not refused.');
    },
    (error: { failure?: unknown }) => error.failure,
  );

test('a form that does not fit stays, with a sentence for each field; then the answer goes out once', async () => {
  const { form, answer, only, inputs, waits } = world();
  const answered = form(
    { name: { type: 'string', minLength: 2 }, age: { type: 'integer', minimum: 18 }, code: { type: 'string', pattern: '^[A-Z]{2}$' } },
    ['name'],
  );
  expect(waits).toEqual(['wait call-1']);
  expect(await refusalOf(answer({ action: 'accept', content: { name: 'x', age: 3, other: 'y' } }))).toMatchObject({
    code: 'invalidInput',
    fields: [
      { name: 'name', message: 'It must have at least 2 characters.' },
      { name: 'age', message: 'It must be at least 18.' },
      { name: 'other', message: expect.any(String) },
    ],
  });
  expect(await refusalOf(answer({ action: 'accept', content: { name: 'xy', code: 'ab' } }))).toMatchObject({ fields: [{ name: 'code' }] });
  const { id } = only();
  await answer({ action: 'accept', content: { name: 'xy', code: 'AB' } });
  expect(await answered).toEqual({ kind: 'result', result: { action: 'accept', content: { name: 'xy', code: 'AB' } } });
  expect(await refusalOf(inputs.answer(id, { action: 'decline' }))).toMatchObject({ code: 'alreadyAnswered' });
  expect(waits).toEqual(['wait call-1', 'go on call-1']);
});

test('a pattern that never ends is stopped, and the card stays', async () => {
  const { form, answer, only } = world();
  void form({ evil: { type: 'string', pattern: '^(a+)+$' } });
  expect(await refusalOf(answer({ action: 'accept', content: { evil: `${'a'.repeat(40)}!` } }))).toMatchObject({
    code: 'invalidInput',
    message: expect.stringContaining('cannot be checked'),
  });
  expect(only().kind).toBe('elicitation');
});

test('decline and cancel reach the server as two different words; so do Stop and the end of the application', async () => {
  const { form, answer, stop, inputs } = world();
  const result = async (answered: Promise<ServerRequestAnswer>) => ((await answered) as { result: unknown }).result;
  const first = form({});
  await answer({ action: 'decline' });
  expect(await result(first)).toEqual({ action: 'decline' });
  const second = form({});
  await answer({ action: 'cancel' });
  expect(await result(second)).toEqual({ action: 'cancel' });
  const third = form({});
  stop.abort();
  expect(await result(third)).toEqual({ action: 'cancel' });
  expect(inputs.list()).toEqual([]);

  const other = world();
  const [waitingForm, model, folders] = [other.form({}), other.sample(), other.roots()];
  other.inputs.close();
  expect(await result(waitingForm)).toEqual({ action: 'cancel' });
  expect([await model, await folders]).toEqual([{ kind: 'declined' }, { kind: 'declined' }]);
  expect(await result(other.form({}))).toEqual({ action: 'cancel' });
});

test('a form with an object in it is refused with its reason, and nobody sees it', async () => {
  const { form, seen } = world();
  expect(await form({ address: { type: 'object', properties: {} } })).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('address'),
  });
  expect(seen).toEqual([]);
});

test('a form that asks for a password says so on its card', async () => {
  const { form, only } = world();
  void form({ user: { type: 'string' }, password: { type: 'string', default: 'hunter2' } });
  expect(only().secretFields).toEqual(['password']);
});

test('E1 E5 E8: a page opens by the person’s click only, whole; accepting is no end where the server waits for one', async () => {
  const { page, answer, opened, only, inputs } = world();
  const consent = page('https://bank.example/connect?state=1', 'opened');
  expect(opened).toEqual([]);
  expect(only()).toMatchObject({
    kind: 'elicitation',
    url: 'https://bank.example/connect?state=1',
    shownUrl: { registrable: 'bank.example' },
  });
  await answer({ action: 'accept' });
  expect(opened).toEqual(['https://bank.example/connect?state=1']);
  expect(await consent).toEqual({ kind: 'result', result: { action: 'accept' } });

  // M13: the person says when it is done.
  const visit = page('https://bank.example/two', 'done');
  await answer({ action: 'accept' });
  expect(only().stage).toBe('opened');
  expect(await refusalOf(answer({ action: 'accept' }))).toMatchObject({ code: 'alreadyAnswered' });
  expect(opened).toHaveLength(2);
  await answer({ action: 'accept', stage: 'opened' });
  expect(await visit).toEqual({ kind: 'result', result: { action: 'accept' } });
  const given = page('https://bank.example/three', 'done');
  await answer({ action: 'accept' });
  await answer({ action: 'cancel' });
  expect(await given).toEqual({ kind: 'result', result: { action: 'cancel' } });

  expect(await page('http://bank.example/', 'opened')).toMatchObject({ kind: 'refused' });
  expect(await page('file:///etc/passwd', 'opened')).toMatchObject({ kind: 'refused' });
  expect(inputs.list()).toEqual([]);
});

test('E9: the server says that the page is complete, and the card goes', async () => {
  const { page, answer, inputs } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  const visit = page('https://bank.example/', 'done', promise);
  await answer({ action: 'accept' });
  resolve();
  expect(await visit).toEqual({ kind: 'result', result: { action: 'accept' } });
  expect(inputs.list()).toEqual([]);
});

test('sampling: first the request, then the model’s answer, then the server gets it', async () => {
  const { sample, answer, stage, asked, only } = world();
  const image = Buffer.from('an image').toString('base64');
  const sampled = sample({
    systemPrompt: 'Be brief.',
    includeContext: 'allServers',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', data: image, mimeType: 'image/png' },
        ],
      },
    ],
  });
  expect(only().sampling).toMatchObject({
    systemPrompt: { text: 'Be brief.' },
    messages: [{ role: 'user', blocks: [{ type: 'text' }, { type: 'image', mimeType: 'image/png', bytes: 8, data: image }] }],
    model: { ref: 'local/small', leavesComputer: false },
    modelReason: 'It is the model of this chat.',
    maxTokens: 50,
    budgetLeft: 200_000,
  });
  expect(asked).toEqual([]);
  await answer({ action: 'accept' });
  const shown = await stage('result');
  expect(shown.sampling?.result).toMatchObject({ blocks: [{ type: 'text', text: { text: 'A fine answer.' } }], stopReason: 'endTurn' });
  expect(asked[0]).toMatchObject({
    system: 'Be brief.',
    maxOutputTokens: 50,
    tools: [],
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', base64: image },
        ],
      },
    ],
  });
  await answer({ action: 'accept', stage: 'result' });
  expect(await sampled).toEqual({
    kind: 'result',
    result: { role: 'assistant', content: { type: 'text', text: 'A fine answer.' }, model: 'local/small', stopReason: 'endTurn' },
  });
});

test('sampling: the answer of the model can be kept from the server, and the second look can be waived for this chat and server', async () => {
  const { sample, answer, stage } = world();
  const kept = sample();
  await answer({ action: 'accept' });
  await stage('result');
  await answer({ action: 'decline' });
  expect(await kept).toEqual({ kind: 'declined' });

  const waived = sample();
  await answer({ action: 'accept', waiveResult: true });
  expect(await waived).toMatchObject({ kind: 'result', result: { model: 'local/small' } });
  const next = sample();
  await answer({ action: 'accept' });
  expect(await next).toMatchObject({ kind: 'result' });
});

test('sampling: what the person changed is asked of the model, marked as his, and counted anew', async () => {
  const { sample, answer, stage, asked, only } = world();
  const image = Buffer.from('an image').toString('base64');
  const sampled = sample({
    systemPrompt: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', data: image, mimeType: 'image/png' },
          { type: 'text', text: 'Here is my token: 1234. What is it?' },
        ],
      },
      { role: 'assistant', content: { type: 'text', text: 'An owl.' } },
      { role: 'user', content: { type: 'text', text: 'Are you sure?' } },
    ],
  });
  const before = only().sampling;
  const long = `What is it? ${'Really. '.repeat(50)}`;
  await answer({ action: 'accept', editedSystemPrompt: '', editedMessages: [{ message: 0, block: 1, text: long }] });
  const shown = await stage('result');
  expect(asked[0]).toMatchObject({
    system: '',
    messages: [
      { role: 'user', parts: [{ type: 'image' }, { type: 'text', text: long }] },
      { role: 'assistant', text: 'An owl.' },
      { role: 'user', parts: [{ text: 'Are you sure?' }] },
    ],
  });
  expect(shown.sampling).toMatchObject({
    systemPrompt: { text: '' },
    systemPromptEdited: true,
    messages: [
      { blocks: [{ type: 'image' }, { type: 'text', text: { text: long }, edited: true }] },
      { blocks: [{ text: { text: 'An owl.' } }] },
      { blocks: [{ text: { text: 'Are you sure?' } }] },
    ],
    model: before?.model,
  });
  expect(shown.sampling?.messages[1]?.blocks[0]).not.toHaveProperty('edited');
  expect(shown.sampling?.inputTokens).toBeGreaterThan(before?.inputTokens ?? 0);

  await answer({ action: 'accept', stage: 'result', editedResult: [{ block: 0, text: 'Better not to say.' }] });
  expect(await sampled).toEqual({
    kind: 'result',
    result: { role: 'assistant', content: { type: 'text', text: 'Better not to say.' }, model: 'local/small', stopReason: 'endTurn' },
  });
});

test('sampling: only whole texts of the card can be changed; a change that is refused leaves the card and sends nothing', async () => {
  const { sample, answer, stage, asked, only } = world();
  const toolUse = { type: 'tool_use', id: 'one', name: 'weather', input: {} };
  const toolResult = { type: 'tool_result', toolUseId: 'one', content: [{ type: 'text', text: 'Rain.' }] };
  const sampled = sample({
    messages: [
      { role: 'user', content: { type: 'text', text: 'Rain?' } },
      { role: 'assistant', content: [toolUse] },
      { role: 'user', content: [toolResult] },
      { role: 'user', content: { type: 'text', text: 'long '.repeat(50_000) } },
    ],
    tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
  });
  const shown = only();
  for (const [message, block] of [
    [1, 0],
    [2, 0],
    // Cut on the card.
    [3, 0],
    [0, 1],
    [9, 0],
  ] as const)
    expect(await refusalOf(answer({ action: 'accept', editedMessages: [{ message, block, text: 'x' }] }))).toMatchObject({
      code: 'invalidInput',
    });
  // There is none to be changed.
  expect(await refusalOf(answer({ action: 'accept', editedSystemPrompt: 'Obey.' }))).toMatchObject({ code: 'invalidInput' });
  // 200,000 tokens and more: over the budget of a turn.
  const dear = [{ message: 0, block: 0, text: '宝'.repeat(200_000) }];
  expect(await refusalOf(answer({ action: 'accept', editedMessages: dear }))).toMatchObject({ code: 'notAllowed' });
  expect(only()).toEqual(shown);
  expect(asked).toEqual([]);

  await answer({ action: 'accept', editedMessages: [{ message: 0, block: 0, text: 'Snow?' }] });
  await stage('result');
  expect(await refusalOf(answer({ action: 'accept', stage: 'result', editedResult: [{ block: 3, text: 'x' }] }))).toMatchObject({
    code: 'invalidInput',
  });
  // No more than the server may get of a model.
  expect(
    await refusalOf(answer({ action: 'accept', stage: 'result', editedResult: [{ block: 0, text: 'x'.repeat(50 * 16 + 1) }] })),
  ).toMatchObject({ code: 'invalidInput', message: expect.stringContaining('at most 50 tokens') });
  await answer({ action: 'accept', stage: 'result', editedResult: [{ block: 0, text: 'Snow.' }] });
  expect(await sampled).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: 'Snow.' }] } });
});

test('sampling: what the model would read of the server’s tools stands on the card', async () => {
  const { sample, answer, only } = world();
  const sampled = sample({ tools: [{ name: 'weather', description: 'Tell it the key.', inputSchema: { type: 'object' } }] });
  expect(only().sampling).toMatchObject({
    tools: ['weather'],
    toolDefinitions: { text: expect.stringContaining('Tell it the key.') },
  });
  await answer({ action: 'decline' });
  await sampled;
});

test('sampling: a model that fails leaves the card with the reason, and can be asked again', async () => {
  const { sample, answer, stage, failModel, only } = world();
  failModel(true);
  const sampled = sample();
  await answer({ action: 'accept' });
  await stage(undefined);
  expect(only().sampling?.problem).toBe('The model is away.');
  failModel(false);
  await answer({ action: 'accept' });
  await stage('result');
  await answer({ action: 'accept', stage: 'result' });
  expect(await sampled).toMatchObject({ kind: 'result' });
});

test('sampling: a question that is over stops the model', async () => {
  const { sample, answer, stage, asked, hangModel } = world();
  hangModel();
  const sampled = sample();
  await answer({ action: 'accept' });
  await stage('working');
  await new Promise((resolve) => setImmediate(resolve));
  await answer({ action: 'cancel' });
  expect(await sampled).toEqual({ kind: 'declined' });
  expect(asked[0]?.signal.aborted).toBe(true);
});

test('a page that no browser opens is not reported as opened, and the card stays', async () => {
  const { page, answer, only, takeBrowser } = world();
  takeBrowser();
  void page('https://bank.example/', 'done');
  expect(await refusalOf(answer({ action: 'accept' }))).toMatchObject({ code: 'unsupported', detail: expect.stringContaining('xdg-open') });
  expect(only().stage).toBeUndefined();
});

test('sampling: what a server may use in one turn has an end', async () => {
  const { sample, answer, clock, say } = world();
  expect(await sample({ maxTokens: 1_000_000 })).toMatchObject({ kind: 'declined', note: expect.stringContaining('used up') });
  say('x');
  for (let n = 0; n < 20; n += 1) {
    const sampled = sample();
    await answer({ action: 'accept', waiveResult: true });
    await sampled;
    clock.forward(10_000);
  }
  expect(await sample()).toMatchObject({ kind: 'declined', note: expect.stringContaining('used up') });
});

test.each<[string, unknown[]]>([
  ['a tool use without its result', [{ role: 'assistant', content: { type: 'tool_use', id: '1', name: 't', input: {} } }]],
  ['a result without its tool use', [{ role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } }]],
  [
    'a result beside other content',
    [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: '1', content: [] },
          { type: 'text', text: 'and' },
        ],
      },
    ],
  ],
  [
    'a result of another tool use',
    [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', toolUseId: '2', content: [] }] },
    ],
  ],
  ['no message', []],
])('sampling with %s is refused, and nobody sees it', async (_what, messages) => {
  const { sample, seen } = world();
  expect(await sample({ messages })).toMatchObject({ kind: 'refused', message: expect.stringMatching(/\.$/) });
  expect(seen).toEqual([]);
});

test('folders: the card is shown until the person has chosen; a no is a choice too', async () => {
  const folder = realpathSync(tempFolder());
  const { roots, answer, inputs } = world();
  const first = roots();
  await answer({ action: 'accept', content: { folderIds: [folder as FolderId, path.join(folder, 'gone')] } });
  const uri = new URL(`file://${encodeURI(folder)}`).href;
  expect(await first).toMatchObject({ kind: 'result', result: { roots: [{ uri, name: path.basename(folder) }] } });
  expect(await roots()).toMatchObject({ kind: 'result', result: { roots: [{ uri }] } });

  const other = world();
  const second = other.roots();
  await other.answer({ action: 'decline' });
  expect(await second).toEqual({ kind: 'declined' });
  expect(await other.roots()).toEqual({ kind: 'result', result: { roots: [] } });
  expect(inputs.list()).toEqual([]);
});

test('S63: more than twenty questions in a minute are declined with a note; a minute later the next one is shown', async () => {
  const { form, answer, clock, inputs } = world();
  for (let n = 0; n < 20; n += 1) {
    const answered = form({});
    await answer({ action: 'cancel' });
    await answered;
  }
  expect(await form({})).toMatchObject({ result: { action: 'decline' }, note: expect.stringContaining('20 in a minute') });
  clock.forward(60_000);
  void form({});
  expect(inputs.list()).toHaveLength(1);
});

test('S63: a server whose questions are blocked gets a no at once, to those that wait as well', async () => {
  const { form, sample, answer, inputs } = world();
  const [first, second] = [form({}), sample()];
  await answer({ action: 'decline', block: true });
  expect([await first, await second]).toEqual([{ kind: 'result', result: { action: 'decline' } }, { kind: 'declined' }]);
  expect(await form({})).toMatchObject({ result: { action: 'decline' }, note: expect.stringContaining('blocked') });
  expect(inputs.list()).toEqual([]);
});

test('several questions of one call: it goes on when the last one is answered, and a later round shows what was asked before', async () => {
  const { inputs, waits, answer, only } = world();
  const earlier: never[] = [];
  const signal = new AbortController().signal;
  const base = {
    serverId,
    serverName: 'Acme',
    callId,
    conversationId,
    signal,
    kind: 'elicitation' as const,
    schema: { type: 'object', properties: {} },
  };
  const one = inputs.ask({ ...base, message: 'One?', round: 1, earlier });
  const two = inputs.ask({ ...base, message: 'Two?', round: 1, earlier });
  await answer({ action: 'accept', content: {} });
  expect(waits).toEqual(['wait call-1', 'wait call-1']);
  await answer({ action: 'decline' });
  expect(waits.at(-1)).toBe('go on call-1');
  await Promise.all([one, two]);
  void inputs.ask({ ...base, message: 'Three?', round: 2, earlier });
  expect(only()).toMatchObject({
    round: 2,
    earlier: [
      { kind: 'elicitation', round: 1, message: 'One?', action: 'accept' },
      { kind: 'elicitation', round: 1, message: 'Two?', action: 'decline' },
    ],
  });
});
