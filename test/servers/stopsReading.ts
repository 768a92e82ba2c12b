/** Lists one tool, and reads nothing of stdin from then on: the pipe to it fills up and stays full. */
import { initializeResult, type Message, refuse, reply, tool } from './rawStdio.ts';

let held = '';
const read = (chunk: Buffer): void => {
  held += chunk.toString();
  const lines = held.split('\n');
  held = lines.pop() ?? '';
  for (const line of lines) {
    const message: Message = JSON.parse(line);
    if (message.method === 'initialize') reply(message, initializeResult());
    else if (message.method === 'tools/list') {
      reply(message, { tools: [tool('write_file')] });
      process.stdin.off('data', read).pause();
    } else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
  }
};
process.stdin.on('data', read);
setInterval(() => undefined, 60_000);
