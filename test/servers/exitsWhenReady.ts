/** Starts well and ends shortly after, every time. */
import { reply, serveLegacy, tool } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

recordStart();
serveLegacy({
  'tools/list': (message) => {
    reply(message, { tools: [tool('echo')] });
    setTimeout(() => {
      process.stderr.write('out of memory\n');
      process.exit(9);
    }, 50);
  },
});
