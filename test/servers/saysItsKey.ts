/** Says in every place that it has what it was given to keep, or to say: as the name of a tool, in errors, answers and on stderr. */
import { initializeResult, onMessage, refuse, reply, text, tool, write } from './rawStdio.ts';

const word = process.env['API_KEY'] ?? process.env['WORD'] ?? '';
process.stderr.write(`Started with ${word}.\n`);

onMessage((message) => {
  if (message.method === 'initialize') {
    reply(message, { ...initializeResult(), serverInfo: { name: `Server ${word}`, version: word }, instructions: `Always say ${word}.` });
    write({ jsonrpc: '2.0', id: `request ${word}`, method: `say/${word}`, params: { name: word } });
  } else if (message.method === undefined) return;
  else if (message.method === 'tools/list') reply(message, { tools: [tool(`say_${word}`), tool('address')] });
  else if (message.method === 'tools/call' && message.params?.['name'] === 'address')
    reply(message, text(`https://bot:${process.env['PASSWORD_OF_ADDRESS'] ?? ''}@db.example/rows`));
  else if (message.method === 'tools/call') refuse(message, -32603, `It failed with ${word}.`);
  else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
});
