import type { ParsedInput } from '../../../preload/contract/commands.ts';
import { refuse } from '../refusal.ts';
import {
  deleteConversation,
  getConversation,
  insertConversation,
  listConversations,
  setConversationModel,
  setLeaf,
  setTitle,
} from '../store/conversations.ts';
import { databaseFile } from '../store/database.ts';
import { getMessage, newestLeafUnder } from '../store/messages.ts';
import { indexTitle } from '../store/search.ts';
import { readAttachments } from '../turn/attachments.ts';
import { readPrompt } from '../turn/chosenPrompt.ts';
import { conversationPage } from '../turn/conversationPage.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** Messages that a chat opens with. */
const openedMessages = 50;
const searchTimeoutMs = 5000;

/** Chats, their turns and calls. */
export function conversationCommands(context: CommandContext): Handlers<'conversation' | 'turn' | 'call'> {
  const { db, events, turns, ports } = context;

  const conversationOf = (id: ParsedInput<'conversation.open'>['conversationId']) =>
    getConversation(db, id) ?? refuse('notFound', 'This chat does not exist any more.');

  const history = (page: { before?: number | undefined; limit: number }) => listConversations(db, page).map(turns.view);

  return {
    'conversation.list': ({ before, limit }) => {
      const page = history({ before, limit: limit + 1 });
      return { conversations: page.slice(0, limit), hasMore: page.length > limit };
    },
    'conversation.create': ({ model }) => {
      const id = ports.ids() as ParsedInput<'conversation.open'>['conversationId'];
      insertConversation(db, { id, model, at: ports.clock.now() });
      turns.announce(id);
      return { conversation: turns.view(conversationOf(id)) };
    },
    'conversation.open': ({ conversationId }) => {
      const conversation = conversationOf(conversationId);
      turns.save(conversationId);
      const revision = events.revision(conversationId);
      return {
        conversation: turns.view(conversation),
        ...conversationPage(db, context.blobs, conversation.leafId, openedMessages),
        revision,
      };
    },
    'conversation.messages': ({ conversationId, before, limit }) => {
      if (getMessage(db, before)?.conversationId !== conversationId) refuse('notFound', 'There is no such message in this chat.');
      return conversationPage(db, context.blobs, before, limit);
    },
    'conversation.rename': ({ conversationId, title }) => {
      conversationOf(conversationId);
      db.transaction(() => {
        setTitle(db, conversationId, title, true);
        indexTitle(db, { conversationId, title, at: ports.clock.now() });
      })();
      turns.announce(conversationId);
      return done;
    },
    'conversation.delete': async ({ conversationId }) => {
      conversationOf(conversationId);
      turns.stopConversation(conversationId);
      context.calls.tasks.cancelOf(conversationId);
      await turns.ended(conversationId);
      deleteConversation(db, conversationId);
      events.history({ type: 'conversation.removed', conversationId });
      return done;
    },
    'conversation.setModel': ({ conversationId, model }) => {
      conversationOf(conversationId);
      setConversationModel(db, conversationId, model);
      turns.announce(conversationId);
      return done;
    },
    'conversation.showBranch': ({ conversationId, messageId }) => {
      conversationOf(conversationId);
      if (turns.isRunning(conversationId)) refuse('wrongState', 'This chat is still answering. Stop it first, or wait for the end.');
      if (getMessage(db, messageId)?.conversationId !== conversationId) refuse('notFound', 'There is no such message in this chat.');
      setLeaf(db, conversationId, newestLeafUnder(db, messageId), ports.clock.now());
      events.conversation(conversationId, { type: 'branch.changed' });
      return done;
    },
    'conversation.search': async ({ query, limit }) => {
      const databasePath = databaseFile(ports.paths.dataDir);
      const found = await context.pool.run('search', { databaseFile: databasePath, query, limit }, { timeoutMs: searchTimeoutMs });
      return {
        hits: found.map(({ messageId, ...hit }) => ({
          ...hit,
          conversationId: hit.conversationId as ParsedInput<'conversation.open'>['conversationId'],
          ...(messageId === null ? {} : { messageId: messageId as ParsedInput<'conversation.messages'>['before'] }),
        })),
      };
    },
    'turn.send': async ({ conversationId, text, parentId, model, attachments = [], prompt, views = [] }) => {
      const said = context.views.along(conversationId, views);
      if (prompt && said.prompt)
        refuse('invalidInput', 'One message carries one prompt. Take that one or the message of the view off; nothing was sent.');
      if (text === '' && prompt === undefined && said.prompt === undefined)
        refuse('invalidInput', 'The message is empty, so it was not sent.');
      const agreed = prompt && context.definitions.agreedPrompt(prompt.serverId, prompt.name);
      const { signal } = new AbortController();
      const [read, made] = await Promise.all([
        readAttachments(context.servers, attachments, signal),
        prompt && readPrompt(context.servers, { ...prompt, title: agreed?.['title'] }, signal),
      ]);
      const sent = turns.send({
        conversationId,
        text,
        parentId,
        model,
        attachments: [...read, ...said.attachments],
        prompt: made ?? said.prompt,
      });
      context.views.forget(views);
      return sent;
    },
    'turn.stop': ({ turnId }) => {
      turns.stop(turnId);
      return done;
    },
    'turn.continue': ({ turnId }) => ({ turn: turns.continueTurn(turnId) }),
    'turn.regenerate': ({ turnId, model }) => ({ turnId: turns.regenerate(turnId, model) }),
    'call.askAgain': ({ callId }) => ({ turn: turns.askAgain(callId) }),
  };
}
