import { createParser } from 'eventsource-parser';
import { type BodyStep, passing } from '../mcp/passingBody.ts';
import { messageOf } from '../refusal.ts';
import type { HttpExchange, WireTrace } from './wireTrace.ts';

/** Of a body that is no message this much is looked at, in bytes. */
const maxOtherBody = 65_536;

/**
 * `fetch` whose exchanges are traced: what the requests of an MCP transport carry, and every message in the responses, each event of
 * a stream with its id. Bodies of anything else that is fetched on the way (a sign-in) are never looked at.
 */
export function tracedFetch(inner: typeof fetch, trace: WireTrace): typeof fetch {
  return async (input, init) => {
    const exchange: HttpExchange = {
      method: (init?.method ?? 'GET').toUpperCase(),
      url: input instanceof Request ? input.url : String(input),
      requestHeaders: new Headers(init?.headers),
    };
    const message = typeof init?.body === 'string' && isRpc(init.body) ? init.body : undefined;
    const listens = exchange.method === 'GET' && exchange.requestHeaders.get('accept')?.includes('text/event-stream') === true;
    if (message !== undefined) trace.sent(message, exchange);
    const over = (text: string, problem?: string): void =>
      message === undefined ? trace.exchanged(exchange, text, problem) : trace.answered(exchange, problem);

    let response: Response;
    try {
      response = await inner(input, init);
    } catch (error) {
      over('', init?.signal?.aborted ? 'The request was given up.' : `The request failed: ${causeOf(error)}`);
      throw error;
    }
    exchange.status = response.status;
    exchange.responseHeaders = response.headers;
    if (message !== undefined) trace.answered(exchange);
    const isOurs = message !== undefined || listens;
    const type = response.headers.get('content-type') ?? '';
    if (!response.body || !isOurs) {
      if (message === undefined || !response.ok) trace.exchanged(exchange, '');
      return response;
    }
    if (message === undefined && response.ok) trace.exchanged(exchange, '');
    const tap = type.includes('text/event-stream') && response.ok ? eventTap(exchange, trace) : bodyTap(exchange, trace);
    return passing(response, tap);
  };
}

/** Hands every event of a stream on to the trace while it passes. */
function eventTap(exchange: HttpExchange, trace: WireTrace): BodyStep {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent({ event, id, data }) {
      if (event !== undefined && event !== 'message') trace.noise(`event: ${event}\ndata: ${data}`);
      else if (data !== '') trace.received(data, { exchange, eventId: id });
    },
  });
  return {
    chunk(bytes) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      return bytes;
    },
  };
}

/** Hands the whole of a JSON body on to the trace when it has passed; of any other, the head. */
function bodyTap(exchange: HttpExchange, trace: WireTrace): BodyStep {
  const isJson = (exchange.responseHeaders?.get('content-type') ?? '').includes('json');
  const pieces: Uint8Array[] = [];
  let held = 0;
  const tell = (): void => {
    const text = new TextDecoder().decode(Buffer.concat(pieces));
    const isError = (exchange.status ?? 0) >= 300;
    if (isRpc(text)) trace.received(text, { exchange });
    else if (isError) trace.exchanged(exchange, text);
    else if (text !== '') trace.exchanged(exchange, text, 'What came is no message of the protocol.');
  };
  return {
    chunk(bytes) {
      if (isJson || held < maxOtherBody) {
        pieces.push(bytes);
        held += bytes.length;
      }
      return bytes;
    },
    end() {
      tell();
      return undefined;
    },
    // An error's body is not always read to its end.
    cancel: tell,
  };
}

/** Cheap, and enough to tell a message from a form or a registration of a client. */
function isRpc(text: string): boolean {
  return /^\s*[[{]/.test(text) && /"jsonrpc"\s*:\s*"2\.0"/.test(text);
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message || error.message : messageOf(error);
}
