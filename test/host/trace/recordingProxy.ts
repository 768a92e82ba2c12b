import { createServer, request as httpRequest } from 'node:http';
import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';

/** What passed through a proxy: JSON-RPC texts, and the ids of the events that carried them. */
export interface Passed {
  toServer: string[];
  fromServer: string[];
  eventIds: string[];
}

/** Stands between a client and an HTTP server on this machine and writes down what passes. */
export async function recordingProxy(targetPort: number): Promise<{ port: number; passed: Passed }> {
  const passed: Passed = { toServer: [], fromServer: [], eventIds: [] };
  const proxy = createServer((incoming, outgoing) => {
    const body: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => body.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(body).toString();
      if (text !== '') passed.toServer.push(text);
      const { method, url: path, headers } = incoming;
      const onward = httpRequest({ host: '127.0.0.1', port: targetPort, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        outgoing.flushHeaders();
        const parser = createParser({
          onEvent({ id, data, event }) {
            if (event !== undefined && event !== 'message') return;
            if (data !== '') passed.fromServer.push(data);
            if (id !== undefined && data !== '') passed.eventIds.push(id);
          },
        });
        const isStream = String(answer.headers['content-type']).includes('text/event-stream');
        const whole: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => {
          if (isStream) parser.feed(chunk.toString());
          else whole.push(chunk);
          outgoing.write(chunk);
        });
        answer.on('end', () => {
          const json = Buffer.concat(whole).toString();
          if (json.includes('"jsonrpc"')) passed.fromServer.push(json);
          outgoing.end();
        });
        answer.on('error', () => outgoing.destroy());
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      onward.end(text);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { port: address.port, passed };
}
