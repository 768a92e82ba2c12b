/** Reads stdin a little at a time, as a busy server does, so that the pipe is full for a while. */
import { initializeResult, type Message, reply, refuse, text, tool } from './rawStdio.ts';

let held = '';
process.stdin.setEncoding('utf8');
process.stdin.on('readable', () => {
  process.stdin.pause();
});
const handle = (message: Message) => {
  if (message.method === 'initialize') reply(message, initializeResult());
  else if (message.method === 'tools/list') reply(message, { tools: [tool('length')] });
  else if (message.method === 'tools/call') reply(message, text(String(JSON.stringify(message.params?.['arguments']).length)));
  else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
};
setInterval(() => {
  const chunk: unknown = process.stdin.read(4096) ?? process.stdin.read();
  if (typeof chunk !== 'string') return;
  held += chunk;
  const lines = held.split('\n');
  held = lines.pop() ?? '';
  for (const line of lines) handle(JSON.parse(line));
}, 5);
process.stdin.on('end', () => process.exit(0));
