import { AsyncLocalStorage } from 'node:async_hooks';
import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY, type Transport } from '@modelcontextprotocol/client';
import { createParser } from 'eventsource-parser';
import { mapReceived } from './mapReceived.ts';
import { noMessage, noMessageInStream, problemOfAnswer, problemOfText } from './messageProblem.ts';
import { type BodyStep, passing } from './passingBody.ts';
import type { ServerLog } from './serverLog.ts';

/** The HTTP exchange of one request, as far as it has come. */
interface Exchange {
  status?: number;
  /** Only of a response that is an event stream. */
  stream?: { tail: Uint8Array[]; isWhole: boolean; problem?: string | undefined };
}

/** Of a stream that is over without an answer this much is looked at, in bytes. */
const maxTail = 65_536;

export interface HttpExchanges {
  /** To be the outermost one: what its transport fetches with. */
  fetch(inner: typeof fetch): typeof fetch;
  /** To be called when everything else stands between the transport and its client. */
  watch(transport: Transport): void;
}

/**
 * A request over Streamable HTTP is answered inside of its own exchange (2025-11-25 "Transports", 2026-07-28 "Streamable HTTP"), which the
 * client library does not hold a server to. Requests whose exchange is over without an answer get an error for one: its message is the rule
 * that the server broke, its data `noMessage` or `noMessageInStream`. A server of before 2026-07-28 may answer with 202 and send the answer by
 * its other stream, as some do.
 */
export function httpExchanges(log: Pick<ServerLog, 'add'>): HttpExchanges {
  // The library does not say which request it fetches for.
  const current = new AsyncLocalStorage<Exchange>();
  return {
    fetch: (inner) => async (input, init) => {
      const response = await inner(input, init);
      const exchange = init?.method === 'POST' ? current.getStore() : undefined;
      if (!exchange) return response;
      exchange.status = response.status;
      if (!response.ok || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return response;
      exchange.stream = { tail: [], isWhole: true };
      return passing(response, keepTail(exchange.stream));
    },
    watch(transport) {
      const waiting = new Set<string | number>();
      mapReceived(transport, (message) => {
        // The client takes an id that is a number written as a text.
        if (!('method' in message) && message.id !== undefined && !waiting.delete(message.id)) waiting.delete(Number(message.id));
        return message;
      });
      const send = transport.send.bind(transport);
      transport.send = async (message, options) => {
        if ('method' in message && message.method === 'notifications/cancelled') waiting.delete(cancelledBy(message));
        if (!('method' in message) || !('id' in message)) return send(message, options);
        const { id } = message;
        const isModern = message.params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
        const exchange: Exchange = {};
        const isOpen = (): boolean => waiting.has(id) && options?.requestSignal?.aborted !== true;
        const end = (problem: string, data: symbol): void =>
          transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32603, message: problem, data } });
        waiting.add(id);
        try {
          await current.run(exchange, () =>
            send(message, {
              ...options,
              onRequestStreamEnd() {
                if (isOpen()) {
                  const { problem, ...stream } = exchange.stream ?? { tail: [], isWhole: true };
                  const broken = problem ?? brokenEvent(stream);
                  if (broken !== undefined) end(broken, problem === undefined ? noMessageInStream : noMessage);
                }
                waiting.delete(id);
                options?.onRequestStreamEnd?.();
              },
            }),
          );
        } catch (error) {
          waiting.delete(id);
          throw error;
        }
        if (exchange.status === undefined || exchange.stream || !isOpen() || (exchange.status === 202 && !isModern)) return;
        const problem =
          exchange.status === 202
            ? 'it is HTTP status 202, with which only a notice may be answered, and a request must get a result or an error'
            : 'it holds no answer with the "id" of the request';
        log.add('host', `A message of it was not taken: ${problem}.`);
        end(problem, noMessage);
      };
    },
  };
}

function cancelledBy(message: JSONRPCMessage): string | number {
  const id = 'params' in message ? message.params?.['requestId'] : undefined;
  return typeof id === 'number' || typeof id === 'string' ? id : '';
}

/** The chunks themselves: a stream that goes well costs nothing more. */
function keepTail(stream: NonNullable<Exchange['stream']>): BodyStep {
  let held = 0;
  return {
    chunk(bytes) {
      stream.tail.push(bytes);
      held += bytes.length;
      for (let [first] = stream.tail; first && held - first.length >= maxTail; [first] = stream.tail) {
        stream.tail.shift();
        stream.isWhole = false;
        held -= first.length;
      }
      return bytes;
    },
    failed(error) {
      stream.problem = problemOfAnswer(error);
    },
  };
}

/** What is wrong with the last event that is no message; undefined where there is none. */
function brokenEvent({ tail, isWhole }: { tail: Uint8Array[]; isWhole: boolean }): string | undefined {
  let broken: string | undefined;
  const parser = createParser({
    onEvent({ event, data }) {
      if ((event === undefined || event === 'message') && data !== '') broken = problemOfText(data) ?? broken;
    },
  });
  const text = new TextDecoder().decode(Buffer.concat(tail));
  // What it begins with may be the rest of an event.
  parser.feed(isWhole ? text : text.replace(/^[^]*?(?:\r\n\r\n|\n\n|\r\r)/, ''));
  return broken;
}
