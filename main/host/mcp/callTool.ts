import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { CallProgress } from '../../../preload/contract/tasks.ts';
import type { AnsweredInput } from '../../../preload/contract/policy.ts';
import type { SignInRequest } from '../../../preload/contract/signIn.ts';
import type { ListedTool } from './serverLists.ts';

/** A tool as its server defines it. Everything but `serverId` and `serverName` is the server's word: data. */
export interface ServerTool extends Omit<ListedTool, 'problem' | 'runsAsTask'> {
  serverId: ServerId;
  serverName: string;
}

/**
 * Under which name the model's read of a resource stands in rows, cards and rules: the protocol's own. No tool of a server may have it,
 * or a permission for the one would hold for the other.
 */
export const readResourceMethod = 'resources/read';

/** One call of a tool on its server, after the gate. */
export interface ToolCallRequest {
  serverId: ServerId;
  tool: string;
  arguments: Record<string, unknown>;
  callId: CallId;
  conversationId: ConversationId;
  /** Stops the call on the server too (`notifications/cancelled` in legacy, the stream's end in modern HTTP). */
  signal: AbortSignal;
  onProgress(progress: CallProgress): void;
  /** The server runs the call as a task, which outlives this connection and this run of the host: `task` is what to find it by. */
  onTask?(task: StartedTask): void;
  onTaskState?(state: TaskState): void;
}

/** A task of a server (extension `io.modelcontextprotocol/tasks`, or the experimental tasks of 2025-11-25). */
export interface TaskHandle {
  /** May be all it takes to read the result: it is kept like a secret and never shown, neither to the model nor to a renderer. */
  taskId: string;
  era: 'legacy' | 'modern';
  /** When the server may forget it, in milliseconds since 1970. */
  expiresAt?: number | undefined;
  /** How long the server wants to be left alone between two questions, in milliseconds. */
  pollMs?: number | undefined;
  /** How it stood when its server told last. */
  state?: TaskState | undefined;
  /** Its server has begun with it just now: there is nothing to ask yet. */
  isNew?: true | undefined;
}

/** A task and whose it is: under another configuration or another sign-in the server is not asked for it. */
export interface StartedTask extends TaskHandle {
  configHash: string;
  authorizationKey: string;
}

/** How a task stands, as the person may see it. `message` is the server's word. */
export interface TaskState {
  status: 'working' | 'inputRequired';
  message?: string | undefined;
  expiresAt?: number | undefined;
}

/** Why a signal was aborted when the host closes: what a server runs as a task goes on there, and is followed again at the next start. */
export class Detached extends Error {}

/** How a call ended. Values, not exceptions: each becomes a state of the card. `message` is a sentence for the person. */
export type ToolCallOutcome =
  /** A result of the tool, `isError` included, as it came (MCP `CallToolResult`), not yet shaped. */
  | {
      kind: 'result';
      content: unknown[];
      structuredContent?: unknown;
      hasStructuredContent: boolean;
      isError: boolean;
      /** `_meta` of the result: for a view, never for a model. */
      meta?: Record<string, unknown> | undefined;
      /** What the structured content breaks in the server's own revision of the protocol, as part of a sentence. */
      structuredProblem?: string | undefined;
    }
  /** A JSON-RPC error of the server. `rpcMessage` is at most 2,000 characters. */
  | { kind: 'protocolError'; code: number; rpcMessage: string; message: string }
  | { kind: 'exited'; message: string; detail: string }
  /** `notRun`: the answer proves that the call was never begun, so that it may be made again. */
  | { kind: 'unavailable'; message: string; detail?: string | undefined; notRun?: true }
  | { kind: 'timedOut'; message: string }
  | { kind: 'invalidResult'; message: string; detail?: string | undefined }
  | { kind: 'cancelled' }
  /** The server needed something of the user, who declined it. */
  | { kind: 'declined'; message: string }
  /** The host closes while the server runs the call as a task. */
  | { kind: 'detached' };

/** A question of the same call that was answered before; kept as long as the call runs. */
export type AnsweredQuestions = AnsweredInput[];

/** Something a server asks of the user, on its way to the card family of approvals. */
export type ServerRequest = {
  serverId: ServerId;
  serverName: string;
  callId?: CallId | undefined;
  conversationId?: ConversationId | undefined;
  /** Aborted when the server gives the request up, its call is stopped, or the connection ends. */
  signal: AbortSignal;
  /** Counts the rounds of questions of one call from 1; the questions of one round are asked beside each other. */
  round?: number | undefined;
  /** Of the same call. Whoever answers a question adds it here. */
  earlier?: AnsweredQuestions | undefined;
} & (
  | { kind: 'elicitation'; message: string; schema: Record<string, unknown> }
  /**
   * Elicitation by URL. `until`: whether the answer is the consent to open the page, or that the person is done there.
   * `completed` resolves when the server says so by itself.
   */
  | { kind: 'page'; message: string; url: string; until: 'opened' | 'done'; completed?: Promise<void> | undefined }
  | { kind: 'sampling'; params: Record<string, unknown> }
  | { kind: 'roots' }
  /** The server wants a sign-in before it carries the call out. `result` means that the browser may be opened. */
  | { kind: 'signIn'; signIn: SignInRequest }
);

/**
 * `result` is the bare MCP result (ElicitResult, CreateMessageResult, ListRootsResult); `declined` becomes the era's refusal.
 * `refused`: the request breaks a rule, which `message` names. `note` goes into the server's log.
 */
export type ServerRequestAnswer = (
  { kind: 'result'; result: Record<string, unknown> } | { kind: 'declined' } | { kind: 'refused'; message: string }
) & { note?: string | undefined };

export type AnswerServerRequest = (request: ServerRequest) => Promise<ServerRequestAnswer>;

/** Which of the user-facing client features are declared to a server. */
export type DeclaredFeatures = {
  elicitation: boolean;
  sampling: boolean;
  roots: boolean;
  /** Sampling and roots, deprecated in 2026-07-28, are declared to servers of before only. */
  deprecatedToLegacyOnly?: boolean | undefined;
  /** Views of it are shown (extension `io.modelcontextprotocol/ui`). */
  views?: boolean | undefined;
};

export type InputKind = AnsweredInput['kind'];
