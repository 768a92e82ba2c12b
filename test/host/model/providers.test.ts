import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProviders, keyVariable, providerSecret } from '../../../main/host/model/createProviders.ts';
import type { ProvidersDeps } from '../../../main/host/model/createProviders.ts';
import type { ModelEvent } from '../../../main/host/model/model.ts';
import { parseModels } from '../../../main/host/model/modelLists.ts';
import type { Providers } from '../../../main/host/model/providers.ts';
import { providerPresets } from '../../../main/host/model/providerPresets.ts';
import { Refusal } from '../../../main/host/refusal.ts';
import { first } from '../../../main/host/store/migrations/001_first.ts';
import {
  deleteCustomProvider,
  getModelList,
  insertCustomProvider,
  listCustomProviders,
  setModelList,
} from '../../../main/host/store/providers.ts';
import { Provider } from '../../../preload/contract/models.ts';
import { startProviderServer } from '../../doubles/providerServer.ts';
import type { ProviderServer } from '../../doubles/providerServer.ts';

let server: ProviderServer;
let db: Database.Database;
let secrets: Map<string, string>;
let env: Record<string, string | undefined>;
let providers: Providers | undefined;
let changes: Provider[];
let removed: string[];
let waiting: { fits: (provider: Provider) => boolean; resolve: () => void }[];

beforeEach(async () => {
  server = await startProviderServer();
  db = new Database(':memory:');
  db.exec(first);
  secrets = new Map();
  env = {};
  changes = [];
  removed = [];
  waiting = [];
});
afterEach(async () => {
  providers?.close();
  db.close();
  await server.close();
});

const nameOf = (owner: string, name: string): string => `${owner}\0${name}`;

function start(change: Partial<ProvidersDeps> = {}): Providers {
  providers = createProviders({
    store: {
      listCustomProviders: () => listCustomProviders(db),
      insertCustomProvider: (provider) => insertCustomProvider(db, provider),
      deleteCustomProvider: (id) => deleteCustomProvider(db, id),
      getModelList: (id) => getModelList(db, id),
      setModelList: (id, models, at) => setModelList(db, id, models, at),
    },
    secrets: {
      has: (owner, name) => (secrets.has(nameOf(owner, name)) ? 'stored' : 'missing'),
      get: async (owner, name) => secrets.get(nameOf(owner, name)),
      removeAll: (owner) => {
        for (const name of [...secrets.keys()]) if (name.startsWith(`${owner}\0`)) secrets.delete(name);
      },
    },
    env,
    endpoints: {
      providers: Object.fromEntries(providerPresets.map(({ id }) => [id, `${server.url}/${id}`])),
      local: [
        { id: 'ollama', name: 'Ollama', baseUrl: `${server.url}/ollama/v1` },
        { id: 'lmstudio', name: 'LM Studio', baseUrl: `${server.url}/lmstudio/v1` },
      ],
    },
    scriptFiles: ['/scripts/a.json'],
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        timer.unref();
        return () => clearTimeout(timer);
      },
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    onChange: (provider) => {
      changes.push(Provider.parse(provider));
      for (const wait of waiting.filter(({ fits }) => fits(provider))) wait.resolve();
    },
    onRemoved: (id) => removed.push(id),
    ...change,
  });
  return providers;
}

const settled = (id: string, state: Provider['status']['state']): Promise<void> =>
  new Promise((resolve) => waiting.push({ fits: (provider) => provider.id === id && provider.status.state === state, resolve }));
const viewOf = (id: string): Provider | undefined => providers?.list().find((provider) => provider.id === id);
const refused = (run: () => unknown): Refusal['failure'] => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
  throw new Error('It was not refused.');
};
const setKey = (id: string, value: string): void => {
  const { owner, name } = providerSecret(id);
  secrets.set(nameOf(owner, name), value);
};

describe('providers', () => {
  test('all fit the contract, and Demo needs nothing', () => {
    const list = start().list();
    for (const provider of list) Provider.parse(provider);
    expect(list[0]).toMatchObject({ id: 'demo', kind: 'builtin', key: 'notNeeded', models: [{ ref: 'demo' }], status: { state: 'ready' } });
    expect(list.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'ollama',
        'lmstudio',
        'anthropic',
        'openai',
        'google',
        'openrouter',
        'deepseek',
        'qwen',
        'moonshot',
        'zhipu',
        'siliconflow',
      ]),
    );
  });

  test('Ollama and LM Studio are found on this computer, and what does not chat is left out', async () => {
    server.lists['/ollama/api/tags'] = {
      models: [{ name: 'llama3.2:3b' }, { name: 'nomic-embed-text:latest' }, { name: 'minilm', details: { families: ['bert'] } }],
    };
    server.lists['/lmstudio/v1/models'] = { data: [{ id: 'qwen2.5-7b' }, { id: 'text-embedding-nomic' }] };
    start();
    const both = Promise.all([settled('ollama', 'ready'), settled('lmstudio', 'ready')]);
    providers?.discover();
    await both;
    expect(viewOf('ollama')?.models).toEqual([{ ref: 'ollama/llama3.2:3b', name: 'llama3.2:3b' }]);
    expect(viewOf('lmstudio')?.models.map(({ ref }) => ref)).toEqual(['lmstudio/qwen2.5-7b']);
    expect(server.requests.every(({ headers }) => headers['authorization'] === undefined)).toBe(true);
  });

  test('a local runtime that does not run is no fault at the start, and one to be started when the person asks', async () => {
    const closed = await startProviderServer();
    await closed.close();
    start({ endpoints: { local: [{ id: 'ollama', name: 'Ollama', baseUrl: `${closed.url}/v1` }] } });
    const quiet = settled('ollama', 'unknown');
    providers?.discover();
    await quiet;
    await providers?.refresh('ollama');
    expect(viewOf('ollama')?.status).toMatchObject({ state: 'failed', message: expect.stringContaining('Start it') });
  });

  test('a provider without a key is not asked; with one, its list is fetched with it and kept', async () => {
    server.lists['/anthropic/models'] = {
      data: [{ id: 'claude-x', display_name: 'Claude X', max_input_tokens: 200_000 }],
      has_more: false,
    };
    start();
    providers?.discover();
    expect(refused(() => providers?.resolve('anthropic/claude-x'))).toMatchObject({
      code: 'modelUnavailable',
      message: expect.stringContaining('needs a key'),
    });
    setKey('anthropic', 'sk-ant-1234567890');
    const ready = settled('anthropic', 'ready');
    providers?.keyChanged('anthropic');
    await ready;
    expect(server.requests.find(({ path }) => path === '/anthropic/models')?.headers['x-api-key']).toBe('sk-ant-1234567890');
    expect(viewOf('anthropic')).toMatchObject({
      key: 'stored',
      models: [{ ref: 'anthropic/claude-x', name: 'Claude X', contextTokens: 200_000 }],
    });
    expect(JSON.stringify(changes)).not.toContain('sk-ant-1234567890');
    providers?.close();
    expect(
      start()
        .list()
        .find(({ id }) => id === 'anthropic')?.models,
    ).toHaveLength(1);
  });

  test('a list that cannot be fetched leaves the old one in place and says why, without the key', async () => {
    env['MAITRE_KEY_OPENAI'] = 'sk-env-1234567890';
    server.lists['/openai/models'] = { data: [{ id: 'gpt-x' }] };
    start();
    await providers?.refresh('openai');
    delete server.lists['/openai/models'];
    await providers?.refresh('openai');
    expect(viewOf('openai')).toMatchObject({ key: 'environment', models: [{ ref: 'openai/gpt-x' }], status: { state: 'failed' } });
    server.lists['/openai/models'] = { surprise: true };
    await providers?.refresh('openai');
    expect(viewOf('openai')?.status).toMatchObject({ message: expect.stringContaining('no list of models') });
    expect(JSON.stringify(changes)).not.toContain('sk-env-1234567890');
  });

  test('a key taken away while its list is on the way leaves no trace of the answer', async () => {
    setKey('openai', 'sk-gone-1234567890');
    server.lists['/openai/models'] = { data: [{ id: 'gpt-x' }] };
    start();
    const running = providers?.refresh('openai');
    secrets.clear();
    providers?.keyChanged('openai');
    await running;
    expect(viewOf('openai')).toMatchObject({ key: 'missing', models: [], status: { state: 'unknown' } });
  });

  test('a stored key comes before the one of the environment, and variables are named after the provider', async () => {
    expect(keyVariable('siliconflow')).toBe('MAITRE_KEY_SILICONFLOW');
    expect(keyVariable('my-lab')).toBe('MAITRE_KEY_MY_LAB');
    env['MAITRE_KEY_DEEPSEEK'] = 'from-the-environment';
    setKey('deepseek', 'from-the-store');
    server.lists['/deepseek/models'] = { data: [] };
    start();
    await providers?.refresh('deepseek');
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer from-the-store');
  });

  test('a custom provider by URL: added, asked, used, kept, removed with its key', async () => {
    server.lists['/v1/models'] = { data: [{ id: 'org/big-model' }] };
    start();
    const ready = settled('my-lab', 'ready');
    const id = await start().add('My Lab', `${server.url}/v1/`);
    await ready;
    expect(id).toBe('my-lab');
    expect(viewOf(id)).toMatchObject({
      custom: true,
      key: 'notNeeded',
      baseUrl: `${server.url}/v1`,
      models: [{ ref: 'my-lab/org/big-model' }],
    });
    await expect(providers?.add('Again', `${server.url}/v1`)).rejects.toMatchObject({ failure: { code: 'invalidInput' } });
    providers?.close();

    setKey(id, 'a-key-of-the-lab');
    const model = start().resolve('my-lab/org/big-model');
    expect(model.leavesComputer).toBe(false);
    server.queue.push({ parts: [{ text: 'Hi.' }] });
    expect(
      await textOf(
        model.stream({
          system: '',
          messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
          tools: [],
          signal: new AbortController().signal,
          timeoutMs: 10_000,
        }),
      ),
    ).toBe('Hi.');
    expect(server.requests.at(-1)).toMatchObject({
      path: '/v1/chat/completions',
      body: { model: 'org/big-model' },
      headers: { authorization: 'Bearer a-key-of-the-lab' },
    });

    providers?.remove(id);
    expect(removed).toEqual(['my-lab']);
    expect(secrets.size).toBe(0);
    expect(listCustomProviders(db)).toEqual([]);
    expect(refused(() => providers?.resolve('my-lab/org/big-model')).code).toBe('modelUnavailable');
    expect(refused(() => providers?.remove('openai')).code).toBe('wrongState');
  });

  test.each([
    ['http://models.example.com/v1', 'Without encryption'],
    ['http://localhost.example.com/v1', 'Without encryption'],
    ['http://127.0.0.1.example.com/v1', 'Without encryption'],
    ['file:///etc/passwd', 'https://'],
    ['https://user:pass@models.example.com', 'name or password'],
    ['not an address', 'no address'],
    ['https://models.example.com/v1?key=1', 'must end before'],
  ])('the address %s is refused in words', async (address, words) => {
    await expect(start().add('X', address)).rejects.toMatchObject({
      failure: { code: 'invalidInput', message: expect.stringContaining(words) },
    });
    expect(refused(() => providers?.resolve(`compatible:${address.replace('#', '')}#m`)).code).toBe('invalidInput');
  });

  test.each(['demo', 'scripted:/scripts/a.json', 'compatible:http://127.0.0.1:9/v1#m', 'ollama/llama3:8b'])(
    '%s stays on this computer',
    (ref) => {
      expect(start().resolve(ref)).toMatchObject({ ref, leavesComputer: false });
    },
  );

  test('a model over the network is told as leaving the computer, and its limits are those of its list', () => {
    setModelList(db, 'openrouter', [{ ref: 'openrouter/a/b', name: 'B', contextTokens: 64_000, images: true }], 1);
    env['MAITRE_KEY_OPENROUTER'] = 'k';
    const model = start({ endpoints: undefined }).resolve('openrouter/a/b');
    expect(model).toMatchObject({ leavesComputer: true, limits: { contextTokens: 64_000, images: true, maxTools: 128, dialect: 'plain' } });
  });

  test.each(['', 'nobody/x', 'openai', 'openai/', 'scripted:/etc/passwd', 'compatible:http://127.0.0.1:9/v1', '/x'])(
    'the reference “%s” is refused',
    (ref) => {
      expect(refused(() => start().resolve(ref)).code).toBe('modelUnavailable');
    },
  );

  test('compatible:URL#NAME asks that address, with a key only from the environment', async () => {
    server.queue.push({ parts: [{ text: 'Here.' }] });
    env['MAITRE_KEY_COMPATIBLE'] = 'from-the-environment';
    const model = start().resolve(`compatible:${server.url}/api/v3#org/model#7`);
    expect(
      await textOf(
        model.stream({
          system: '',
          messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
          tools: [],
          signal: new AbortController().signal,
          timeoutMs: 10_000,
        }),
      ),
    ).toBe('Here.');
    expect(server.requests[0]).toMatchObject({
      path: '/api/v3/chat/completions',
      body: { model: 'org/model#7' },
      headers: { authorization: 'Bearer from-the-environment' },
    });
  });
});

describe('model lists', () => {
  test('keep what chats, in each form', () => {
    expect(
      parseModels('openai', 'openai', {
        data: [
          'gpt-5',
          'text-embedding-3-large',
          'whisper-1',
          'dall-e-3',
          'gpt-4o-realtime-preview',
          'omni-moderation-latest',
          'tts-1',
        ].map((id) => ({ id })),
      }).map(({ ref }) => ref),
    ).toEqual(['openai/gpt-5']);
    expect(
      parseModels('google', 'google', {
        models: [
          { name: 'models/gemini-x', displayName: 'Gemini X', inputTokenLimit: 1_000_000, supportedGenerationMethods: ['generateContent'] },
          { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
        ],
      }),
    ).toEqual([{ ref: 'google/gemini-x', name: 'Gemini X', contextTokens: 1_000_000 }]);
    expect(
      parseModels('openrouter', 'openai', {
        data: [
          {
            id: 'a/b',
            name: 'B',
            context_length: 8192,
            architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          },
          { id: 'a/pictures', architecture: { output_modalities: ['image'] } },
        ],
      }),
    ).toEqual([{ ref: 'openrouter/a/b', name: 'B', contextTokens: 8192, images: true }]);
  });

  test('names are a provider’s words: hidden characters go, a repeat counts once', () => {
    expect(
      parseModels('x', 'openai', {
        data: [
          { id: 'm', name: 'M\u202e\u200b' },
          { id: 'm', name: 'M2' },
        ],
      }),
    ).toEqual([{ ref: 'x/m', name: 'M2' }]);
  });
});

async function textOf(stream: AsyncIterable<ModelEvent>): Promise<string> {
  let text = '';
  for await (const event of stream) if (event.type === 'text.delta') text += event.text;
  return text;
}
