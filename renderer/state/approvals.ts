import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApprovalsEvent } from '../../preload/contract/events.ts';
import type { ConversationId } from '../../preload/contract/ids.ts';
import type { Approval, ApprovalDecision, InputAnswer, InputRequest } from '../../preload/contract/policy.ts';
import type { Result } from '../../preload/contract/result.ts';
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

/** One card: a call that waits, or everything that a server asks within one call. */
export type Waiting = { kind: 'approval'; approval: Approval } | { kind: 'input'; inputs: readonly [InputRequest, ...InputRequest[]] };

/** Names a card for as long as it waits, whatever is asked on it meanwhile. */
export const cardId = (waiting: Waiting): string =>
  waiting.kind === 'approval' ? waiting.approval.id : (waiting.inputs[0].callId ?? waiting.inputs[0].id);

function cardsOf(inputs: readonly InputRequest[]): Waiting[] {
  const byCall = new Map<string, [InputRequest, ...InputRequest[]]>();
  for (const input of inputs) {
    const card = byCall.get(input.callId ?? input.id);
    if (card) card.push(input);
    else byCall.set(input.callId ?? input.id, [input]);
  }
  return [...byCall.values()].map((together) => ({ kind: 'input', inputs: together }));
}

const since = (waiting: Waiting): number => (waiting.kind === 'approval' ? waiting.approval.createdAt : waiting.inputs[0].createdAt);

/** A server asks of its own accord, for example for folders when it starts: no answer of a chat waits for it. */
const isApart = (waiting: Waiting): boolean => waiting.kind === 'input' && waiting.inputs[0].conversationId === undefined;

/** What waits in one conversation, oldest first. A server that asks outside any conversation is shown in all of them, behind their own. */
export function waitingIn({ approvals, inputs }: ApprovalsState, conversationId: ConversationId | null): Waiting[] {
  return [
    ...approvals
      .filter((approval) => approval.conversationId === conversationId)
      .map((approval) => ({ kind: 'approval' as const, approval })),
    ...cardsOf(inputs.filter((input) => input.conversationId === undefined || input.conversationId === conversationId)),
  ].sort((a, b) => Number(isApart(a)) - Number(isApart(b)) || since(a) - since(b));
}

export interface ApprovalsStore extends Mirror {
  store: StoreApi<ApprovalsState>;
  /** The answer names the arguments that were on the card. */
  decide(approval: Approval, decision: ApprovalDecision): Promise<Result<unknown>>;
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
    decide: (approval, decision) =>
      bridge.invoke('approval.answer', {
        commandId: newCommandId(),
        approvalId: approval.id,
        argumentsHash: approval.argumentsHash,
        decision,
      }),
    answer: (input, answer) => bridge.invoke('input.answer', { commandId: newCommandId(), inputId: input.id, answer }),
  };
}
