import { createInterface } from 'node:readline';

/** A JSON-RPC message as it stands on the wire; nothing is checked. */
export interface Message {
  jsonrpc: '2.0';
  id?: string | number;
  method?: string;
  params?: { [key: string]: unknown; _meta?: { [key: string]: unknown } };
}

export const write = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
export const reply = (request: Message, result: unknown) => write({ jsonrpc: '2.0', id: request.id, result });
export const refuse = (request: Message, code: number, message: string) =>
  write({ jsonrpc: '2.0', id: request.id, error: { code, message } });
export const notify = (method: string, params?: unknown) => write({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });

/** Hands on every message of stdin. */
export function onMessage(handle: (message: Message) => void): void {
  createInterface({ input: process.stdin }).on('line', (line) => handle(JSON.parse(line)));
}

export const initializeResult = (capabilities: Record<string, unknown> = { tools: { listChanged: true } }) => ({
  protocolVersion: '2025-11-25',
  capabilities,
  serverInfo: { name: 'odd', version: '1.0.0' },
});

export const tool = (name: string) => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object' } });
export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** An ordinary legacy server but for what `handlers` change: by method, and `answer` for answers to requests of its own. */
export function serveLegacy(handlers: Record<string, (message: Message) => void>): void {
  onMessage((message) => {
    const handle = handlers[message.method ?? 'answer'];
    if (handle) handle(message);
    else if (message.method === 'initialize') reply(message, initializeResult());
    else if (message.method === 'tools/list') reply(message, { tools: [tool('echo')] });
    else if (message.method === 'tools/call') reply(message, text(JSON.stringify(message.params?.['arguments'] ?? {})));
    else if (message.id !== undefined && message.method !== undefined) refuse(message, -32601, 'Method not found');
  });
}
