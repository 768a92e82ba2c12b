/** Answers with a text of as many bytes as `bytes` says, in one line. */
import { reply, serveLegacy, text } from './rawStdio.ts';

serveLegacy({
  'tools/call': (message) => {
    const args = message.params?.['arguments'];
    const bytes = typeof args === 'object' && args !== null && 'bytes' in args && typeof args.bytes === 'number' ? args.bytes : 0;
    reply(message, text('x'.repeat(bytes)));
  },
});
