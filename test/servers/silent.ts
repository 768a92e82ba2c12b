/** Reads everything and never answers; with `lists` on the command line, it answers `initialize` and nothing else. */
import { initializeResult, onMessage, reply } from './rawStdio.ts';

process.stdin.on('end', () => process.exit(0));
process.stderr.write('waiting for a database that is not there\n');
onMessage((message) => {
  if (process.argv[2] === 'lists' && message.method === 'initialize') reply(message, initializeResult());
});
