/** An old server that is stuck for ever after an unknown first message, even for `initialize`. Holds a lock file while it lives. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { onMessage, initializeResult, reply, tool } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

const lock = `${process.argv[2] ?? '/tmp/odd'}.lock`;
try {
  closeSync(openSync(lock, 'wx'));
} catch (error) {
  process.stderr.write(`another copy is running: ${String(error)}\n`);
  process.exit(1);
}
recordStart();
process.on('exit', () => rmSync(lock, { force: true }));
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 200));
process.stderr.write('ready\n');

let stuck = false;
onMessage((message) => {
  stuck ||= message.method === 'server/discover';
  if (stuck) return;
  if (message.method === 'initialize') reply(message, initializeResult());
  if (message.method === 'tools/list') reply(message, { tools: [tool('echo')] });
});
