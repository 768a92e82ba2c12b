/**
 * A server of 2025-03-26 may put several messages into one event of a stream, as a JSON array ("Streamable HTTP"), which the client
 * does not read there. `fetch` whose event streams hold one message an event. Plain JSON answers stay as they are.
 */
export function splitBatches(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.body || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return response;
    const { status, statusText, headers } = response;
    const split = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(eachLine(splitLine)).pipeThrough(new TextEncoderStream());
    const changed = new Response(split, { status, statusText, headers });
    Object.defineProperty(changed, 'url', { value: response.url });
    Object.defineProperty(changed, 'redirected', { value: response.redirected });
    return changed;
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
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whole lines only are changed; what ends without a line end goes on at the end. */
function eachLine(change: (line: string) => string): TransformStream<string, string> {
  let pieces: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf('\n');
      if (end === -1) return void pieces.push(chunk);
      const lines = (pieces.join('') + chunk.slice(0, end)).split('\n');
      pieces = [chunk.slice(end + 1)];
      controller.enqueue(`${lines.map(change).join('\n')}\n`);
    },
    flush(controller) {
      const rest = pieces.join('');
      if (rest !== '') controller.enqueue(rest);
    },
  });
}
