/** Its tool `environment` answers with all variables that it was started with. */
import { initializeResult, onMessage, refuse, reply, text, tool } from './rawStdio.ts';

onMessage((message) => {
  if (message.method === 'initialize') reply(message, initializeResult());
  else if (message.method === 'tools/list') reply(message, { tools: [tool('environment')] });
  else if (message.method === 'tools/call') reply(message, text(JSON.stringify(process.env)));
  else if (message.id !== undefined) refuse(message, -32601, 'Method not found');
});
