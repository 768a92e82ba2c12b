import type { ApprovalId, InputId } from '../../../preload/contract/ids.ts';
import type { CallProgress, TaskState } from '../../../preload/contract/tasks.ts';
import type { ToolCall, ToolCallState } from '../../../preload/contract/calls.ts';
import type { ResultBlock } from '../../../preload/contract/content.ts';
import type { DecisionReason } from '../../../preload/contract/policy.ts';

/**
 * The life of a tool call as pure transitions. A call that has ended stays as it is, but for one case: a card that a
 * crash interrupted may be asked again.
 */
const transitions: Record<ToolCallState, readonly ToolCallState[]> = {
  proposed: ['awaitingApproval', 'running', 'failed', 'denied', 'cancelled', 'interrupted'],
  // Again where a permission that let its card pass was taken back before it went out.
  awaitingApproval: ['awaitingApproval', 'running', 'failed', 'denied', 'cancelled', 'interrupted'],
  running: ['awaitingInput', 'succeeded', 'failed', 'cancelled', 'interrupted'],
  awaitingInput: ['running', 'succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: [],
  denied: [],
  cancelled: [],
  interrupted: ['proposed'],
};

type Common = Omit<Extract<ToolCall, { state: 'proposed' }>, 'state'>;

function leave(call: ToolCall, to: ToolCallState): Common {
  if (!transitions[call.state].includes(to)) throw new Error(`A call that is ${call.state} cannot become ${to}.`);
  const { id, turnId, messageId, step, serverName, tool, effects, createdAt, argumentsHash } = call;
  return {
    id,
    turnId,
    messageId,
    step,
    ...(call.serverId === undefined ? {} : { serverId: call.serverId }),
    serverName,
    tool,
    arguments: call.arguments,
    argumentsHash,
    ...(call.proposedArguments === undefined ? {} : { proposedArguments: call.proposedArguments }),
    effects,
    ...(call.reason === undefined ? {} : { reason: call.reason }),
    createdAt,
  };
}

/** How long it has waited for the person until `at`, in milliseconds: what the person took is no time of its server. */
function waitedUntil(call: ToolCall, at: number): number {
  const before = 'waitedMs' in call ? (call.waitedMs ?? 0) : 0;
  return call.state === 'awaitingInput' && call.askedAt !== undefined ? before + Math.max(0, at - call.askedAt) : before;
}

const waited = (call: ToolCall, at: number) => {
  const waitedMs = waitedUntil(call, at);
  return waitedMs === 0 ? {} : { waitedMs };
};

const ended = (call: ToolCall, at: number) => ({
  endedAt: at,
  durationMs: Math.max(0, at - ('startedAt' in call ? call.startedAt : at) - waitedUntil(call, at)),
});

export const isEnded = (call: ToolCall): boolean => 'endedAt' in call;

export const awaitApproval = (call: ToolCall, approvalId: ApprovalId, reason: DecisionReason): ToolCall => ({
  ...leave(call, 'awaitingApproval'),
  reason,
  state: 'awaitingApproval',
  approvalId,
});

/** The person has put other arguments in the place of the model's, which are kept beside them. */
export function edit(call: ToolCall, edited: Pick<ToolCall, 'arguments' | 'argumentsHash'>): ToolCall {
  if (call.state !== 'awaitingApproval') throw new Error(`Arguments of a call that is ${call.state} cannot be changed.`);
  return { ...call, ...edited, proposedArguments: call.proposedArguments ?? call.arguments };
}

/** `reason` is what let it run. */
export const run = (call: ToolCall, reason: DecisionReason, at: number): ToolCall => ({
  ...leave(call, 'running'),
  reason,
  state: 'running',
  startedAt: at,
});

export const progressed = (call: ToolCall, progress: CallProgress): ToolCall => (call.state === 'running' ? { ...call, progress } : call);

/** The server runs it as a task, which stands like this. */
export const asTask = (call: ToolCall, task: TaskState): ToolCall => (call.state === 'running' ? { ...call, task } : call);

export const awaitInput = (call: ToolCall, inputId: InputId, at: number): ToolCall => ({
  ...leave(call, 'awaitingInput'),
  state: 'awaitingInput',
  startedAt: 'startedAt' in call ? call.startedAt : call.createdAt,
  ...waited(call, at),
  askedAt: at,
  inputId,
});

export const goOn = (call: ToolCall, at: number): ToolCall => ({
  ...leave(call, 'running'),
  state: 'running',
  startedAt: 'startedAt' in call ? call.startedAt : call.createdAt,
  ...waited(call, at),
});

export const succeed = (call: ToolCall, content: ResultBlock[], at: number, schemaProblem?: string): ToolCall => ({
  ...leave(call, 'succeeded'),
  ...ended(call, at),
  state: 'succeeded',
  content,
  ...(schemaProblem === undefined ? {} : { schemaProblem }),
});

export const failCall = (
  call: ToolCall,
  error: Extract<ToolCall, { state: 'failed' }>['error'],
  content: ResultBlock[],
  at: number,
): ToolCall => ({
  ...leave(call, 'failed'),
  ...ended(call, at),
  state: 'failed',
  error,
  content,
});

export const deny = (
  call: ToolCall,
  by: Extract<ToolCall, { state: 'denied' }>['by'],
  more: { reason: DecisionReason; message?: string | undefined },
  at: number,
): ToolCall => ({
  ...leave(call, 'denied'),
  ...ended(call, at),
  reason: more.reason,
  state: 'denied',
  by,
  ...(more.message === undefined ? {} : { message: more.message }),
});

export const cancel = (call: ToolCall, at: number): ToolCall => ({ ...leave(call, 'cancelled'), ...ended(call, at), state: 'cancelled' });

/** The application ended while the call was open. */
export function interrupt(call: ToolCall, at: number): ToolCall {
  if (call.state !== 'proposed' && call.state !== 'awaitingApproval' && call.state !== 'running' && call.state !== 'awaitingInput')
    return call;
  return { ...leave(call, 'interrupted'), ...ended(call, at), state: 'interrupted', was: call.state };
}

/** Back to the gate: only a call that never ran. */
export function askAgain(call: ToolCall): ToolCall {
  if (call.state !== 'interrupted' || call.was === 'running' || call.was === 'awaitingInput')
    throw new Error('Only a call that was waiting for the user can be asked again.');
  const { reason: _decidedBefore, ...common } = leave(call, 'proposed');
  return { ...common, state: 'proposed' };
}
