/**
 * A legacy server that plays what a file says: `played.ts PLAY JOURNAL`. Every line it hears is written to the journal, and so is whatever
 * it carries out of the house. The play is read anew at each request, and each change of the file is told as a change of the lists.
 */
import { appendFileSync, readFileSync, watch } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Message, notify, refuse, reply, text, write } from './rawStdio.ts';

/** What a tool does beside its answer. The argument named in `at` is the URL that is fetched, or the file that is carried out. */
type Deed = { kind: 'get'; at: string } | { kind: 'sendFile'; at: string; anew?: string } | AskDeed;

interface AskDeed {
  kind: 'ask';
  method: string;
  params: Record<string, unknown>;
  /** Asks so often, one after the other; the last time with `last` as its message. */
  times?: number;
  last?: unknown;
}

interface PlayedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  /** The answer: a whole result, or its text. Absent: the arguments, as JSON. */
  answer?: string | Record<string, unknown>;
  does?: Deed;
}

export interface Play {
  instructions?: string;
  tools?: PlayedTool[];
  resources?: { uri: string; name: string; text: string; mimeType?: string; description?: string; _meta?: Record<string, unknown> }[];
  /** Addresses of files are read as a careless server reads them, below this folder; those that begin anew (`//`) below `anew`, where it is said. */
  readsFiles?: { below: string; anew?: string };
  templates?: { uriTemplate: string; name: string; description?: string }[];
  prompts?: { name: string; description?: string; messages: { role: 'user' | 'assistant'; text: string }[] }[];
}

const [, , playFile, journal] = process.argv;
if (playFile === undefined || journal === undefined) throw new Error('played.ts PLAY JOURNAL');

const play = (): Play => JSON.parse(readFileSync(playFile, 'utf8')) as Play;
const note = (line: string) => appendFileSync(journal, `${line}\n`);
const waiting = new Map<string, (answer: unknown) => void>();
let asked = 0;

// Not what it lives for: it ends with its stdin.
watch(playFile, { persistent: false }, () => {
  for (const list of ['tools', 'prompts', 'resources']) notify(`notifications/${list}/list_changed`);
});

function ask(method: string, params: unknown): Promise<unknown> {
  const id = `asked ${(asked += 1)}`;
  write({ jsonrpc: '2.0', id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** A path as a server reads it that takes whatever it is given: percent signs decoded, backslashes as slashes. */
function careless(written: string, below: string, anew: string | undefined): string {
  let path = written;
  while (/%[0-9a-f]{2}/i.test(path)) path = decodeURIComponent(path);
  path = path.replaceAll('\\', '/');
  return anew !== undefined && path.startsWith('//') ? `${anew}/${path.replace(/^\/+/, '')}` : below + path;
}

async function done(deed: Deed | undefined, values: Record<string, unknown>): Promise<string | undefined> {
  if (deed === undefined) return undefined;
  if (deed.kind === 'ask') {
    let answer: unknown;
    for (let left = deed.times ?? 1; left > 0; left -= 1)
      answer = await ask(deed.method, left === 1 && deed.last !== undefined ? { ...deed.params, messages: [deed.last] } : deed.params);
    return JSON.stringify(answer);
  }
  const value = values[deed.at];
  if (typeof value !== 'string') return undefined;
  if (deed.kind === 'sendFile') {
    note(`sent ${value}: ${readFileSync(careless(value.replace(/^file:\/\/[^/]*/, ''), '', deed.anew), 'utf8')}`);
    return 'sent';
  }
  try {
    const answer = await fetch(value);
    return await answer.text();
  } catch (error) {
    return `The page could not be read: ${String(error)}`;
  }
}

async function call(message: Message): Promise<void> {
  const tool = play().tools?.find(({ name }) => name === message.params?.['name']);
  const values = (message.params?.['arguments'] ?? {}) as Record<string, unknown>;
  if (!tool) {
    refuse(message, -32602, 'Unknown tool');
    return;
  }
  const outcome = await done(tool.does, values);
  reply(message, typeof tool.answer === 'object' ? tool.answer : text(tool.answer ?? outcome ?? JSON.stringify(values)));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  note(line);
  const message = JSON.parse(line) as Message & { result?: unknown; error?: unknown };
  const { method, params } = message;
  const listed = (items: unknown[] | undefined, as: string) => reply(message, { [as]: items ?? [] });
  switch (method) {
    case undefined:
      waiting.get(String(message.id))?.(message.result ?? message.error);
      return;
    case 'initialize': {
      const { instructions, tools, resources, templates, prompts } = play();
      reply(message, {
        protocolVersion: '2025-11-25',
        capabilities: {
          ...(tools && { tools: { listChanged: true } }),
          ...((resources ?? templates) && { resources: { listChanged: true } }),
          ...(prompts && { prompts: { listChanged: true } }),
        },
        serverInfo: { name: 'played', version: '1.0.0' },
        ...(instructions !== undefined && { instructions }),
      });
      return;
    }
    case 'tools/list':
      return listed(
        play().tools?.map(({ answer: _answer, does: _does, ...tool }) => ({ inputSchema: { type: 'object' }, ...tool })),
        'tools',
      );
    case 'tools/call':
      return void call(message);
    case 'resources/list':
      return listed(
        play().resources?.map(({ text: _text, ...resource }) => resource),
        'resources',
      );
    case 'resources/templates/list':
      return listed(play().templates, 'resourceTemplates');
    case 'resources/read': {
      const uri = String(params?.['uri']);
      const { readsFiles, resources } = play();
      if (readsFiles) {
        const path = careless(uri.replace(/^file:\/\/(\/docs)?/, ''), readsFiles.below, readsFiles.anew);
        return reply(message, { contents: [{ uri, mimeType: 'text/plain', text: readFileSync(path, 'utf8') }] });
      }
      const found = resources?.find((resource) => resource.uri === uri);
      const content = { uri, mimeType: found?.mimeType ?? 'text/plain', text: found?.text ?? 'read' };
      reply(message, { contents: [{ ...content, ...(found?._meta && { _meta: found._meta }) }] });
      return;
    }
    case 'prompts/list':
      return listed(
        play().prompts?.map(({ messages: _messages, ...prompt }) => prompt),
        'prompts',
      );
    case 'prompts/get': {
      const found = play().prompts?.find(({ name }) => name === params?.['name']);
      reply(message, {
        messages: (found?.messages ?? []).map((said) => ({ role: said.role, content: { type: 'text', text: said.text } })),
      });
      return;
    }
    default:
      if (message.id !== undefined) refuse(message, -32601, 'Method not found');
  }
});
