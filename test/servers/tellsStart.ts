/** Tells in its instructions how it was started: its program, arguments, folder and variables (of these only the names where `QUIET` is set). Has one tool, named by `TOOL`. */
import { initializeResult, onMessage, refuse, reply, text, tool } from './rawStdio.ts';

const [program = '', ...args] = process.argv.slice(1);
const name = process.env['TOOL'] ?? 'note';
const env = process.env['QUIET'] === undefined ? process.env : Object.keys(process.env);

onMessage((message) => {
  if (message.method === 'initialize')
    reply(message, { ...initializeResult(), instructions: JSON.stringify({ program, args, cwd: process.cwd(), env }) });
  else if (message.method === 'tools/list') reply(message, { tools: [tool(name)] });
  else if (message.method === 'tools/call') reply(message, text('noted'));
  else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
});
