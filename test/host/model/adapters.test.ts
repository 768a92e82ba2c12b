import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCloudModel } from '../../../main/host/model/cloudModel.ts';
import { ModelFailure } from '../../../main/host/model/model.ts';
import type { Model, ModelEvent, PromptMessage, StepRequest } from '../../../main/host/model/model.ts';
import type { Api } from '../../../main/host/model/providerPresets.ts';
import { startProviderServer } from '../../doubles/providerServer.ts';
import type { ProviderServer } from '../../doubles/providerServer.ts';

const key = 'sk-test-1234567890abcdef';
const apis: Api[] = ['anthropic', 'openai', 'google', 'compatible'];

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer();
});
afterEach(() => server.close());

function modelOf(api: Api, change: { images?: boolean; key?: string | undefined; baseUrl?: string } = {}): Model {
  return createCloudModel({
    ref: `${api}/m`,
    providerId: api,
    providerName: api === 'anthropic' ? 'Anthropic' : `The ${api} provider`,
    api,
    baseUrl: change.baseUrl ?? `${server.url}/v1`,
    local: false,
    modelName: 'm',
    known: { images: change.images },
    key: async () => ('key' in change ? change.key : key),
  });
}

const tools: StepRequest['tools'] = [
  {
    wireName: 'files__read_file',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { wireName: 'files__list', description: 'Lists a folder.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

function requestOf(change: Partial<StepRequest> = {}): StepRequest {
  return {
    system: 'You are helpful.',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Read a.txt' }] }],
    tools,
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    ...change,
  };
}

async function collect(stream: AsyncIterable<ModelEvent>): Promise<{ events: ModelEvent[]; failure: unknown }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events, failure: undefined };
  } catch (failure) {
    return { events, failure };
  }
}

const textOf = (events: ModelEvent[], type: 'text.delta' | 'reasoning.delta' = 'text.delta'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');
const callsOf = (events: ModelEvent[]) => events.filter((event) => event.type === 'call');
const finishOf = (events: ModelEvent[]) => events.find((event) => event.type === 'finish');
const lastBody = (): Record<string, unknown> => server.requests.at(-1)?.body ?? {};

describe.each(apis)('%s', (api) => {
  test('streams text in pieces and ends with a reason and the tokens used', async () => {
    server.queue.push({ parts: [{ text: 'Hello, reader. 你好。' }] });
    const { events, failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeUndefined();
    expect(textOf(events)).toBe('Hello, reader. 你好。');
    expect(events.filter((event) => event.type === 'text.delta').length).toBeGreaterThan(1);
    expect(events[0]).toEqual({ type: 'text.start' });
    expect(finishOf(events)).toMatchObject({
      reason: 'stop',
      usage: { inputTokens: 11, outputTokens: 7 },
      providerData: { provider: api },
    });
    expect(events.at(-1)?.type).toBe('finish');
  });

  test('streams thinking apart from the answer', async () => {
    server.queue.push({ parts: [{ reasoning: 'Let me think.' }, { text: 'Done.' }] });
    const { events } = await collect(modelOf(api).stream(requestOf()));
    expect(textOf(events, 'reasoning.delta')).toBe('Let me think.');
    expect(textOf(events)).toBe('Done.');
  });

  test('gives parallel calls in order, each once, with parsed arguments', async () => {
    server.queue.push({
      parts: [
        { text: 'Two calls.' },
        { call: { id: 'call_a', name: 'files__read_file', argumentsText: '{"path":"/tmp/a.txt"}' } },
        { call: { id: 'call_b', name: 'files__list', argumentsText: '{"path":"/tmp"}' } },
      ],
    });
    const { events, failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeUndefined();
    expect(callsOf(events)).toMatchObject([
      { wireName: 'files__read_file', arguments: { path: '/tmp/a.txt' } },
      { wireName: 'files__list', arguments: { path: '/tmp' } },
    ]);
    expect(new Set(callsOf(events).map((call) => call.modelCallId)).size).toBe(2);
    expect(finishOf(events)?.reason).toBe('calls');
  });

  test('a call of a tool that does not exist comes through with its arguments, for the loop to answer', async () => {
    server.queue.push({ parts: [{ call: { id: 'call_a', name: 'files__fly', argumentsText: '{"to":"the moon"}' } }] });
    const { events, failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeUndefined();
    expect(callsOf(events)).toMatchObject([{ wireName: 'files__fly', arguments: { to: 'the moon' } }]);
  });

  test('an error in the middle of the stream is a provider error worth trying again, and no call comes out of it', async () => {
    server.queue.push({
      parts: [{ text: 'Half an ans' }, { call: { id: 'call_a', name: 'files__list', argumentsText: '{"path":"/tmp"}' } }],
      ending: 'error',
    });
    const { events, failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'providerError', retryable: true });
    expect((failure as ModelFailure).message).toContain('overloaded');
    expect(callsOf(events)).toEqual([]);
  });

  test.each(['cut', 'early'] as const)(
    'a connection that is %s in the middle is told as broken off, and no call comes out of it',
    async (ending) => {
      server.queue.push({
        parts: [{ text: 'Half an ans' }, { call: { id: 'call_a', name: 'files__list', argumentsText: '{"path":"/tmp"}' } }],
        ending,
      });
      const { events, failure } = await collect(modelOf(api).stream(requestOf()));
      expect(failure).toMatchObject({ name: 'ModelFailure', code: 'disconnected', retryable: true });
      expect(callsOf(events)).toEqual([]);
    },
  );

  test('a provider that says nothing is given up after the time-out', async () => {
    server.queue.push({ parts: [], ending: 'silence' });
    const { failure } = await collect(modelOf(api).stream(requestOf({ timeoutMs: 150 })));
    expect(failure).toMatchObject({ name: 'ModelFailure', code: 'timedOut', retryable: true });
  });

  test('Stop ends the request with its own reason and closes the connection', async () => {
    server.queue.push({ parts: [{ text: 'Going on and on' }], ending: 'silence' });
    const stop = new AbortController();
    const reason = new Error('stopped by the person');
    const events: ModelEvent[] = [];
    const run = (async () => {
      for await (const event of modelOf(api).stream(requestOf({ signal: stop.signal }))) {
        events.push(event);
        if (event.type === 'text.delta') stop.abort(reason);
      }
    })();
    await expect(run).rejects.toBe(reason);
    expect(events.some((event) => event.type === 'finish')).toBe(false);
  });

  test('a wrong key is said in words, without the key, where the provider repeats it', async () => {
    server.queue.push({
      status: 401,
      body: { error: { message: `Incorrect API key provided: ${key}.`, type: 'invalid_request_error', code: 'invalid_api_key' } },
    });
    const { failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toMatchObject({ code: 'keyWrong', retryable: false });
    expect(JSON.stringify([(failure as ModelFailure).message, (failure as ModelFailure).detail])).not.toContain(key);
  });

  test('an address where nobody listens is told as offline, with the address', async () => {
    const closed = await startProviderServer();
    await closed.close();
    const { failure } = await collect(modelOf(api, { baseUrl: `${closed.url}/v1` }).stream(requestOf()));
    expect(failure).toMatchObject({ code: 'offline', retryable: true });
    expect((failure as ModelFailure).message).toContain(closed.url);
  });

  test('the key goes out once, in the header of the API, and the request is made once', async () => {
    server.queue.push({ status: 500, body: { error: { message: 'broken' } } }, { parts: [{ text: 'never asked for' }] });
    await collect(modelOf(api).stream(requestOf()));
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain(key);
  });

  test('a redirect is not followed, so that key and conversation stay with the provider', async () => {
    const elsewhere = await startProviderServer();
    server.queue.push({ status: 307, body: '', headers: { location: `${elsewhere.url}/v1/messages` } });
    const { failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  test('a step goes back to the same provider as it came, with its signatures, and the result beside it', async () => {
    server.queue.push({ parts: [{ reasoning: 'Hm.' }, { call: { id: 'call_a', name: 'files__list', argumentsText: '{"path":"/tmp"}' } }] });
    const first = await collect(modelOf(api).stream(requestOf()));
    const call = callsOf(first.events)[0];
    if (call === undefined) throw new Error('no call came');
    server.queue.push({ parts: [{ text: 'Two files.' }] });
    const second = await collect(
      modelOf(api).stream(
        requestOf({
          messages: [
            { role: 'user', parts: [{ type: 'text', text: 'List /tmp' }] },
            {
              role: 'assistant',
              text: '',
              calls: [{ modelCallId: call.modelCallId, wireName: call.wireName, arguments: call.arguments }],
              providerData: finishOf(first.events)?.providerData,
            },
            {
              role: 'tool',
              results: [
                { modelCallId: call.modelCallId, wireName: call.wireName, isError: false, parts: [{ type: 'text', text: 'a.txt\nb.txt' }] },
              ],
            },
          ],
        }),
      ),
    );
    expect(second.failure).toBeUndefined();
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain('a.txt\\nb.txt');
    const signature: Record<Api, string> = {
      anthropic: 'signed-by-the-provider',
      google: 'signed-by-the-provider',
      openai: 'sealed',
      compatible: 'call_a',
    };
    expect(sent).toContain(signature[api]);
  });

  test('an image in a result never stands as base64 in a text', async () => {
    const base64 = Buffer.from('a picture, as bytes go').toString('base64').repeat(40);
    server.queue.push({ parts: [{ text: 'A cat.' }] });
    const { failure } = await collect(modelOf(api, { images: true }).stream(requestOf({ messages: imageHistory(base64) })));
    expect(failure).toBeUndefined();
    const texts = textsIn(lastBody());
    expect(texts.some((text) => text.includes(base64) && !text.startsWith('data:image/png;base64,') && text !== base64)).toBe(false);
    expect(JSON.stringify(lastBody())).toContain(base64);
  });

  test('a model that sees no images gets a line in place of the image', async () => {
    const base64 = Buffer.from('a picture, as bytes go').toString('base64').repeat(40);
    server.queue.push({ parts: [{ text: 'I cannot see it.' }] });
    await collect(modelOf(api, { images: false }).stream(requestOf({ messages: imageHistory(base64) })));
    expect(JSON.stringify(lastBody())).not.toContain(base64);
    expect(JSON.stringify(lastBody())).toContain('[An image (image/png) that this model cannot see.');
  });
});

describe.each(['anthropic', 'openai', 'compatible'] as const)('%s', (api) => {
  test('arguments cut off are given as the text that came, never as an empty object', async () => {
    server.queue.push({
      parts: [{ call: { id: 'call_a', name: 'files__read_file', argumentsText: '{"path": "/tmp/a' } }],
      finish: 'length',
    });
    const { events, failure } = await collect(modelOf(api).stream(requestOf()));
    expect(failure).toBeUndefined();
    expect(callsOf(events)).toMatchObject([{ arguments: undefined, argumentsText: '{"path": "/tmp/a' }]);
    expect(finishOf(events)?.reason).toBe('length');
  });

  test('arguments that are JSON but no object are given as text', async () => {
    server.queue.push({ parts: [{ call: { id: 'call_a', name: 'files__read_file', argumentsText: '["/tmp/a"]' } }] });
    const { events } = await collect(modelOf(api).stream(requestOf()));
    expect(callsOf(events)).toMatchObject([{ arguments: undefined, argumentsText: '["/tmp/a"]' }]);
  });

  test('a call without a single character of arguments, in an answer cut off, is not run with none', async () => {
    server.queue.push({ parts: [{ call: { id: 'call_a', name: 'files__list', argumentsText: '' } }], finish: 'length' });
    const { events } = await collect(modelOf(api).stream(requestOf()));
    expect(callsOf(events)).toMatchObject([{ arguments: undefined }]);
  });

  test('a broken call stands in the history as an object, so that the next request is not refused', async () => {
    server.queue.push({ parts: [{ call: { id: 'call_a', name: 'files__read_file', argumentsText: '{"path": "/tmp/a' } }] });
    const first = await collect(modelOf(api).stream(requestOf()));
    server.queue.push({ parts: [{ text: 'Again.' }] });
    await collect(
      modelOf(api).stream(
        requestOf({
          messages: [
            { role: 'user', parts: [{ type: 'text', text: 'Read' }] },
            {
              role: 'assistant',
              text: '',
              calls: [{ modelCallId: 'call_a', wireName: 'files__read_file', arguments: '{"path": "/tmp/a' }],
              providerData: finishOf(first.events)?.providerData,
            },
            {
              role: 'tool',
              results: [{ modelCallId: 'call_a', wireName: 'files__read_file', isError: true, parts: [{ type: 'text', text: 'no JSON' }] }],
            },
          ],
        }),
      ),
    );
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain('malformed_arguments');
    expect(sent.split('no JSON')).toHaveLength(2);
  });
});

test.each([
  ['openai', 'blank'],
  ['compatible', 'absent'],
  ['compatible', 'blank'],
] as const)('%s: a name that comes after the arguments, %s before, still makes one whole call', async (api, lateName) => {
  server.queue.push({ parts: [{ call: { id: 'call_a', name: 'files__read_file', argumentsText: '{"path":"/tmp/a.txt"}', lateName } }] });
  const { events, failure } = await collect(modelOf(api).stream(requestOf()));
  expect(failure).toBeUndefined();
  expect(callsOf(events)).toMatchObject([{ wireName: 'files__read_file', arguments: { path: '/tmp/a.txt' } }]);
});

test('google: a call that Gemini itself calls malformed is a failure, not an answer without calls', async () => {
  server.queue.push({ parts: [{ text: 'I will' }], finish: 'malformedCall' });
  const { failure } = await collect(modelOf('google').stream(requestOf()));
  expect(failure).toMatchObject({ name: 'ModelFailure', code: 'providerError', retryable: true });
});

test('anthropic: the output limit is set, and OpenAI is told to keep nothing and not to be strict', async () => {
  server.queue.push({ parts: [{ text: 'x' }] }, { parts: [{ text: 'x' }] });
  await collect(modelOf('anthropic').stream(requestOf()));
  expect(lastBody()).toMatchObject({ max_tokens: 16_384, stream: true });
  await collect(modelOf('openai').stream(requestOf()));
  expect(lastBody()).toMatchObject({
    store: false,
    tools: [
      { name: 'files__read_file', strict: false },
      { name: 'files__list', strict: false },
    ],
  });
});

test('a step of another provider is rebuilt from its text and calls, with ids that every API takes', async () => {
  server.queue.push({ parts: [{ text: 'x' }] });
  await collect(
    modelOf('anthropic').stream(
      requestOf({
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'List /tmp' }] },
          {
            role: 'assistant',
            text: 'I will look.',
            calls: [{ modelCallId: 'functions.list:0', wireName: 'files__list', arguments: { path: '/tmp' } }],
            providerData: {
              provider: 'moonshot',
              messages: [{ role: 'assistant', content: [{ type: 'text', text: 'of the other provider' }] }],
            },
          },
          {
            role: 'tool',
            results: [
              { modelCallId: 'functions.list:0', wireName: 'files__list', isError: false, parts: [{ type: 'text', text: 'a.txt' }] },
            ],
          },
        ],
      }),
    ),
  );
  const sent = JSON.stringify(lastBody());
  expect(sent).not.toContain('of the other provider');
  expect(sent).not.toContain('functions.list:0');
  expect(sent.match(/functions_list_0/g)).toHaveLength(2);
});

test('a provider that counts its calls anew in each answer gets ids that are unique in the conversation', async () => {
  server.queue.push({ parts: [{ call: { id: 'call_0', name: 'files__list', argumentsText: '{}' } }] });
  const { events } = await collect(
    modelOf('compatible').stream(
      requestOf({
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'List' }] },
          { role: 'assistant', text: '', calls: [{ modelCallId: 'call_0', wireName: 'files__list', arguments: {} }] },
          { role: 'tool', results: [{ modelCallId: 'call_0', wireName: 'files__list', isError: false, parts: [] }] },
        ],
      }),
    ),
  );
  expect(callsOf(events)[0]?.modelCallId).toBe('call_0_2');
  expect(JSON.stringify(finishOf(events)?.providerData)).toContain('call_0_2');
});

test('without a key none is sent, and a refusal says that one is needed', async () => {
  server.queue.push({ status: 401, body: { error: { message: 'Unauthorized' } } });
  const { failure } = await collect(modelOf('compatible', { key: undefined }).stream(requestOf()));
  expect(server.requests[0]?.headers['authorization']).toBeUndefined();
  expect(failure).toMatchObject({ code: 'keyMissing' });
});

function imageHistory(base64: string): PromptMessage[] {
  return [
    { role: 'user', parts: [{ type: 'text', text: 'What is in it?' }] },
    { role: 'assistant', text: '', calls: [{ modelCallId: 'call_a', wireName: 'files__list', arguments: {} }] },
    {
      role: 'tool',
      results: [
        {
          modelCallId: 'call_a',
          wireName: 'files__list',
          isError: false,
          parts: [
            { type: 'text', text: 'one picture' },
            { type: 'image', mimeType: 'image/png', base64 },
          ],
        },
      ],
    },
  ];
}

/** Every string in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
