/** Lists twenty tools of which some cannot be used, one twice, and answers calls with results of all kinds. */
import { reply, serveLegacy, text, tool } from './rawStdio.ts';

const good = Array.from({ length: 16 }, (_, index) => tool(`good${index}`));
const results: Record<string, unknown> = {
  good0: {
    content: [
      { type: 'hologram', data: { depth: 3 } },
      { type: 'text', text: 'and text' },
    ],
    extra: 1,
  },
  good1: { content: [], structuredContent: { id: 10491 }, isError: false },
  good2: { content: 'not a list' },
  good3: { toolResult: 'of 2024' },
  good4: { content: [{ type: 'text', text: 'No such file' }], isError: true },
};
serveLegacy({
  'tools/list': (message) =>
    reply(message, {
      tools: [
        ...good,
        { name: 'arrayRoot', inputSchema: { type: 'array', items: {} } },
        { description: 'nameless', inputSchema: { type: 'object' } },
        { name: 'noSchema' },
        'not even an object',
        tool('good0'),
      ],
    }),
  'tools/call': (message) => reply(message, results[String(message.params?.['name'])] ?? text('fine')),
});
