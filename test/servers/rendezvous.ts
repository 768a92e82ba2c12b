/** `meet` answers once two calls of it stand at the same time; `alone` fails when another call of it has not ended yet. */
import { type Message, reply, serveLegacy, text, tool } from './rawStdio.ts';

const met: Message[] = [];
let busy = 0;
serveLegacy({
  'tools/list': (message) => reply(message, { tools: ['meet', 'alone'].map(tool) }),
  'tools/call': (message) => {
    if (message.params?.['name'] === 'meet') {
      met.push(message);
      if (met.length === 2) for (const waiting of met.splice(0)) reply(waiting, text('met'));
      return;
    }
    busy += 1;
    const others = busy - 1;
    // Time for a second call to arrive, if the host sends one.
    setTimeout(() => {
      busy -= 1;
      reply(message, text(`${others} others, ${JSON.stringify(message.params?.['arguments'])}`));
    }, 50);
  },
});
