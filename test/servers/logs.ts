/** A legacy server that logs: from the level that it was told on, and once more than it was asked for. */
import { initializeResult, notify, reply, serveLegacy, text } from './rawStdio.ts';

let level = 'emergency';
serveLegacy({
  initialize: (message) => reply(message, initializeResult({ tools: {}, logging: {} })),
  'logging/setLevel': (message) => {
    level = String(message.params?.['level']);
    reply(message, {});
  },
  'tools/call': (message) => {
    notify('notifications/message', { level: 'warning', logger: 'disk', data: { free: 3 } });
    notify('notifications/message', { level: 'loud', data: 'a level that nobody knows' });
    reply(message, text(level));
  },
});
