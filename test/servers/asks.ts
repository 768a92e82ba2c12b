/** `ask` sends an elicitation without a mode in the middle of the call; `bad` one without a schema; the answer becomes the result. */
import { type Message, onMessage, initializeResult, refuse, reply, text, tool, write } from './rawStdio.ts';

const waiting = new Map<string, Message>();
onMessage((message) => {
  if (message.method === 'initialize') reply(message, initializeResult());
  else if (message.method === 'tools/list') reply(message, { tools: ['ask', 'bad'].map(tool) });
  else if (message.method === 'tools/call') {
    const id = `question-${String(message.id)}`;
    waiting.set(id, message);
    const requestedSchema = { type: 'object', properties: {} };
    const params = message.params?.['name'] === 'ask' ? { message: 'Which one?', requestedSchema } : { message: 'Which one?' };
    write({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
  } else if (message.method === undefined) {
    const call = waiting.get(String(message.id));
    if (call) reply(call, text(JSON.stringify(message)));
  } else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
});
