import type { TraceEntryId } from '../../../preload/contract/trace.ts';

/** One HTTP request and its response, as the client made them: nothing is removed yet. */
export interface HttpExchange {
  method: string;
  url: string;
  requestHeaders: Headers;
  status?: number;
  responseHeaders?: Headers;
}

/** What the connections of one server tell of what goes over their wire. Takes note only: never throws, never changes anything. */
export interface WireTrace {
  /** JSON-RPC (one message, or a batch of 2025-03-26) as it is written to the wire, before it is. */
  sent(text: string, exchange?: HttpExchange): void;
  /** JSON-RPC as it was read from the wire. `parsed` spares a second parsing. */
  received(text: string, from?: { exchange: HttpExchange; eventId?: string | undefined } | { parsed: unknown }): void;
  /** A request whose message is told by `sent` has its response, or failed with a sentence. */
  answered(exchange: HttpExchange, problem?: string): void;
  /** An exchange that carried no message, when its response is known. `text`: the head of what came. */
  exchanged(exchange: HttpExchange, text: string, problem?: string): void;
  /** What is no message: other lines on stdout, other events of a stream. */
  noise(text: string): void;
  /** A sentence of the host about the connection. */
  connection(sentence: string): void;
  /** Requests with this id, from now on, serve a call, or something that the person sent by hand. To be told before `sent`. */
  belongs(requestId: string | number, to: string): void;
  /** The newest thing that came from the server, to be named in a failure's sentence. */
  newestFromServer(): TraceEntryId | undefined;
}
