import type { CallId, ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import type { CallProgress } from '../../../preload/contract/calls.ts';
import type { InputRequest } from '../../../preload/contract/policy.ts';

/** A tool as its server defines it. Everything but `serverId` and `serverName` is the server's word: data. */
export interface ServerTool {
  serverId: ServerId;
  serverName: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
}

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
}

/** How a call ended. Values, not exceptions: each becomes a state of the card. `message` is a sentence for the person. */
export type ToolCallOutcome =
  /** A result of the tool, `isError` included, as it came (MCP `CallToolResult`), not yet shaped. */
  | { kind: 'result'; content: unknown[]; structuredContent?: unknown; hasStructuredContent: boolean; isError: boolean }
  /** A JSON-RPC error of the server. `rpcMessage` is at most 2,000 characters. */
  | { kind: 'protocolError'; code: number; rpcMessage: string; message: string }
  | { kind: 'exited'; message: string; detail: string }
  | { kind: 'unavailable'; message: string; detail?: string | undefined }
  | { kind: 'timedOut'; message: string }
  | { kind: 'invalidResult'; message: string; detail?: string | undefined }
  | { kind: 'cancelled' };

/** Something a server asks of the user, on its way to the card family of approvals. */
export type ServerRequest = {
  serverId: ServerId;
  serverName: string;
  callId?: CallId | undefined;
  conversationId?: ConversationId | undefined;
  /** Aborted when the server gives the request up or the connection ends. */
  signal: AbortSignal;
} & (
  | { kind: 'elicitation'; message: string; schema: Record<string, unknown> }
  | { kind: 'sampling'; params: Record<string, unknown> }
  | { kind: 'roots' }
);

/** `result` is the bare MCP result (ElicitResult, CreateMessageResult, ListRootsResult); `declined` becomes the era's refusal. */
export type ServerRequestAnswer = { kind: 'result'; result: Record<string, unknown> } | { kind: 'declined' };

export type AnswerServerRequest = (request: ServerRequest) => Promise<ServerRequestAnswer>;

/** Which of the user-facing client features are declared to a server. */
export type DeclaredFeatures = { elicitation: boolean; sampling: boolean; roots: boolean };

export type InputKind = InputRequest['kind'];
