import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One piece of an answer, in no provider's words. */
type AnswerPart =
  | { text: string }
  | { reasoning: string }
  /** `argumentsText` goes out as it stands, valid or not. `lateName`: the name comes after the arguments, where the format allows that; before, it is left out or blank. */
  | { call: { id: string; name: string; argumentsText: string; lateName?: 'absent' | 'blank' } };

type Answer =
  | {
      parts: AnswerPart[];
      finish?: 'stop' | 'length' | 'malformedCall';
      /** How the stream ends: in order; with the provider's error event; connection cut; closed politely but early; kept open without a word. */
      ending?: 'complete' | 'error' | 'cut' | 'early' | 'silence';
    }
  | { status: number; body: unknown; headers?: Record<string, string> };

interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface ProviderServer {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  requests: ReceivedRequest[];
  /** Answers to the next model requests, in order. */
  queue: Answer[];
  /** Answers where the queue is empty: a model that does what it reads. */
  think?: (body: Record<string, unknown>) => Answer;
  /** Answers to GET requests, by path without query. */
  lists: Record<string, unknown>;
  /** Resolves when the next model request has been received. */
  received(): Promise<void>;
  close(): Promise<void>;
}

/** A server on this machine that speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini, told apart by path. */
export async function startProviderServer(): Promise<ProviderServer> {
  const waiting: (() => void)[] = [];
  const double: ProviderServer = {
    url: '',
    requests: [],
    queue: [],
    lists: {},
    received: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const path = (request.url ?? '').replace(/\?.*$/, '');
      double.requests.push({ method: request.method ?? '', path, headers: request.headers, body });
      if (request.method === 'GET') {
        const list = double.lists[path];
        response
          .writeHead(list === undefined ? 404 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(list ?? { error: { message: 'no such page' } }));
        return;
      }
      const thought = double.queue.shift() ?? double.think?.(body);
      answer(response, path, thought ?? { status: 500, body: { error: { message: 'the test queued no answer' } } });
      for (const resolve of waiting.splice(0)) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return double;
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function answer(response: ServerResponse, path: string, reply: Answer): void {
  if ('status' in reply) {
    response
      .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    return;
  }
  const format = path.endsWith('/messages')
    ? anthropic
    : path.endsWith('/responses')
      ? responses
      : path.endsWith('/chat/completions')
        ? chat
        : gemini;
  const { opening, parts, closing, error } = format(reply.parts, reply.finish ?? 'stop');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const ending = reply.ending ?? 'complete';
  for (const event of [...opening, ...parts]) response.write(event);
  if (ending === 'silence') return;
  // The cut comes after what was written has left, so that it lies in the middle of the stream.
  if (ending === 'cut') response.write(': \n\n', () => response.destroy());
  else response.end(ending === 'complete' ? closing.join('') : ending === 'error' ? error : '');
}

interface Events {
  opening: string[];
  parts: string[];
  closing: string[];
  error: string;
}
type Finish = 'stop' | 'length' | 'malformedCall';

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`;
const halves = (text: string): string[] =>
  text.length < 2 ? [text] : [text.slice(0, Math.floor(text.length / 2)), text.slice(Math.floor(text.length / 2))];

function anthropic(parts: AnswerPart[], finish: Finish): Events {
  const hasCalls = parts.some((part) => 'call' in part);
  return {
    opening: [
      named({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 11, output_tokens: 1 },
        },
      } as { type: string }),
    ],
    parts: parts.flatMap((part, index) => {
      const start = (content_block: unknown): string => named({ type: 'content_block_start', index, content_block } as { type: string });
      const delta = (value: unknown): string => named({ type: 'content_block_delta', index, delta: value } as { type: string });
      const stop = named({ type: 'content_block_stop', index } as { type: string });
      if ('text' in part)
        return [start({ type: 'text', text: '' }), ...halves(part.text).map((text) => delta({ type: 'text_delta', text })), stop];
      if ('reasoning' in part) {
        return [
          start({ type: 'thinking', thinking: '', signature: '' }),
          ...halves(part.reasoning).map((thinking) => delta({ type: 'thinking_delta', thinking })),
          delta({ type: 'signature_delta', signature: 'signed-by-the-provider' }),
          stop,
        ];
      }
      const { id, name, argumentsText } = part.call;
      return [
        start({ type: 'tool_use', id, name, input: {} }),
        ...halves(argumentsText).map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    }),
    closing: [
      named({
        type: 'message_delta',
        delta: { stop_reason: finish === 'length' ? 'max_tokens' : hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 7 },
      } as { type: string }),
      named({ type: 'message_stop' }),
    ],
    error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as { type: string }),
  };
}

function chat(parts: AnswerPart[], finish: Finish): Events {
  const chunk = (delta: unknown, finish_reason: string | null = null, usage?: unknown): string =>
    data({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
      ...(usage === undefined ? {} : { usage }),
    });
  const calls = parts.flatMap((part) => ('call' in part ? [part.call] : []));
  // Deltas of parallel calls come interleaved, as real servers send them.
  const pieces = calls.map(({ argumentsText }) => halves(argumentsText));
  const interleaved = [0, 1].flatMap((half) =>
    calls.flatMap((call, index) => {
      const piece = pieces[index]?.[half];
      if (piece === undefined) return [];
      const isFirst = half === 0;
      const isLast = half === (pieces[index]?.length ?? 1) - 1;
      const isNamed = call.lateName === undefined ? isFirst : isLast;
      const name = isNamed ? { name: call.name } : call.lateName === 'blank' ? { name: '' } : {};
      return [
        chunk({ tool_calls: [{ index, ...(isFirst ? { id: call.id, type: 'function' } : {}), function: { ...name, arguments: piece } }] }),
      ];
    }),
  );
  return {
    opening: [chunk({ role: 'assistant', content: '' })],
    parts: [
      ...parts.flatMap((part) =>
        'text' in part
          ? halves(part.text).map((content) => chunk({ content }))
          : 'reasoning' in part
            ? halves(part.reasoning).map((reasoning_content) => chunk({ reasoning_content }))
            : [],
      ),
      ...interleaved,
    ],
    closing: [
      chunk({}, finish === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop', {
        prompt_tokens: 11,
        completion_tokens: 7,
        total_tokens: 18,
      }),
      'data: [DONE]\n\n',
    ],
    error: data({ error: { message: 'Overloaded', type: 'server_error', code: 'overloaded' } }),
  };
}

function responses(parts: AnswerPart[], finish: Finish): Events {
  let sequence = 0;
  const event = (value: { type: string }): string => named({ ...value, sequence_number: (sequence += 1) } as { type: string });
  const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [], usage: null };
  const usage = {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  };
  const item = (type: string, output_index: number, value: unknown): string =>
    event({ type, output_index, item: value } as { type: string });
  return {
    opening: [event({ type: 'response.created', response: { ...base, status: 'in_progress' } } as { type: string })],
    parts: parts.flatMap((part, index) => {
      if ('text' in part) {
        const id = `msg_${index}`;
        return [
          item('response.output_item.added', index, { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }),
          ...halves(part.text).map((delta) =>
            event({ type: 'response.output_text.delta', item_id: id, output_index: index, content_index: 0, delta } as { type: string }),
          ),
          item('response.output_item.done', index, {
            id,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: part.text, annotations: [] }],
          }),
        ];
      }
      if ('reasoning' in part) {
        const id = `rs_${index}`;
        return [
          item('response.output_item.added', index, { id, type: 'reasoning', summary: [], encrypted_content: 'sealed' }),
          event({
            type: 'response.reasoning_summary_part.added',
            item_id: id,
            output_index: index,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          } as { type: string }),
          ...halves(part.reasoning).map((delta) =>
            event({ type: 'response.reasoning_summary_text.delta', item_id: id, output_index: index, summary_index: 0, delta } as {
              type: string;
            }),
          ),
          item('response.output_item.done', index, {
            id,
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: part.reasoning }],
            encrypted_content: 'sealed',
          }),
        ];
      }
      const { id: call_id, name, argumentsText, lateName } = part.call;
      const id = `fc_${index}`;
      return [
        item('response.output_item.added', index, {
          id,
          type: 'function_call',
          call_id,
          name: lateName === undefined ? name : '',
          arguments: '',
          status: 'in_progress',
        }),
        ...halves(argumentsText).map((delta) =>
          event({ type: 'response.function_call_arguments.delta', item_id: id, output_index: index, delta } as { type: string }),
        ),
        event({ type: 'response.function_call_arguments.done', item_id: id, output_index: index, arguments: argumentsText } as {
          type: string;
        }),
        item('response.output_item.done', index, {
          id,
          type: 'function_call',
          call_id,
          name,
          arguments: argumentsText,
          status: finish === 'length' ? 'incomplete' : 'completed',
        }),
      ];
    }),
    closing: [
      finish === 'length'
        ? event({
            type: 'response.incomplete',
            response: { ...base, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage },
          } as { type: string })
        : event({ type: 'response.completed', response: { ...base, status: 'completed', usage } } as { type: string }),
    ],
    error: event({ type: 'error', code: 'server_error', message: 'Overloaded', param: null } as { type: string }),
  };
}

function gemini(parts: AnswerPart[], finish: Finish): Events {
  const chunk = (value: unknown, finishReason?: string): string =>
    data({
      candidates: [{ content: { role: 'model', parts: value }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: 'm',
    });
  return {
    opening: [],
    parts: parts.flatMap((part) => {
      if ('text' in part) return halves(part.text).map((text) => chunk([{ text }]));
      if ('reasoning' in part) return halves(part.reasoning).map((text) => chunk([{ text, thought: true }]));
      // Gemini sends a call whole, as an object; it has no way to send broken JSON.
      return [
        chunk([
          {
            functionCall: { name: part.call.name, args: JSON.parse(part.call.argumentsText) as unknown },
            thoughtSignature: 'signed-by-the-provider',
          },
        ]),
      ];
    }),
    closing: [chunk([], finish === 'length' ? 'MAX_TOKENS' : finish === 'malformedCall' ? 'MALFORMED_FUNCTION_CALL' : 'STOP')],
    error: data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
  };
}
