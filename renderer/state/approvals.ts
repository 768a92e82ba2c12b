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
    case 'input.closed':
      return { ...state, inputs: state.inputs.filter(({ id }) => id !== event.inputId) };
  }
}

export type Waiting = { kind: 'approval'; approval: Approval } | { kind: 'input'; input: InputRequest };

/** What waits in one conversation, oldest first. A server that asks outside any conversation is shown in all of them. */
export function waitingIn({ approvals, inputs }: ApprovalsState, conversationId: ConversationId | null): Waiting[] {
  return [
    ...approvals
      .filter((approval) => approval.conversationId === conversationId)
      .map((approval) => ({ kind: 'approval' as const, approval, at: approval.createdAt })),
    ...inputs
      .filter((input) => input.conversationId === undefined || input.conversationId === conversationId)
      .map((input) => ({ kind: 'input' as const, input, at: input.createdAt })),
  ].sort((a, b) => a.at - b.at);
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
