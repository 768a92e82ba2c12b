/**
 * Sends change notices. `burst` adds 200 tools one by one with a notice each; `lists` says how often the list was read.
 * With `inside` on the command line, a notice stands before every answer to `tools/list`.
 */
import { notify, reply, serveLegacy, text, tool } from './rawStdio.ts';

const inside = process.argv[2] === 'inside';
const tools = ['burst', 'lists'].map(tool);
let lists = 0;
serveLegacy({
  'tools/list': (message) => {
    lists += 1;
    if (inside) notify('notifications/tools/list_changed');
    reply(message, { tools });
  },
  'tools/call': (message) => {
    if (message.params?.['name'] === 'lists') return reply(message, text(String(lists)));
    for (let each = 1; each <= 200; each += 1) {
      tools.push(tool(`added${each}`));
      notify('notifications/tools/list_changed');
    }
    reply(message, text('burst'));
  },
});
