/** An old server that gives no answer to a request with `params._meta`, and works otherwise. */
import { initializeResult, onMessage, reply, text, tool } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

recordStart();
process.stderr.write('ready\n');
onMessage((message) => {
  if (message.method === 'server/discover') return;
  if (message.method === 'initialize') reply(message, initializeResult());
  if (message.method === 'tools/list') reply(message, { tools: [tool('echo')] });
  if (message.method === 'tools/call') reply(message, text('here'));
});
