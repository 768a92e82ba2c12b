import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelFailure } from '../../../main/host/model/model.ts';
import type { ModelEvent, ModelTool, PromptMessage } from '../../../main/host/model/model.ts';
import { createScriptedModel, parseScript, resolveTool } from '../../../main/host/model/scripted.ts';
import { ServerId } from '../../../preload/contract/ids.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'maitre-script-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const toolOf = (serverName: string, tool: string): ModelTool => ({
  wireName: `${serverName}__${tool}`.replaceAll('.', '_'),
  description: '',
  inputSchema: { type: 'object', properties: {} },
  origin: { serverId: ServerId.parse('s'), serverName, tool },
});
const tools = [
  toolOf('mail', 'read_latest_email'),
  toolOf('mail', 'box.read'),
  toolOf('mail.box', 'read'),
  { wireName: 'find_tools', description: '', inputSchema: {} },
];
const user = (text: string): PromptMessage => ({ role: 'user', parts: [{ type: 'text', text }] });
const step = (): PromptMessage[] => [
  { role: 'assistant', text: '', calls: [] },
  { role: 'tool', results: [] },
];

async function run(script: unknown, messages: PromptMessage[]): Promise<ModelEvent[]> {
  const file = join(folder, 'script.json');
  await writeFile(file, typeof script === 'string' ? script : JSON.stringify(script));
  const events: ModelEvent[] = [];
  for await (const event of createScriptedModel(file).stream({
    system: '',
    messages,
    tools,
    signal: new AbortController().signal,
    timeoutMs: 1000,
  }))
    events.push(event);
  return events;
}
const textOf = (events: ModelEvent[]): string => events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');

describe('the scripted model', () => {
  const script = {
    steps: [
      {
        reasoning: 'Hm.',
        text: 'Reading your mail.',
        calls: [{ tool: 'mail.read_latest_email', arguments: { n: 1 } }, { tool: 'nobody.has_this' }],
      },
      { text: 'Done.' },
    ],
  };

  test('says the first step first, then the next one for each answer of the same turn', async () => {
    const first = await run(script, [user('go')]);
    expect(first[0]).toEqual({ type: 'reasoning.start' });
    expect(textOf(first)).toBe('Reading your mail.');
    expect(first.filter((event) => event.type === 'call')).toMatchObject([
      { wireName: 'mail__read_latest_email', arguments: { n: 1 }, argumentsText: '{"n":1}' },
      { wireName: 'nobody.has_this', arguments: {} },
    ]);
    expect(first.at(-1)).toEqual({ type: 'finish', reason: 'calls' });
    const second = await run(script, [user('go'), ...step()]);
    expect(textOf(second)).toBe('Done.');
    expect(second.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    expect(textOf(await run(script, [user('go'), ...step(), ...step()]))).toBe('The script has no more steps.');
  });

  test('begins anew with the next user message', async () => {
    expect(textOf(await run(script, [user('go'), ...step(), ...step(), user('again')]))).toBe('Reading your mail.');
  });

  test('gives every call of a conversation an id of its own', async () => {
    const ids = [...(await run(script, [user('go')])), ...(await run(script, [user('go'), ...step(), user('again')]))].flatMap((event) =>
      event.type === 'call' ? [event.modelCallId] : [],
    );
    expect(new Set(ids).size).toBe(4);
  });

  test('gives malformed arguments as the text they are', async () => {
    const events = await run(
      {
        steps: [
          {
            calls: [
              { tool: 'mail.read_latest_email', argumentsText: '{"n": ' },
              { tool: 'mail.read_latest_email', argumentsText: '{"n":2}' },
            ],
          },
        ],
      },
      [user('go')],
    );
    expect(events.filter((event) => event.type === 'call')).toMatchObject([
      { arguments: undefined, argumentsText: '{"n": ' },
      { arguments: { n: 2 } },
    ]);
  });

  test('fails as a provider would, after its text', async () => {
    const failing = run({ steps: [{ text: 'Half', error: { code: 'rateLimited', message: 'Too many.' } }] }, [user('go')]);
    await expect(failing).rejects.toMatchObject({ name: 'ModelFailure', code: 'rateLimited', message: 'Too many.', retryable: true });
  });

  test('finds a tool by the longest server name, where names hold dots', () => {
    expect(resolveTool('mail.box.read', tools)).toBe('mail_box__read');
    expect(
      resolveTool(
        'mail.box.read',
        tools.filter(({ origin }) => origin?.serverName !== 'mail.box'),
      ),
    ).toBe('mail__box_read');
    expect(resolveTool('find_tools', tools)).toBe('find_tools');
  });

  test.each([
    ['{"steps": [}', 'is no JSON', 'line 1, column 12'],
    ['{\n  "steps": [\n    {"txt": "x"}\n  ]\n}', 'steps.0', 'line 3, column 5'],
    ['{"steps": [{"calls": [{"arguments": {}}]}]}', 'steps.0.calls.0', 'line 1, column 23'],
    ['', 'is no JSON', 'line 1, column 1'],
    ['[]', 'at the top', 'line 1, column 1'],
  ])('says where a script is wrong: %s', (text, what, where) => {
    const failure = (() => {
      try {
        return parseScript('/x.json', text);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'badScript', retryable: false, message: expect.stringContaining(what) });
    expect((failure as ModelFailure).message).toContain(where);
  });

  test('says that a script cannot be read', async () => {
    const stream = createScriptedModel(join(folder, 'nowhere.json')).stream({
      system: '',
      messages: [user('x')],
      tools: [],
      signal: new AbortController().signal,
      timeoutMs: 1,
    });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'badScript' });
  });
});
