/** Answers every request with an error of its own. */
import { onMessage, refuse } from './rawStdio.ts';

onMessage((message) => {
  if (message.id !== undefined) refuse(message, message.method === 'server/discover' ? -32601 : -32600, 'I speak to nobody.');
});
