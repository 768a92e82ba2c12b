import { Agent } from 'undici';
import { type BodyStep, passing } from './passingBody.ts';
import { maxMessageBytes } from './stdioTransport.ts';

/** A request was refused because the server does not know our session: it has begun nothing. */
export class SessionLost extends Error {
  constructor() {
    super('The server no longer knows this session.');
    this.name = 'SessionLost';
  }
}

const newline = 0x0a;
const sessionHeader = 'mcp-session-id';

/** A call may think, and a stream may be quiet, for longer than the five minutes after which Node's own agent gives up. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 20_000 });

/**
 * `fetch` that tells when the connection behind it is gone: the network failed, or the server no longer knows our session
 * (404 by the specification, 400 of many servers). Ends a response in which a single line, thus a message, is longer
 * than `maxMessageBytes`: everything of it would have to be held in memory.
 */
export function watchedFetch(onDrop: (drop: { kind: 'network'; cause: unknown } | { kind: 'session' }) => void): typeof fetch {
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
    if (new Headers(init?.headers).has(sessionHeader) && (await sessionLost(response, init?.method))) {
      // First this request must learn that it was not begun; those that wait for answers learn only that the connection has ended.
      setImmediate(() => onDrop({ kind: 'session' }));
      if (init?.method === 'POST') {
        await response.body?.cancel();
        throw new SessionLost();
      }
    }
    return passing(response, boundedLines(maxMessageBytes));
  };
}

async function sessionLost(response: Response, method: string | undefined): Promise<boolean> {
  if (method === 'DELETE') return false;
  if (response.status === 404) return true;
  if (response.status !== 400) return false;
  return method === 'GET' || /session/i.test((await response.clone().text()).slice(0, 2000));
}

function boundedLines(limit: number): BodyStep {
  let held = 0;
  return {
    chunk(bytes) {
      const last = bytes.lastIndexOf(newline);
      held = last === -1 ? held + bytes.length : bytes.length - last - 1;
      if (held > limit) throw new Error(`The server sent a message of more than ${limit / 1_048_576} MiB.`);
      return bytes;
    },
  };
}
