import type { ModelRef } from '../../preload/contract/conversations.ts';
import type { ConversationId, MessageId, ServerId, TurnId } from '../../preload/contract/ids.ts';
import { ok, type Result } from '../../preload/contract/result.ts';
import type { Bridge } from '../../preload/contract/bridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import { attachedIn } from './attachments.ts';
import { type ChosenPrompt, promptIn } from './chosenPrompts.ts';
import type { Stores } from './stores.ts';
import { wordsIn } from './views.ts';

/** What names a resource that is to go along. */
interface Attachable {
  serverId: ServerId;
  uri: string;
}

/** What names a prompt that is to go along. */
type NamedPrompt = Pick<ChosenPrompt, 'serverId' | 'name' | 'values'>;

/** What a chat does, for buttons, keys and the palette alike. Each passes the host's answer on to the place that asked. */
export function chatActions(bridge: Bridge, stores: Stores) {
  const { app, attachments, chosenPrompts, conversation, drafts, views } = stores;
  const show = async (conversationId: ConversationId | null) => {
    app.show({ page: 'chat', conversationId });
    await conversation.open(conversationId);
  };
  return {
    show,
    /**
     * Sends what a person wrote with what is attached and the prompt that was chosen. The first message of a chat makes the chat. Draft, prompt and attachments go only when
     * the host has the message. `version` makes another version beside an older message, with a prompt and attachments of its own.
     */
    async send(
      text: string,
      version?: { parentId: MessageId | null; attachments: readonly Attachable[]; prompt: NamedPrompt | undefined },
    ): Promise<Result<unknown>> {
      const from = conversation.store.getState().id;
      const along = version?.attachments ?? attachedIn(attachments.store.getState().lists, from);
      const prompt = version === undefined ? promptIn(chosenPrompts.store.getState().chosen, from) : version.prompt;
      const said = version === undefined ? wordsIn(views.store.getState().words, from) : [];
      let conversationId = from;
      if (conversationId === null) {
        const model = app.store.getState().newChatModel ?? stores.settings.store.getState().settings?.defaultModel;
        const created = await bridge.invoke('conversation.create', {
          commandId: newCommandId(),
          ...(model === undefined ? {} : { model }),
        });
        if (!created.ok) return created;
        conversationId = created.value.conversation.id;
        drafts.set(conversationId, text);
        drafts.set(null, '');
        attachments.begin(conversationId);
        chosenPrompts.begin(conversationId);
        await show(conversationId);
      }
      const sent = await bridge.invoke('turn.send', {
        commandId: newCommandId(),
        conversationId,
        text,
        ...(version === undefined ? {} : { parentId: version.parentId }),
        ...(along.length === 0 ? {} : { attachments: along.map(({ serverId, uri }) => ({ serverId, uri })) }),
        ...(prompt === undefined ? {} : { prompt: { serverId: prompt.serverId, name: prompt.name, values: { ...prompt.values } } }),
        ...(said.length === 0 ? {} : { views: said.map(({ callId, kind }) => ({ callId, kind })) }),
      });
      if (sent.ok && version === undefined) {
        drafts.set(conversationId, '');
        attachments.clear(conversationId);
        chosenPrompts.remove(conversationId);
        views.sent(conversationId, said);
      }
      return sent;
    },
    stop: (turnId: TurnId) => bridge.invoke('turn.stop', { commandId: newCommandId(), turnId }),
    continueTurn: (turnId: TurnId) => bridge.invoke('turn.continue', { commandId: newCommandId(), turnId }),
    regenerate: (turnId: TurnId) => bridge.invoke('turn.regenerate', { commandId: newCommandId(), turnId }),
    showBranch: (conversationId: ConversationId, messageId: MessageId) =>
      bridge.invoke('conversation.showBranch', { commandId: newCommandId(), conversationId, messageId }),
    /** The model of the shown chat, or of the next one where none is shown. */
    async setModel(model: ModelRef): Promise<Result<unknown>> {
      const { id } = conversation.store.getState();
      if (id !== null) return bridge.invoke('conversation.setModel', { commandId: newCommandId(), conversationId: id, model });
      app.store.setState({ newChatModel: model });
      return ok({});
    },
  };
}

export type ChatActions = ReturnType<typeof chatActions>;
