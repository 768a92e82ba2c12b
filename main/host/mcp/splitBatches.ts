import { isNestedTooDeep } from '../nesting.ts';
import { type BodyStep, passing } from './passingBody.ts';

/**
 * A server of 2025-03-26 may put several messages into one event of a stream, as a JSON array ("Streamable HTTP"), which the client
 * does not read there. `fetch` whose event streams hold one message an event. Plain JSON answers stay as they are.
 */
export function splitBatches(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.body || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return response;
    return passing(response, eachLine(splitLine));
  };
}

/** A line of an event stream whose data is a batch becomes lines of several events; the event's other lines go with the first of them. */
function splitLine(line: string): string {
  const data = /^data: ?(\[.*\])\r?$/.exec(line)?.[1];
  if (data === undefined) return line;
  const messages = batchIn(data);
  return messages === undefined ? line : messages.map((message) => `data: ${JSON.stringify(message)}`).join('\n\n');
}

function batchIn(data: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(data);
    // What runs out of stack when it is written out is none that could be taken: it would end the stream, with the answers behind it.
    return Array.isArray(value) && value.length > 0 && !isNestedTooDeep(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const newline = 0x0a;
/** How a line begins that may have to be changed. */
const marks = ['data: [', 'data:['];

/** Whole lines only are changed; what ends without a line end goes on at the end. Bytes in which no such line can be pass as they are. */
function eachLine(change: (line: string) => string): BodyStep {
  let pieces: Uint8Array[] = [];
  return {
    chunk(bytes) {
      const end = bytes.lastIndexOf(newline) + 1;
      if (end === 0) return void pieces.push(bytes);
      const lines = Buffer.concat([...pieces, bytes.subarray(0, end)]);
      pieces = end === bytes.length ? [] : [bytes.subarray(end)];
      if (!marks.some((mark) => lines.includes(mark))) return lines;
      return Buffer.from(lines.toString('utf8').split('\n').map(change).join('\n'));
    },
    end: () => (pieces.length === 0 ? undefined : Buffer.concat(pieces)),
  };
}
