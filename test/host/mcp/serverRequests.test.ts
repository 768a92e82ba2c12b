import { expect, test } from 'vitest';
import type { AnswerServerRequest, ServerRequest } from '../../../main/host/mcp/callTool.ts';
import {
  call,
  discovered,
  eventually,
  freePort,
  http,
  jsonRpcOverHttp,
  nodeProgram,
  open,
  packageFile,
  serve,
  testServer,
  textOf,
} from './harness.ts';
import { handClock } from './handClock.ts';

const form = (message: string) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
};
const accepted = (name: string) => ({ kind: 'result' as const, result: { action: 'accept', content: { name } } });

interface Leg {
  id: number;
  requestState?: string;
  inputResponses?: Record<string, unknown>;
  capabilities: Record<string, unknown>;
}

/** A modern server that asks these rounds, and what each leg of the call carried. */
async function ask(rounds: object[], answer: AnswerServerRequest, declared = { elicitation: true, sampling: true, roots: true }) {
  const { connection, log } = await open(nodeProgram(testServer('askAnything'), 'modern'), { answer, declared });
  const outcome = await call(connection, 'ask', { rounds });
  return { outcome, legs: (): Leg[] => JSON.parse(textOf(outcome)), log };
}

test('M3 M4: every key of a round is answered, with the bare result of its kind', async () => {
  const asked: ServerRequest[] = [];
  const rounds = [{ inputRequests: { login: form('Who?'), sum: sampling, roots: { method: 'roots/list' } } }];
  const results = {
    elicitation: { action: 'accept', content: { name: 'octocat' } },
    sampling: { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm', stopReason: 'endTurn' },
    roots: { roots: [{ uri: 'file:///home/me/p', name: 'p' }] },
  };
  const { legs } = await ask(rounds, async (request) => {
    asked.push(request);
    if (request.kind === 'page' || request.kind === 'signIn') throw new Error(request.kind);
    return { kind: 'result', result: results[request.kind] };
  });
  expect(legs()[1]?.inputResponses).toEqual({ login: results.elicitation, sum: results.sampling, roots: results.roots });
  expect(asked.map(({ kind, round }) => [kind, round])).toEqual([
    ['elicitation', 1],
    ['sampling', 1],
    ['roots', 1],
  ]);
});

test('M5 M6 M9: the state goes back byte for byte under a new id, of the latest round only; without one there is none', async () => {
  const state = ' {"a": 1}\n✓ \u0000 %7B+= ';
  const { legs } = await ask(
    [{ inputRequests: { a: form('1') }, requestState: state }, { inputRequests: { b: form('2') } }],
    async (request) => accepted(String(request.round)),
  );
  const [first, second, third] = legs();
  expect(second).toMatchObject({ requestState: state, inputResponses: { a: { action: 'accept', content: { name: '1' } } } });
  expect(third?.inputResponses).toEqual({ b: { action: 'accept', content: { name: '2' } } });
  expect(third).not.toHaveProperty('requestState');
  expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
});

test('M7: two calls at a time keep their states and answers apart', async () => {
  const { connection } = await open(nodeProgram(testServer('askAnything'), 'modern'), {
    answer: async (request) =>
      request.kind === 'elicitation' ? accepted(`for ${request.message} ${request.callId ?? ''}`) : { kind: 'declined' },
  });
  const one = (name: string) =>
    call(connection, 'ask', { rounds: [{ inputRequests: { q: form(name) }, requestState: `state of ${name}` }] });
  const both = await Promise.all([one('A'), one('B')]);
  const [a, b] = both.map((outcome) => (JSON.parse(textOf(outcome)) as Leg[])[1]);
  expect(a).toMatchObject({
    requestState: 'state of A',
    inputResponses: { q: { content: { name: expect.stringMatching(/^for A call-/) } } },
  });
  expect(b).toMatchObject({
    requestState: 'state of B',
    inputResponses: { q: { content: { name: expect.stringMatching(/^for B call-/) } } },
  });
  expect(JSON.stringify(a?.inputResponses)).not.toEqual(JSON.stringify(b?.inputResponses));
});

test('M8: a round with a state alone is asked again without anybody being asked', async () => {
  const { legs } = await ask([{ requestState: 'later' }], () => Promise.reject(new Error('asked')));
  expect(legs()[1]).toMatchObject({ requestState: 'later' });
  expect(legs()[1]).not.toHaveProperty('inputResponses');
});

test('M1: a round with neither requests nor a state is invalid', async () => {
  expect((await ask([{}], () => Promise.reject(new Error('asked')))).outcome).toMatchObject({ kind: 'invalidResult' });
});

test('M10: declined and dismissed forms go back to the server, each as what it was', async () => {
  const actions = { no: 'decline', esc: 'cancel' } as const;
  const { legs } = await ask([{ inputRequests: { no: form('no'), esc: form('esc') } }], async (request) => ({
    kind: 'result',
    result: { action: request.kind === 'elicitation' && request.message === 'no' ? actions.no : actions.esc },
  }));
  expect(legs()[1]?.inputResponses).toEqual({ no: { action: 'decline' }, esc: { action: 'cancel' } });
});

test('M11: a refused use of the model ends the call as declined; the server is not asked again', async () => {
  expect((await ask([{ inputRequests: { sum: sampling } }], async () => ({ kind: 'declined' }))).outcome).toMatchObject({
    kind: 'declined',
  });
});

test('M12: a round with one request that was not offered fails the call, and none of it is shown', async () => {
  let asked = 0;
  const { outcome } = await ask(
    [{ inputRequests: { a: form('first'), b: sampling } }],
    async () => {
      asked += 1;
      return accepted('x');
    },
    { elicitation: true, sampling: false, roots: false },
  );
  expect(outcome).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining('not offered') });
  const unknown = await ask([{ inputRequests: { a: form('first'), b: { method: 'ping' } } }], () => Promise.reject(new Error('asked')));
  expect(unknown.outcome).toMatchObject({ kind: 'invalidResult' });
  expect(asked).toBe(0);
});

test('what is deprecated is declared to older servers only, unless it is offered to this one', async () => {
  const hidden = { elicitation: true, sampling: true, roots: true, deprecatedToLegacyOnly: true };
  const { legs } = await ask([{ requestState: 'x' }], () => Promise.reject(new Error('asked')), hidden);
  for (const { capabilities } of legs()) expect(capabilities).toMatchObject({ elicitation: { form: {}, url: {} } });
  for (const { capabilities } of legs()) expect(Object.keys(capabilities)).not.toEqual(expect.arrayContaining(['sampling']));
  for (const { capabilities } of legs()) expect(Object.keys(capabilities)).not.toEqual(expect.arrayContaining(['roots']));
  expect((await ask([{ inputRequests: { sum: sampling } }], () => Promise.reject(new Error('asked')), hidden)).outcome).toMatchObject({
    kind: 'invalidResult',
  });
  const offered = await ask([{ requestState: 'x' }], () => Promise.reject(new Error('asked')));
  expect(offered.legs()[0]?.capabilities).toMatchObject({ sampling: { tools: {} }, roots: {} });

  const legacy = await open(nodeProgram(testServer('askAnything')), { declared: hidden });
  expect(JSON.parse(textOf(await call(legacy.connection, 'ask')))).toMatchObject({
    elicitation: { form: {}, url: {} },
    sampling: { tools: {} },
    roots: { listChanged: true },
  });
});

test('M2: a key that is called __proto__ is a key like others', async () => {
  const bodies: string[] = [];
  const url = await jsonRpcOverHttp(({ message, answer }) => {
    if (message.method === 'server/discover') return answer(discovered);
    if (message.method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    bodies.push(JSON.stringify(message));
    if (bodies.length > 1) return answer({ result: { resultType: 'complete', content: [] } });
    const inputRequests: unknown = JSON.parse(
      `{"__proto__": ${JSON.stringify(form('Who?'))}, "constructor": ${JSON.stringify(form('Why?'))}}`,
    );
    answer({ result: { resultType: 'input_required', inputRequests } });
  });
  const { connection } = await open(http(url), { answer: async () => accepted('x') });
  expect(await call(connection, 'any')).toMatchObject({ kind: 'result' });
  expect(bodies[1]).toContain('"__proto__":{"action":"accept"');
  expect(bodies[1]).toContain('"constructor":{"action":"accept"');
});

test('M14: what a read gave after the person was asked is not kept, though it may be fresh for long', async () => {
  let reads = 0;
  const url = await jsonRpcOverHttp(({ message, answer }) => {
    if (message.method === 'server/discover')
      return answer({ result: { ...discovered.result, capabilities: { resources: {} }, ttlMs: 60_000 } });
    if (message.method !== 'resources/read') return answer({ result: { resultType: 'complete', resources: [], resourceTemplates: [] } });
    reads += 1;
    const asked = 'inputResponses' in (message.params ?? {}) || message.params?.['uri' as 'name'] === 'x:plain';
    if (!asked) return answer({ result: { resultType: 'input_required', inputRequests: { q: form('Who?') } } });
    const contents = [{ uri: 'x:y', text: String(reads) }];
    answer({ result: { resultType: 'complete', contents, ttlMs: 60_000, cacheScope: 'public' } });
  });
  const { connection } = await open(http(url), { answer: async () => accepted('x') });
  const read = (uri: string) => connection.readResource(uri, { signal: new AbortController().signal });
  expect(await read('x:plain')).toMatchObject({ kind: 'ok' });
  await read('x:plain');
  expect(reads).toBe(1);
  await read('x:asks');
  await read('x:asks');
  expect(reads).toBe(5);
});

test('M15: stopping while a question waits sends nothing for it, and the question is withdrawn', async () => {
  const methods: (string | undefined)[] = [];
  const url = await jsonRpcOverHttp(({ message, answer }) => {
    methods.push(message.method);
    if (message.method === 'server/discover') return answer(discovered);
    if (message.method === 'tools/list') return answer({ result: { resultType: 'complete', tools: [] } });
    answer({ result: { resultType: 'input_required', inputRequests: { q: form('Who?') }, requestState: 's' } });
  });
  let asked: ServerRequest | undefined;
  const { connection } = await open(http(url), {
    answer(request) {
      asked = request;
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve({ kind: 'declined' })));
    },
  });
  const stop = new AbortController();
  const outcome = call(connection, 'any', {}, { signal: stop.signal });
  await eventually(() => asked);
  stop.abort();
  expect(await outcome).toEqual({ kind: 'cancelled' });
  expect(asked?.signal.aborted).toBe(true);
  expect(methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  expect(methods.filter((method) => method === 'notifications/cancelled')).toHaveLength(0);
});

test('M16: the state of a round stands in no log of the server and no sentence about it', async () => {
  const secret = 'state-with-a-secret';
  const { outcome, log } = await ask(
    Array.from({ length: 11 }, () => ({ inputRequests: { q: form('More?') }, requestState: secret })),
    async () => accepted('x'),
  );
  expect(outcome).toMatchObject({ kind: 'invalidResult', message: expect.stringContaining('kept on asking') });
  expect(JSON.stringify([outcome, log.lines()])).not.toContain(secret);
});

test('a legacy server gets the refusal of each kind: decline for a form, an error of the protocol for the model and for folders', async () => {
  const { connection } = await open(nodeProgram(testServer('askAnything')));
  const answerTo = async (request: object) => JSON.parse(textOf(await call(connection, 'ask', { ...request })));
  expect(await answerTo(form('Who?'))).toEqual({ result: { action: 'decline' } });
  expect(await answerTo(sampling)).toMatchObject({ error: { code: -1, message: expect.stringContaining('rejected') } });
  expect(await answerTo({ method: 'roots/list' })).toMatchObject({ error: { code: -1 } });
  expect(await answerTo({ method: 'tools/list' })).toMatchObject({ error: { code: -32601 } });
  expect(await answerTo({ method: 'elicitation/create', params: { mode: 'form', message: 'no form' } })).toMatchObject({
    error: { code: -32602 },
  });
});

test('a request that breaks a rule is answered with -32602 and its reason, and the reason stands in the log of the server', async () => {
  const { connection, log } = await open(nodeProgram(testServer('askAnything')), {
    answer: async () => ({ kind: 'refused', message: 'It holds an object.', note: 'It was not shown.' }),
  });
  expect(JSON.parse(textOf(await call(connection, 'ask', form('Who?'))))).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('It holds an object.') },
  });
  expect(log.lines().map(({ text }) => text)).toContain('It was not shown.');
});

test('E9: a legacy call that needs pages first is made again when the person was there, and ends as declined when he was not', async () => {
  const pages = [
    { url: 'https://one.example/', message: 'First', elicitationId: 'e1' },
    { url: 'https://two.example/', message: 'Second', elicitationId: 'e2' },
  ];
  const asked: ServerRequest[] = [];
  const { connection } = await open(nodeProgram(testServer('askAnything')), {
    answer: async (request) => {
      asked.push(request);
      return { kind: 'result', result: { action: 'accept' } };
    },
  });
  expect(textOf(await call(connection, 'ask', { pages }))).toBe('after the pages');
  expect(asked).toMatchObject([
    { kind: 'page', url: 'https://one.example/', until: 'done', callId: expect.any(String) },
    { kind: 'page', url: 'https://two.example/', until: 'done' },
  ]);
  const refused = await open(nodeProgram(testServer('askAnything')), {
    answer: async () => ({ kind: 'result', result: { action: 'decline' } }),
  });
  expect(await call(refused.connection, 'ask', { pages })).toMatchObject({ kind: 'declined' });
});

test('E9: the server says that a page is complete; ids that nobody waits for change nothing', async () => {
  const answer: AnswerServerRequest = async (request) => {
    if (request.kind !== 'page') throw new Error(request.kind);
    await request.completed;
    return { kind: 'result', result: { action: 'accept' } };
  };
  const pages = [{ url: 'https://one.example/', message: 'First', elicitationId: 'e1' }];
  for (const complete of ['early', 'late']) {
    const { connection } = await open(nodeProgram(testServer('askAnything')), { answer });
    expect(textOf(await call(connection, 'ask', { pages, complete }))).toBe('after the pages');
  }
});

test('a legacy server is told that its folders have changed, and asks for them again', async () => {
  const { connection, log } = await open(nodeProgram(testServer('askAnything')), {
    answer: async () => ({ kind: 'result', result: { roots: [{ uri: 'file:///told' }] } }),
  });
  connection.announceRoots();
  await eventually(() => log.lines().some(({ text }) => text.includes('file:///told')));
});

test.each([
  ['streamableHttp', /listening/, 'mcp'],
  ['sse', /running/, 'sse'],
])(
  'a form that a public server asks over %s on the stream of the call gets its one answer, also after the time-out of the call',
  async (mode, ready, address) => {
    const port = await freePort();
    await serve(packageFile('server-everything', 'dist/index.js'), [mode], port, ready);
    let asked = 0;
    const clock = handClock();
    const { connection } = await open(http(`http://127.0.0.1:${port}/${address}`), {
      clock,
      async answer(request) {
        if (request.kind !== 'elicitation') return { kind: 'declined' };
        asked += 1;
        // Longer than the call may take: its clock stands meanwhile.
        await clock.pass(3_600_000);
        return accepted('Ada Lovelace');
      },
    });
    const outcome = await call(connection, 'trigger-elicitation-request', {}, { timeoutMs: 400 });
    expect(JSON.stringify(outcome)).toContain('Ada Lovelace');
    expect(asked).toBe(1);
  },
);
