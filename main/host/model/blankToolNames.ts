/**
 * Some OpenAI-compatible servers send a tool call's arguments first, with a blank name, and its name later. The SDK waits for a name that is
 * missing, but drops what comes with a blank one: the call would go out with half its arguments. So a blank name is made a missing one.
 */
export async function fetchWithBlankNamesMissing(fetchOnce: typeof fetch, ...call: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetchOnce(...call);
  if (response.body === null || response.headers.get('content-type')?.includes('text/event-stream') !== true) return response;
  const body = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(byLine(nameToNull)).pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

/** Inside a JSON string every quote is escaped, so that this only meets members. */
function nameToNull(line: string): string {
  return line.replace(/(?<!\\)"name"\s*:\s*"\s*"/g, '"name":null');
}

/** Applies a function to whole lines, wherever the stream was cut. */
function byLine(change: (line: string) => string): TransformStream<string, string> {
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf('\n') + 1;
      if (end === 0) {
        rest += chunk;
        return;
      }
      controller.enqueue(change(rest + chunk.slice(0, end)));
      rest = chunk.slice(end);
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(change(rest));
    },
  });
}
