import { expect, test } from 'vitest';
import type { ConversationId, MessageId } from '../../../preload/contract/ids.ts';
import { insertMessage, newestLeafUnder, siblingsOf } from '../../../main/host/store/messages.ts';
import { insertConversation, tempDatabase } from '../../doubles/hostParts.ts';

test('versions of a message stand in the order in which they came, and the newest is followed, though the clock was set back', () => {
  const { db } = tempDatabase();
  const conversationId = 'chat' as ConversationId;
  insertConversation(db, conversationId);
  const question = { id: 'question' as MessageId, conversationId, parentId: undefined, role: 'user', createdAt: 5000 } as const;
  insertMessage(db, question);
  for (const [index, id] of (['b', 'c', 'a'] as MessageId[]).entries())
    insertMessage(db, { id, conversationId, parentId: question.id, role: 'assistant', createdAt: 4000 - index });
  expect(siblingsOf(db, { ...question, parentId: question.id, role: 'assistant' })).toEqual(['b', 'c', 'a']);
  expect(newestLeafUnder(db, question.id)).toBe('a');
});
