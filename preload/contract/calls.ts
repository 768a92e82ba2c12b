import { z } from 'zod';
import { ApprovalId, CallId, InputId, MessageId, ServerId, TurnId } from './ids.ts';
import { LongText, ResultBlock } from './content.ts';
import { DecisionReason, Effects } from './policy.ts';
import { CallProgress, TaskState } from './tasks.ts';

/** Why a call failed. `toolError`: the tool said so itself (`isError`), and `content` holds its words. */
export const CallFailureCode = z.enum([
  'toolError',
  'invalidArguments',
  'unknownTool',
  'protocolError',
  'serverExited',
  'serverUnavailable',
  'timedOut',
  'invalidResult',
  /** The server needed something of the user, who declined. */
  'declined',
  'internal',
]);
export type CallFailureCode = z.infer<typeof CallFailureCode>;

const common = {
  id: CallId,
  turnId: TurnId,
  messageId: MessageId,
  /** Counts the model requests of the turn from 0. Calls of one step were asked for together. */
  step: z.number().int().nonnegative(),
  /** Absent when the model named a tool that no server has. */
  serverId: ServerId.optional(),
  serverName: z.string(),
  /** The server's own name of the tool. */
  tool: z.string(),
  /** Canonical JSON of what is sent, or the model's own text where it is no JSON. */
  arguments: LongText,
  argumentsHash: z.string(),
  /** What the model had asked for, where the person changed the arguments before he allowed them. */
  proposedArguments: LongText.optional(),
  effects: Effects,
  /** Absent until the policy has decided. */
  reason: DecisionReason.optional(),
  createdAt: z.number(),
};
/** `durationMs`: what it took its server, without the time in which it waited for the person. */
const ended = { endedAt: z.number(), durationMs: z.number() };
/** Milliseconds in which it has waited for the person before; `askedAt`: since when it waits again. */
const waitedMs = z.number().optional();

/** A tool call, from the model's wish to its end. Exactly the states that a card can have. */
export const ToolCall = z.discriminatedUnion('state', [
  z.strictObject({ ...common, state: z.literal('proposed') }),
  z.strictObject({ ...common, state: z.literal('awaitingApproval'), approvalId: ApprovalId }),
  z.strictObject({
    ...common,
    state: z.literal('running'),
    startedAt: z.number(),
    waitedMs,
    progress: CallProgress.optional(),
    /** Set when the server runs it as a task: it goes on there even when the application ends. */
    task: TaskState.optional(),
  }),
  z.strictObject({
    ...common,
    state: z.literal('awaitingInput'),
    startedAt: z.number(),
    waitedMs,
    askedAt: z.number().optional(),
    inputId: InputId,
  }),
  z.strictObject({
    ...common,
    ...ended,
    state: z.literal('succeeded'),
    content: z.array(ResultBlock),
    /** The structured part does not fit what the server had announced; a sentence. */
    schemaProblem: z.string().optional(),
  }),
  z.strictObject({
    ...common,
    ...ended,
    state: z.literal('failed'),
    error: z.strictObject({ code: CallFailureCode, message: z.string(), detail: z.string().optional() }),
    content: z.array(ResultBlock),
  }),
  z.strictObject({ ...common, ...ended, state: z.literal('denied'), by: z.enum(['user', 'rule', 'host']), message: z.string().optional() }),
  z.strictObject({ ...common, ...ended, state: z.literal('cancelled') }),
  z.strictObject({
    ...common,
    ...ended,
    state: z.literal('interrupted'),
    /** `awaitingApproval` can be asked again; `running` means that nobody knows whether it took effect. */
    was: z.enum(['proposed', 'awaitingApproval', 'running', 'awaitingInput']),
  }),
]);
export type ToolCall = z.infer<typeof ToolCall>;
export type ToolCallState = ToolCall['state'];
