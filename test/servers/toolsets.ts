/** Its tool `load` adds 20 tools, `added1` to `added20`, with a dozen notices in a row; each of them answers with its name. */
import { notify, reply, serveLegacy, text, tool } from './rawStdio.ts';

const tools = ['load'].map(tool);
serveLegacy({
  'tools/list': (message) => reply(message, { tools }),
  'tools/call': (message) => {
    const name = String(message.params?.['name']);
    if (name === 'load') {
      for (let each = 1; each <= 20; each += 1) tools.push(tool(`added${each}`));
      for (let each = 1; each <= 12; each += 1) notify('notifications/tools/list_changed');
    }
    reply(message, text(`${name} was called`));
  },
});
