import { z } from 'zod';
import { CallId, ConversationId, ServerId } from './ids.ts';

/** How far a call is, as its server says. */
export const CallProgress = z.strictObject({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().max(2000).optional(),
});
export type CallProgress = z.infer<typeof CallProgress>;

/** How a call stands that its server runs as a task. `message` is the server's word. The task's id never crosses. */
export const TaskState = z.strictObject({
  status: z.enum(['working', 'inputRequired']),
  message: z.string().max(500).optional(),
  /** When the server may forget it. */
  expiresAt: z.number().optional(),
});
export type TaskState = z.infer<typeof TaskState>;

/** A task that runs, found by its call. It outlives a restart of the application. */
export const Task = z.strictObject({
  callId: CallId,
  conversationId: ConversationId,
  serverId: ServerId,
  serverName: z.string(),
  tool: z.string(),
  startedAt: z.number(),
  state: TaskState,
  progress: CallProgress.optional(),
});
export type Task = z.infer<typeof Task>;
