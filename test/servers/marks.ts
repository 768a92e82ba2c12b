/** `node marks.ts FILE`: `note` writes a line to the file and answers, `wait` writes one and never answers. */
import { appendFileSync } from 'node:fs';
import { reply, serveLegacy, text, tool } from './rawStdio.ts';

const file = process.argv[2];
if (file === undefined) throw new Error('Name a file.');
serveLegacy({
  'tools/list': (message) => reply(message, { tools: ['note', 'wait'].map(tool) }),
  'tools/call': (message) => {
    const name = String(message.params?.['name']);
    const args = message.params?.['arguments'];
    const words = typeof args === 'object' && args !== null && 'text' in args ? ` ${String(args.text)}` : '';
    appendFileSync(file, `${name}${words}\n`);
    if (name !== 'wait') reply(message, text('noted'));
  },
});
