/** Ends in the middle of a call: `exit` with code 3, `kill` by a signal, `deaf` closes its stdin and ends a little later. */
import { closeSync } from 'node:fs';
import { reply, serveLegacy, text, tool } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

recordStart();
serveLegacy({
  'tools/list': (message) => reply(message, { tools: ['exit', 'kill', 'deaf', 'echo'].map(tool) }),
  'tools/call': (message) => {
    const name = message.params?.['name'];
    process.stderr.write(`panic: index out of range in ${String(name)}\n`);
    if (name === 'exit') process.exit(3);
    if (name === 'kill') process.kill(process.pid, 'SIGKILL');
    if (name === 'deaf') {
      closeSync(0);
      setTimeout(() => process.exit(5), 100);
    }
    if (name === 'echo') reply(message, text('alive'));
  },
});
