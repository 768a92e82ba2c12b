import type { CallId, ConversationId, MessageId, PartId, ServerId, TurnId } from '../../../preload/contract/ids.ts';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import type { Conversation, Turn } from '../../../preload/contract/conversations.ts';
import type { Approvals } from '../policy/approvals.ts';
import type { Audit } from '../policy/audit.ts';
import { callEnded } from '../policy/auditEntries.ts';
import type { Inputs } from '../policy/inputs.ts';
import { type LabelPair, neither, resultLabels } from '../policy/labels.ts';
import { messageOf, refuse } from '../refusal.ts';
import { inTransaction, refusalOf } from '../store/database.ts';
import { getCall, openCalls, openCallsOfTurn, updateCall } from '../store/calls.ts';
import { interruptWaitingApprovals } from '../store/approvals.ts';
import {
  benchOf,
  getConversation,
  isBench,
  setConversationModel,
  setLeaf,
  setTitle,
  type StoredConversation,
} from '../store/conversations.ts';
import { storeText } from '../store/longText.ts';
import { closeOpenParts, getMessage, getPart, insertMessage, insertPart } from '../store/messages.ts';
import { removeRulesOfTurn } from '../store/rules.ts';
import { indexMessage, indexTitle } from '../store/search.ts';
import { createResultStore } from '../tools/resultStore.ts';
import { Detached } from '../mcp/callTool.ts';
import { getTurn, insertTurn, openTurns, setStepLimit, setTurnState } from '../store/turns.ts';
import { chatOfView, conversationOfView, isOfView } from '../store/views.ts';
import type { Log } from '../ports.ts';
import { attachmentPart, type ReadAttachment } from './attachments.ts';
import { promptPart, type ReadPrompt } from './chosenPrompt.ts';
import type { KeptTasks } from './keptTasks.ts';
import { callPartView, messageView } from './messageView.ts';
import { proposeCall } from './proposeCall.ts';
import { type LiveTurn, runTurn, type RunTurnDeps, type TurnEnd } from './runTurn.ts';
import { askAgain, cancel, failCall, interrupt } from './toolCallState.ts';
import { byHandModel, runTriedCalls, type TriedCall, wishOf, writeTriedMessage } from './triedCalls.ts';
import { readWish, type ViewCall, writeViewMessage } from './viewCalls.ts';

export interface TurnsDeps extends RunTurnDeps {
  approvals: Approvals;
  audit: Pick<Audit, 'append'>;
  inputs: Inputs;
  tasks: KeptTasks;
  log: Log;
  stepLimit(): number;
  defaultModel(): string | undefined;
}

/** The turns of all conversations; at most one runs in each. */
export interface Turns {
  /** Writes message and turn, then goes on alone. */
  send(input: {
    conversationId: ConversationId;
    text: string;
    parentId: MessageId | null | undefined;
    model: string | undefined;
    attachments?: readonly ReadAttachment[] | undefined;
    prompt?: ReadPrompt | undefined;
  }): {
    turnId: TurnId;
    messageId: MessageId;
  };
  /** Calls a tool by hand: a turn without a model in the server's own conversation, through the same gate. */
  tryCall(call: TriedCall): Promise<{ conversationId: ConversationId; turnId: TurnId; callId: CallId }>;
  /** A call that a view makes: a turn without a model in a conversation of the view's own, asked about in its chat. Resolves at its end. */
  callForView(call: ViewCall): Promise<CallId>;
  stop(turnId: TurnId): void;
  stopConversation(conversationId: ConversationId): void;
  /** Goes on where the turn stands; after the step limit, a stop, a failure or a crash. */
  continueTurn(turnId: TurnId): Turn;
  regenerate(turnId: TurnId, model: string | undefined): TurnId;
  askAgain(callId: CallId): Turn;
  /** A conversation as it crosses the bridge. */
  view(conversation: StoredConversation): Conversation;
  /** Tells everybody that a conversation's line in the sidebar has changed. */
  announce(conversationId: ConversationId): void;
  /** Saves streaming text of a conversation before it is read. */
  save(conversationId: ConversationId): void;
  isRunning(conversationId: ConversationId): boolean;
  /** Resolves when the turn of this conversation has ended. */
  ended(conversationId: ConversationId): Promise<void>;
  /** Marks what a crash left open. Call once, before anything runs. */
  recover(): void;
  /** Stops every turn and waits until it has ended. */
  close(): Promise<void>;
}

interface Running {
  turnId: TurnId;
  /** The chat in which it is asked about: another one than its own for calls of views. */
  chat: ConversationId;
  controller: AbortController;
  live: LiveTurn;
  ended: Promise<void>;
}

const isNoChat = (id: ConversationId): boolean => isBench(id) || isOfView(id);

const titleLength = 60;
/** How long the store is left alone that could not take the end of a turn, in milliseconds: at first, and in the end. */
const saveAgainMs = 2000;
const maxSaveAgainMs = 60_000;

/** The first line of a first message, cut at a word. */
export function titleOf(text: string): string {
  const line = (text.trim().split('\n', 1)[0] ?? '').replace(/\s+/g, ' ').trim();
  if (line.length <= titleLength) return line;
  const cut = line.slice(0, titleLength).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${(space > titleLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

export function createTurns(deps: TurnsDeps): Turns {
  const { db, events, clock, ids, log } = deps;
  const running = new Map<ConversationId, Running>();
  let closing = false;

  function view(conversation: StoredConversation): Conversation {
    const current = running.get(conversation.id);
    // A view may ask where no answer is being written.
    const waits =
      deps.approvals.list().some((approval) => approval.conversationId === conversation.id) ||
      (current !== undefined && deps.inputs.list().some((input) => input.conversationId === conversation.id));
    return { ...conversation, activity: waits ? 'waiting' : current === undefined ? 'idle' : 'running' };
  }

  function announce(conversationId: ConversationId): void {
    const conversation = isNoChat(conversationId) ? undefined : getConversation(db, conversationId);
    if (conversation) events.history({ type: 'conversation.changed', conversation: view(conversation) });
  }

  function announceMessage(id: MessageId): void {
    const message = getMessage(db, id);
    if (message) events.conversation(message.conversationId, { type: 'message.added', message: messageView(db, message) });
  }

  const emitTurn = (turn: Turn) => events.conversation(turn.conversationId, { type: 'turn.changed', turn });

  function requireIdle(conversationId: ConversationId): void {
    if (running.has(conversationId)) refuse('wrongState', 'This chat is still answering. Stop it first, or wait for the end.');
  }

  function requireChat(id: ConversationId): void {
    if (isNoChat(id)) refuse('wrongState', 'These are calls that no model asked for: there is none that could answer. Open a chat.');
  }

  function requireConversation(id: ConversationId): StoredConversation {
    return getConversation(db, id) ?? refuse('notFound', 'This chat does not exist any more.');
  }

  function requireTurn(id: TurnId): Turn {
    return getTurn(db, id)?.turn ?? refuse('notFound', 'This answer does not exist any more.');
  }

  /** Of a resource or a prompt, or of what a view says: that has seen more than its server's words. */
  function labelsOf({ serverId, seen }: { serverId: ServerId; seen?: LabelPair | undefined }): LabelPair {
    const { user, profile } = deps.servers.contentOf(serverId, undefined);
    return resultLabels(user, profile, seen);
  }

  const modelFor = (conversation: StoredConversation, asked: string | undefined): string =>
    asked ??
    conversation.model ??
    deps.defaultModel() ??
    refuse('modelUnavailable', 'No model is chosen yet. Choose one at the top of the chat.');

  /** Saves the end of a call that nobody carries on. */
  function saveEnd(call: ToolCall): void {
    const ended = callEnded(call, getTurn(db, call.turnId)?.turn.conversationId);
    inTransaction(db, () => {
      updateCall(db, call);
      if (ended) deps.audit.append(ended);
    });
  }

  /** Ends what the turn left open, so that nothing waits for ever. */
  function closeOpenCalls(turnId: TurnId, end: TurnEnd): void {
    for (const { call, partId } of openCallsOfTurn(db, turnId)) {
      // It goes on at its server.
      if (closing && deps.tasks.has(call.id)) continue;
      const closed = closing
        ? interrupt(call, clock.now())
        : end.state === 'failed'
          ? failCall(
              call,
              { code: 'internal', message: 'The answer broke off before this call could be made. It was not made.' },
              [],
              clock.now(),
            )
          : cancel(call, clock.now());
      saveEnd(closed);
      const part = getPart(db, partId);
      const turn = getTurn(db, turnId)?.turn;
      if (part && turn)
        events.conversation(turn.conversationId, {
          type: 'part.changed',
          messageId: call.messageId,
          part: callPartView(partId, closed, part.labels),
        });
    }
  }

  function finish(turnId: TurnId, end: TurnEnd): void {
    closeOpenCalls(turnId, end);
    const endedAt = clock.now();
    db.transaction(() => {
      // A turn that ends with the application can be continued, like one that a crash interrupted.
      const state = closing && end.state === 'stopped' ? 'interrupted' : end.state;
      setTurnState(db, turnId, state, { endedAt, ...(end.state === 'failed' ? { error: end.error } : {}) });
      removeRulesOfTurn(db, turnId);
      index(turnId);
    })();
    const stored = getTurn(db, turnId);
    if (stored) emitTurn(stored.turn);
  }

  /**
   * The store cannot be written, most likely because the disk is full: until it can be, whoever opens the chat would find it answering.
   * Should that last until the end of the host, recovery at the next start marks the turn as interrupted.
   */
  function finishLater(turnId: TurnId, end: TurnEnd, wait: number): void {
    clock.after(wait, () => {
      if (closing) return;
      const turn = getTurn(db, turnId)?.turn;
      // The person has put it back to work meanwhile.
      if (turn?.state !== 'running' || running.get(turn.conversationId)?.turnId === turnId) return;
      try {
        finish(turnId, end);
      } catch (error) {
        log.warn('The end of a turn could still not be saved.', { turnId, error: messageOf(error) });
        finishLater(turnId, end, Math.min(wait * 2, maxSaveAgainMs));
      }
    });
  }

  function index(turnId: TurnId): void {
    const turn = getTurn(db, turnId)?.turn;
    const message = turn && getMessage(db, turn.assistantMessageId);
    if (!message) return;
    const text = messageView(db, message)
      .parts.flatMap((part) => (part.kind === 'text' ? [deps.read.text(part.text)] : []))
      .join('\n\n');
    if (text !== '') indexMessage(db, { conversationId: message.conversationId, messageId: message.id, text, at: message.createdAt });
  }

  function start(turn: Turn): void {
    if (closing) refuse('wrongState', 'Maitre is closing.');
    const controller = new AbortController();
    const viewedIn = chatOfView(db, turn.conversationId);
    const live = isNoChat(turn.conversationId)
      ? runTriedCalls(deps, turn.id, turn.conversationId, controller.signal, viewedIn)
      : runTurn(deps, turn.id, controller.signal, emitTurn);
    const over = live.ended
      .catch((error: unknown): TurnEnd => {
        const refusal = refusalOf(error);
        log.error('A turn broke.', { turnId: turn.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
        return {
          state: 'failed',
          error: refusal
            ? { code: refusal.failure.code, message: refusal.failure.message }
            : {
                code: 'internal',
                message: 'Something went wrong inside Maitre. Try again; the log has the details.',
                detail: messageOf(error),
              },
        };
      })
      .then((end) => {
        try {
          finish(turn.id, end);
        } catch (error) {
          log.error('The end of a turn could not be saved.', { turnId: turn.id, error: messageOf(error) });
          emitTurn({ ...turn, state: 'failed', error: { code: 'internal', message: refusalOf(error)?.message ?? messageOf(error) } });
          finishLater(turn.id, end, saveAgainMs);
        }
        running.delete(turn.conversationId);
        announce(turn.conversationId);
      });
    running.set(turn.conversationId, { turnId: turn.id, chat: viewedIn ?? turn.conversationId, controller, live, ended: over });
    announce(turn.conversationId);
  }

  function begin(conversationId: ConversationId, userMessageId: MessageId, model: string): TurnId {
    const at = clock.now();
    const turnId = ids() as TurnId;
    const assistantMessageId = ids() as MessageId;
    insertMessage(db, { id: assistantMessageId, conversationId, parentId: userMessageId, role: 'assistant', createdAt: at });
    insertTurn(
      db,
      { id: turnId, conversationId, userMessageId, assistantMessageId, state: 'running', model, steps: 0, startedAt: at },
      deps.stepLimit(),
    );
    setLeaf(db, conversationId, assistantMessageId, at);
    return turnId;
  }

  /** Puts a turn that has ended back to work. */
  function resume(turn: Turn): Turn {
    setTurnState(db, turn.id, 'running');
    const resumed: Turn = requireTurn(turn.id);
    emitTurn(resumed);
    start(resumed);
    return resumed;
  }

  function stop({ turnId, controller }: Running): void {
    controller.abort(new Error('The user stopped the turn.'));
    deps.approvals.closeTurn(turnId, 'cancelled');
  }

  return {
    send({ conversationId, text, parentId, model: asked, attachments = [], prompt }) {
      requireChat(conversationId);
      requireIdle(conversationId);
      const conversation = requireConversation(conversationId);
      const model = modelFor(conversation, asked);
      const parent = parentId === undefined ? conversation.leafId : (parentId ?? undefined);
      const parentMessage = parent === undefined ? undefined : getMessage(db, parent);
      if (parent !== undefined && (parentMessage?.conversationId !== conversationId || parentMessage.role !== 'assistant'))
        refuse('invalidInput', 'A message can only follow an answer of the same chat.');
      const messageId = ids() as MessageId;
      const turnId = db.transaction(() => {
        const at = clock.now();
        insertMessage(db, { id: messageId, conversationId, parentId: parent, role: 'user', createdAt: at });
        if (text !== '')
          insertPart(db, {
            id: ids() as PartId,
            messageId,
            step: 0,
            kind: 'text',
            text: storeText(deps.blobs, text, conversationId),
            open: false,
            durationMs: undefined,
            labels: { source: { kind: 'user' }, ...neither },
          });
        const store = createResultStore(deps.blobs, conversationId);
        if (prompt) insertPart(db, { messageId, ...promptPart(prompt, ids() as PartId, store, labelsOf(prompt)) });
        for (const attachment of attachments)
          insertPart(db, { messageId, ...attachmentPart(attachment, ids() as PartId, store, labelsOf(attachment)) });
        if (text !== '') indexMessage(db, { conversationId, messageId, text, at });
        if (conversation.title === '' && !conversation.titledByUser) {
          const title = titleOf(text === '' ? (prompt?.title ?? '') : text);
          setTitle(db, conversationId, title, false);
          indexTitle(db, { conversationId, title, at });
        }
        if (conversation.model !== model) setConversationModel(db, conversationId, model);
        return begin(conversationId, messageId, model);
      })();
      const turn = requireTurn(turnId);
      announceMessage(messageId);
      announceMessage(turn.assistantMessageId);
      start(turn);
      for (const { serverId, uri, seen } of attachments) if (!seen) void deps.servers.watchResource(serverId, uri);
      return { turnId, messageId };
    },

    async tryCall(call) {
      const { serverId, tool } = call;
      const wish = await wishOf(deps, call);
      const conversationId = benchOf(serverId);
      if (running.has(conversationId))
        refuse('wrongState', 'A call that you tried by hand on this server is still open. Answer its card or stop it first.');
      const turnId = db.transaction(() => {
        const messageId = writeTriedMessage(deps, { serverId, tool, at: clock.now() });
        return begin(conversationId, messageId, byHandModel);
      })();
      const turn = requireTurn(turnId);
      announceMessage(turn.userMessageId);
      announceMessage(turn.assistantMessageId);
      const stored = proposeCall(deps, { ...wish, conversationId, turnId, messageId: turn.assistantMessageId, modelCallId: turnId });
      start(turn);
      return { conversationId, turnId, callId: stored.call.id };
    },

    async callForView(call) {
      const { origin, wanted } = call;
      const wish = 'uri' in wanted ? await readWish(deps, wanted) : await wishOf(deps, wanted);
      const conversationId = conversationOfView(origin.id);
      if (running.has(conversationId)) refuse('wrongState', 'Another call of this view has not ended.');
      const turnId = db.transaction(() => begin(conversationId, writeViewMessage(deps, call, clock.now()), byHandModel))();
      const { assistantMessageId: messageId } = requireTurn(turnId);
      const stored = proposeCall(deps, { ...wish, conversationId, turnId, messageId, modelCallId: turnId });
      start(requireTurn(turnId));
      await running.get(conversationId)?.ended;
      return stored.call.id;
    },

    stop(turnId) {
      const turn = requireTurn(turnId);
      const current = running.get(turn.conversationId);
      // Otherwise it has ended by itself: what was asked for is true already.
      if (current?.turnId === turnId) stop(current);
    },

    stopConversation(conversationId) {
      for (const current of running.values()) if (current.chat === conversationId) stop(current);
    },

    continueTurn(turnId) {
      const stored = getTurn(db, turnId) ?? refuse('notFound', 'This answer does not exist any more.');
      requireChat(stored.turn.conversationId);
      requireIdle(stored.turn.conversationId);
      if (stored.turn.state === 'done') refuse('wrongState', 'This answer is complete. Send a message to go on.');
      if (stored.turn.state === 'stepLimit') setStepLimit(db, turnId, stored.turn.steps + deps.stepLimit());
      return resume(stored.turn);
    },

    regenerate(turnId, asked) {
      const turn = requireTurn(turnId);
      requireChat(turn.conversationId);
      requireIdle(turn.conversationId);
      const conversation = requireConversation(turn.conversationId);
      const next = db.transaction(() => begin(turn.conversationId, turn.userMessageId, asked ?? conversation.model ?? turn.model))();
      announceMessage(requireTurn(next).assistantMessageId);
      events.conversation(turn.conversationId, { type: 'branch.changed' });
      start(requireTurn(next));
      return next;
    },

    askAgain(callId) {
      const stored = getCall(db, callId) ?? refuse('notFound', 'This call does not exist any more.');
      const { call } = stored;
      if (call.state !== 'interrupted' || (call.was !== 'awaitingApproval' && call.was !== 'proposed'))
        refuse('wrongState', 'Only a call that was still waiting for you can be asked again.');
      const turn = requireTurn(call.turnId);
      requireIdle(turn.conversationId);
      if (turn.state === 'done') refuse('wrongState', 'The chat has gone on without this call. Ask for it in a new message.');
      updateCall(db, askAgain(call));
      return resume(turn);
    },

    view,
    announce,
    save: (conversationId) => running.get(conversationId)?.live.save(),
    isRunning: (conversationId) => running.has(conversationId),
    async ended(conversationId) {
      await Promise.all([...running.values()].filter(({ chat }) => chat === conversationId).map((current) => current.ended));
    },

    recover() {
      const at = clock.now();
      db.transaction(() => {
        interruptWaitingApprovals(db, at);
        for (const { call } of openCalls(db)) if (!deps.tasks.has(call.id)) saveEnd(interrupt(call, at));
        for (const turn of openTurns(db)) {
          setTurnState(db, turn.id, 'interrupted', { endedAt: at });
          removeRulesOfTurn(db, turn.id);
          index(turn.id);
        }
        closeOpenParts(db);
      })();
    },

    async close() {
      closing = true;
      const all = [...running.values()];
      for (const { turnId, controller } of all) {
        controller.abort(new Detached('Maitre is closing.'));
        deps.approvals.closeTurn(turnId, 'interrupted');
      }
      await Promise.all(all.map((current) => current.ended));
    },
  };
}
