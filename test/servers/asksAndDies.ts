/** Its tool `ask` puts two questions at once; with the answer to the first it exits, code 4, while the second is open. */
import { reply, serveLegacy, onMessage, tool, write } from './rawStdio.ts';

const question = (id: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: id, requestedSchema: { type: 'object', properties: { level: { type: 'string', enum: ['low', 'medium', 'high'] } } } },
});
serveLegacy({
  'tools/list': (message) => reply(message, { tools: [tool('ask')] }),
  'tools/call': () => ['first', 'second'].forEach((id) => write(question(id))),
});
onMessage((message) => {
  if (message.id === 'first') process.exit(4);
});
