import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApprovalsEvent } from '../../preload/contract/events.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import { ok, type Result } from '../../preload/contract/result.ts';
import type { ConnectedBridge } from '../bridge/connectedBridge.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import type { Mirror } from './mirror.ts';

/** What waits for the user, oldest first. */
export interface ApprovalsState {
  approvals: readonly Approval[];
  inputs: readonly InputRequest[];
}

export function applyApprovalsEvent(state: ApprovalsState, event: ApprovalsEvent): ApprovalsState {
  switch (event.type) {
    case 'approval.added':
      return { ...state, approvals: [...state.approvals.filter(({ id }) => id !== event.approval.id), event.approval] };
    case 'approval.changed':
      return { ...state, approvals: state.approvals.map((approval) => (approval.id === event.approval.id ? event.approval : approval)) };
    case 'approval.closed':
      return { ...state, approvals: state.approvals.filter(({ id }) => id !== event.approvalId) };
    case 'input.added':
      return { ...state, inputs: [...state.inputs.filter(({ id }) => id !== event.input.id), event.input] };
    case 'input.changed':
      return { ...state, inputs: state.inputs.map((input) => (input.id === event.input.id ? event.input : input)) };
    case 'input.closed':
      return { ...state, inputs: state.inputs.filter(({ id }) => id !== event.inputId) };
  }
}

/** Calls that are answered on one card: one, or those of one step to the same tool. */
export type CardCalls = readonly [Approval, ...Approval[]];

/** One card: calls that wait, or everything that a server asks within one call. */
export type Waiting = { kind: 'approval'; approvals: CardCalls } | { kind: 'input'; inputs: readonly [InputRequest, ...InputRequest[]] };

/** Names a card for as long as it waits, whatever is asked on it meanwhile. */
export const cardId = (waiting: Waiting): string =>
  waiting.kind === 'approval' ? cardOfCall(waiting.approvals[0]) : cardOfInput(waiting.inputs[0]);

export const cardOfCall = ({ groupId, id }: Approval): string => groupId ?? id;
const cardOfInput = ({ callId, id }: InputRequest): string => callId ?? id;

function together<Item>(items: readonly Item[], cardOf: (item: Item) => string): [Item, ...Item[]][] {
  const cards = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const card = cards.get(cardOf(item));
    if (card) card.push(item);
    else cards.set(cardOf(item), [item]);
  }
  return [...cards.values()];
}

const since = (waiting: Waiting): number => (waiting.kind === 'approval' ? waiting.approvals[0].createdAt : waiting.inputs[0].createdAt);

/** A server asks of its own accord, for example for folders when it starts: no answer of a chat waits for it. */
const isApart = (waiting: Waiting): boolean => waiting.kind === 'input' && waiting.inputs[0].conversationId === undefined;

/** What waits in one conversation, oldest first. A server that asks outside any conversation is shown in all of them, behind their own. */
export function waitingIn({ approvals, inputs }: ApprovalsState, conversationId: ConversationId | null): Waiting[] {
  return [
    ...together(
      approvals.filter((approval) => approval.conversationId === conversationId),
      cardOfCall,
    ).map((calls): Waiting => ({ kind: 'approval', approvals: calls })),
    ...together(
      inputs.filter((input) => input.conversationId === undefined || input.conversationId === conversationId),
      cardOfInput,
    ).map((asked): Waiting => ({ kind: 'input', inputs: asked })),
  ].sort((a, b) => Number(isApart(a)) - Number(isApart(b)) || since(a) - since(b));
}

/** Other chats in which something waits, each once, with how many cards, the one that waits longest first. Calls tried by hand have no chat. */
export function waitingElsewhere(
  { approvals, inputs }: ApprovalsState,
  conversationId: ConversationId | null,
): { conversationId: ConversationId; cards: number }[] {
  const ofChats = [
    ...approvals.filter(({ byHand }) => byHand !== true).map((each) => ({ of: each, card: cardOfCall(each) })),
    ...inputs.map((each) => ({ of: each, card: cardOfInput(each) })),
  ].toSorted((a, b) => a.of.createdAt - b.of.createdAt);
  const chats = new Map<ConversationId, Set<string>>();
  for (const { of, card } of ofChats) {
    const chat = of.conversationId;
    if (chat === undefined || chat === conversationId) continue;
    const cards = chats.get(chat) ?? new Set();
    chats.set(chat, cards.add(card));
  }
  return [...chats].map(([chat, cards]) => ({ conversationId: chat, cards: cards.size }));
}

/** What is answered to one of the calls of a card. */
export interface CallAnswer {
  approval: Approval;
  decision: ApprovalDecision;
}

const answerTo = ({ approval: { id, argumentsHash }, decision }: CallAnswer) => ({ approvalId: id, argumentsHash, decision });

/** Most calls that one command answers. */
const answersAtOnce = 200;

export interface ApprovalsStore extends Mirror {
  store: StoreApi<ApprovalsState>;
  /** Answers calls of one card. The answers name the arguments that were on it; calls that are not named keep waiting. */
  decide(answers: readonly [CallAnswer, ...CallAnswer[]]): Promise<Result<unknown>>;
  answer(input: InputRequest, answer: InputAnswer): Promise<Result<unknown>>;
}

export function createApprovalsStore(bridge: ConnectedBridge): ApprovalsStore {
  const store = createStore<ApprovalsState>(() => ({ approvals: [], inputs: [] }));
  return {
    store,
    load: ({ approvals, inputs }) => store.setState({ approvals, inputs }),
    apply(message) {
      if (message.topic === 'approvals') store.setState((state) => applyApprovalsEvent(state, message.event));
    },
    async decide(calls) {
      const { groupId } = calls[0].approval;
      if (groupId === undefined || calls.length === 1)
        return bridge.invoke('approval.answer', { commandId: newCommandId(), ...answerTo(calls[0]) });
      // Denials first: a permission given for one call must not let another pass that is denied with it.
      const answers = calls.toSorted((a, b) => Number(a.decision.kind === 'allow') - Number(b.decision.kind === 'allow')).map(answerTo);
      let result: Result<unknown> = ok({});
      for (let from = 0; from < answers.length && result.ok; from += answersAtOnce) {
        const some = answers.slice(from, from + answersAtOnce);
        result = await bridge.invoke('approval.answerGroup', { commandId: newCommandId(), groupId, answers: some });
      }
      return result;
    },
    answer: (input, answer) => bridge.invoke('input.answer', { commandId: newCommandId(), inputId: input.id, answer }),
  };
}
