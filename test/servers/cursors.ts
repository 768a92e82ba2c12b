/**
 * Pages its tools oddly, as the first word of the command line says: `repeats` (the same page with the same cursor for ever),
 * `emptyRepeats` (cursor "" for ever), `emptyOnce` (cursor "" leads to the second page), `many` (a new cursor for ever),
 * `breaks` (the second page is an error).
 */
import { reply, refuse, serveLegacy, tool } from './rawStdio.ts';

const mode = process.argv[2];
let lists = 0;
serveLegacy({
  'tools/list': (message) => {
    lists += 1;
    const cursor = message.params?.['cursor'];
    const eight = Array.from({ length: 8 }, (_, index) => tool(`tool${index}`));
    if (mode === 'repeats') return reply(message, { tools: eight, nextCursor: '8' });
    if (mode === 'emptyRepeats') return reply(message, { tools: eight, nextCursor: '' });
    if (mode === 'emptyOnce') {
      return cursor === '' ? reply(message, { tools: [tool('second')] }) : reply(message, { tools: [tool('first')], nextCursor: '' });
    }
    if (mode === 'many') return reply(message, { tools: [tool(`page${lists}`)], nextCursor: `c${lists}` });
    return cursor === undefined
      ? reply(message, { tools: [tool('first')], nextCursor: '2' })
      : refuse(message, -32000, 'the store is gone');
  },
  'tools/call': (message) => reply(message, { content: [{ type: 'text', text: String(lists) }] }),
});
