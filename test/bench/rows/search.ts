import { join } from 'node:path';
import { nodePorts } from '../../../main/host/nodePorts.ts';
import { insertConversation } from '../../../main/host/store/conversations.ts';
import { openDatabase } from '../../../main/host/store/database.ts';
import { insertMessage } from '../../../main/host/store/messages.ts';
import { indexMessage } from '../../../main/host/store/search.ts';
import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { type Row, watchLoop, withCleanUp } from '../row.ts';

const messages = 100_000;
const messagesOfChat = 50;
const subjects = [
  'invoice',
  'deployment',
  'meeting notes',
  'calendarEntry',
  'résumé',
  '会议记录',
  'budget plan',
  'error log',
  'travel',
  '报告',
];
const verbs = ['summarise', 'compare', 'rewrite', 'translate', 'check', '翻译', 'collect', 'sort'];
const queries = ['invoice', 'budget pl', '会议', 'resume', 'summarise the travel', 'number 77777', 'nothing-has-this-word', 'e'];

const textOf = (n: number): string =>
  `Please ${verbs[n % verbs.length]} the ${subjects[n % subjects.length]} of customer ${n % 977}, number ${n}. It was sent to ${subjects[(n * 7) % subjects.length]}@example.org.`;

function fill(dataDir: string): void {
  const { clock, log } = nodePorts({ dataDir, env: {} });
  const db = openDatabase({ dataDir, log, clock });
  db.transaction(() => {
    for (let n = 0; n < messages; n += 1) {
      const conversationId = `chat-${Math.floor(n / messagesOfChat)}` as ConversationId;
      const messageId = `message-${n}` as MessageId;
      if (n % messagesOfChat === 0) insertConversation(db, { id: conversationId, model: undefined, at: n });
      insertMessage(db, { id: messageId, conversationId, parentId: undefined, role: 'user', createdAt: n });
      indexMessage(db, { conversationId, messageId, text: textOf(n), at: n });
    }
  })();
  db.close();
}

export const row: Row = {
  name: `Search over ${messages.toLocaleString('en')} messages: the slowest of ${queries.length} queries`,
  unit: 'ms',
  bound: 50,
  run: () =>
    withCleanUp(async (later) => {
      const dataDir = join(benchFolder(later), 'data');
      fill(dataDir);
      const host = await startBenchHost(dataDir, {}, later);
      // Starts the worker and opens its connection.
      await host.run('conversation.search', { query: 'warm', limit: 20 });
      const { value, loopDelayMs } = await watchLoop(async () => {
        const times: { query: string; ms: number; hits: number }[] = [];
        for (const query of queries) {
          const start = performance.now();
          const { hits } = await host.run('conversation.search', { query, limit: 20 });
          times.push({ query, ms: performance.now() - start, hits: hits.length });
        }
        return times;
      });
      if (value[0]?.hits !== 20) throw new Error('The search finds nothing.');
      const slowest = value.reduce((one, other) => (other.ms > one.ms ? other : one));
      return {
        value: slowest.ms,
        loopDelayMs,
        detail: `slowest “${slowest.query}”; ${value.map(({ ms }) => ms.toFixed(0)).join(', ')} ms`,
      };
    }),
};
