import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationId, MessageId, PartId, TurnId } from '../../../preload/contract/ids.ts';
import { nodePorts } from '../../../main/host/nodePorts.ts';
import { insertConversation, setLeaf } from '../../../main/host/store/conversations.ts';
import { openDatabase } from '../../../main/host/store/database.ts';
import { insertMessage, insertPart } from '../../../main/host/store/messages.ts';
import { insertTurn } from '../../../main/host/store/turns.ts';
import { benchFolder, startBenchHost } from '../benchHost.ts';
import { type Row, withCleanUp } from '../row.ts';
import { measuredOf, openBenchWindow, taskBoundMs } from '../windowCost.ts';

const turns = 1000;
const name = `Chat of ${(2 * turns).toLocaleString('en')} messages opens and is scrolled to its beginning`;

const answer = `It takes some **words** to fill a line or two, with a [link](https://example.com) and \`code\`.

- first
- second

\`\`\`ts
const value = await read('file');
\`\`\`

${'And it goes on for a while. '.repeat(12)}`;

/** The chat as the host saves it, turn after turn. */
function writeChat(dataDir: string): void {
  const { clock, log } = nodePorts({ dataDir, env: {} });
  const db = openDatabase({ dataDir, log, clock });
  try {
    const conversationId = 'chat' as ConversationId;
    const write = (id: string, parent: string | undefined, role: 'user' | 'assistant', words: string, createdAt: number) => {
      insertMessage(db, { id: id as MessageId, conversationId, parentId: parent as MessageId | undefined, role, createdAt });
      insertPart(db, {
        id: `${id}-text` as PartId,
        messageId: id as MessageId,
        step: 0,
        kind: 'text',
        text: { text: words, length: words.length },
        open: false,
        durationMs: undefined,
        labels: { source: { kind: role === 'user' ? 'user' : 'model' }, untrusted: role !== 'user', private: true },
      });
    };
    db.transaction(() => {
      insertConversation(db, { id: conversationId, model: 'demo', at: 0 });
      for (let n = 1; n <= turns; n += 1) {
        write(`question-${n}`, n === 1 ? undefined : `answer-${n - 1}`, 'user', `Question ${n}`, 2 * n);
        write(`answer-${n}`, `question-${n}`, 'assistant', answer, 2 * n + 1);
        insertTurn(
          db,
          {
            id: `turn-${n}` as TurnId,
            conversationId,
            userMessageId: `question-${n}` as MessageId,
            assistantMessageId: `answer-${n}` as MessageId,
            state: 'done',
            model: 'demo',
            steps: 1,
            startedAt: 2 * n,
          },
          25,
        );
      }
      setLeaf(db, conversationId, `answer-${turns}` as MessageId, 2 * turns + 1);
    })();
  } finally {
    db.close();
  }
}

export const row: Row = {
  name,
  unit: 'ms',
  bound: taskBoundMs,
  run: () =>
    withCleanUp(async (later) => {
      const dataDir = join(benchFolder(later), 'data');
      mkdirSync(dataDir);
      writeChat(dataDir);
      const host = await startBenchHost(dataDir, {}, later);
      await host.run('conversation.rename', { conversationId: 'chat' as ConversationId, title: 'Long chat' });
      const { page, measure } = await openBenchWindow(host, dataDir, later);
      const cost = await measure(async () => {
        await page.getByRole('button', { name: 'Long chat', exact: true }).click();
        await page.getByText(`Question ${turns}`, { exact: true }).waitFor();
        await page.locator('#composer textarea').focus();
        await page.getByRole('log').hover();
        const first = page.getByText('Question 1', { exact: true });
        while ((await first.count()) === 0) await page.mouse.wheel(0, -4000);
        await page.getByRole('button', { name: 'Jump to latest' }).click();
        await page.getByText(`Question ${turns}`, { exact: true }).waitFor();
      });
      return measuredOf(name, cost);
    }),
};
