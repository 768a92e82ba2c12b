import { Agent } from 'undici';
import { MessageTooLong } from './messageProblem.ts';
import { type BodyStep, passing } from './passingBody.ts';
import { maxMessageBytes } from './stdioTransport.ts';

/** A request was refused because the server does not know our session: it has begun nothing. */
export class SessionLost extends Error {
  constructor() {
    super('The server no longer knows this session.');
    this.name = 'SessionLost';
  }
}

const sessionHeader = 'mcp-session-id';

/** A call may think, and a stream may be quiet, for longer than the five minutes after which Node's own agent gives up. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 20_000 });

/**
 * `fetch` that tells when the connection behind it is gone: the network failed, or the server no longer knows our session
 * (404 by the specification, 400 of many servers; of a GET only where the server has given streams). Ends a response in which a single message, one event of a stream or a whole
 * body, is longer than `maxMessageBytes`: everything of it would have to be held in memory.
 */
export function watchedFetch(onDrop: (drop: { kind: 'network'; cause: unknown } | { kind: 'session' }) => void): typeof fetch {
  let hasStreams = false;
  return async (input, init) => {
    let response: Response;
    const patiently = { ...init };
    // Not written out, because the agent's types and those of Node's own fetch are of two packages that do not agree.
    Reflect.set(patiently, 'dispatcher', patient);
    try {
      response = await fetch(input, patiently);
    } catch (cause) {
      if (!init?.signal?.aborted) onDrop({ kind: 'network', cause });
      throw cause;
    }
    const headers = new Headers(init?.headers);
    const isGet = init?.method === 'GET';
    if (isGet && response.ok) hasStreams = true;
    // A server that has no stream to give refuses the first GET so too, though the rule is 405: that says nothing of the session.
    const tells = !isGet || hasStreams || headers.has('last-event-id');
    if (tells && headers.has(sessionHeader) && (await sessionLost(response, init?.method))) {
      // First this request must learn that it was not begun; those that wait for answers learn only that the connection has ended.
      setImmediate(() => onDrop({ kind: 'session' }));
      if (init?.method === 'POST') {
        await response.body?.cancel();
        throw new SessionLost();
      }
    }
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    return passing(response, boundedMessages(maxMessageBytes, isStream));
  };
}

async function sessionLost(response: Response, method: string | undefined): Promise<boolean> {
  if (method === 'DELETE') return false;
  if (response.status === 404) return true;
  if (response.status !== 400) return false;
  return method === 'GET' || /session/i.test(await headOf(response.clone(), 2000));
}

/** The first bytes of a body, as text; the rest is not waited for. */
async function headOf({ body }: Response, bytes: number): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= bytes) break;
  }
  return head.toString('utf8', 0, bytes);
}

/** The blank line that ends an event, in the forms that a stream may have. */
const eventEnds = ['\n\n', '\r\r', '\r\n\r\n', '\n\r\n'];

function boundedMessages(limit: number, isStream: boolean): BodyStep {
  let held = 0;
  /** The end of the chunk before, where a blank line may have begun. */
  let before = Buffer.alloc(0);
  return {
    chunk(bytes) {
      held += bytes.length;
      if (isStream) {
        const seen = Buffer.concat([before, bytes]);
        const end = Math.max(...eventEnds.map((mark) => endOf(seen, mark)));
        if (end !== -1) held = seen.length - end;
        before = seen.subarray(-3);
      }
      if (held > limit) throw new MessageTooLong(limit);
      return bytes;
    },
  };
}

function endOf(bytes: Buffer, mark: string): number {
  const at = bytes.lastIndexOf(mark);
  return at === -1 ? -1 : at + mark.length;
}
