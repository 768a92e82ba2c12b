import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Groups of lines go out at this distance; with three lines a group about as fast as the quickest models write. */
const everyMs = 10;

/** A server that speaks Chat Completions and streams `text` line by line, at a steady pace, to every request. */
export async function startStreamingModel(
  text: string,
  later: (undo: () => unknown) => void,
  linesAtOnce = 3,
): Promise<{ baseUrl: string }> {
  const lines = text.split(/(?<=\n)/);
  const data = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [{ id: 'm' }] }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(data({ role: 'assistant', content: '' }));
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < lines.length) {
        response.write(data({ content: lines.slice(sent, sent + linesAtOnce).join('') }));
        sent += linesAtOnce;
        return;
      }
      clearInterval(timer);
      response.end(`${data({}, 'stop')}data: [DONE]\n\n`);
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
