/**
 * `work` sends progress every 100 ms, `times` times, then answers; `stall` never answers; `late` answers when it is cancelled.
 * Cancellations are written to the file named first on the command line.
 */
import { appendFileSync } from 'node:fs';
import { type Message, notify, reply, serveLegacy, text, tool } from './rawStdio.ts';

const file = process.argv[2];
const running = new Map<unknown, Message>();
serveLegacy({
  'tools/list': (message) => reply(message, { tools: ['work', 'stall', 'late', 'token'].map(tool) }),
  'tools/call': (message) => {
    const progressToken = message.params?._meta?.['progressToken'];
    const args = message.params?.['arguments'];
    const times = typeof args === 'object' && args !== null && 'times' in args && typeof args.times === 'number' ? args.times : 1;
    const name = message.params?.['name'];
    running.set(message.id, message);
    if (name === 'token') reply(message, text(typeof progressToken));
    if (name !== 'work') return;
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      notify('notifications/progress', { progressToken, progress: sent, total: times, message: `step ${sent}` });
      if (sent < times) return;
      clearInterval(timer);
      reply(message, text('done'));
    }, 100);
  },
  'notifications/cancelled': (message) => {
    const id = message.params?.['requestId'];
    const call = running.get(id);
    if (file !== undefined) appendFileSync(file, `${String(call?.params?.['name'])}: ${String(message.params?.['reason'])}\n`);
    if (call?.params?.['name'] !== 'late') return;
    notify('notifications/progress', { progressToken: call.params._meta?.['progressToken'], progress: 1 });
    reply(call, text('too late'));
  },
});
