import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';

/** A tool as one model's API gets it. The original name and schema stay with the server's own definition. */
export interface ModelTool {
  /** Fits the provider's rule for names; unique in the request. */
  wireName: string;
  description: string;
  /** The projected JSON Schema: a derived copy, never used to validate. */
  inputSchema: Record<string, unknown>;
  /** Absent for the host's own tools (tool search). */
  origin?: { serverId: ServerId; serverName: string; tool: string; title?: string | undefined };
}

/** `by`: the host says it of a call, and no tool. */
export type PromptPart = { type: 'text'; text: string; by?: 'host' | undefined } | { type: 'image'; mimeType: string; base64: string };

export interface PromptCall {
  /** The model's own id of the call, unique within the conversation. */
  modelCallId: string;
  wireName: string;
  /** Parsed arguments, or the text as it came where it is no JSON object. */
  arguments: unknown;
}

/** What a tool gave back, as the model is to read it. Stack traces and stderr never get here. */
export interface PromptResult {
  modelCallId: string;
  wireName: string;
  isError: boolean;
  /** True when the call was not allowed, by the person or by a rule. */
  denied?: boolean | undefined;
  parts: PromptPart[];
}

export type PromptMessage =
  | { role: 'user'; parts: PromptPart[] }
  | {
      role: 'assistant';
      text: string;
      calls: PromptCall[];
      /** What the provider returned for this step (signatures of thinking and the like), fit to be sent back to the same provider only. */
      providerData?: { provider: string; messages: unknown } | undefined;
    }
  | { role: 'tool'; results: PromptResult[] };

/** One model request. The loop, the gate and the limits are the host's. */
export interface StepRequest {
  system: string;
  messages: PromptMessage[];
  tools: ModelTool[];
  /** The model must ask for one of the tools. Without it, the model decides. */
  toolChoice?: 'required' | undefined;
  /** Most tokens of the answer, where the limit is not the provider's own. */
  maxOutputTokens?: number | undefined;
  /** The chat that it is made for. Never sent. */
  conversationId?: ConversationId | undefined;
  /** A server asks, not the chat. */
  fromServer?: boolean | undefined;
  signal: AbortSignal;
  /** Milliseconds without a word after which the request is given up with code `timedOut`. */
  timeoutMs: number;
}

export type ModelEvent =
  | { type: 'text.start' }
  | { type: 'text.delta'; text: string }
  | { type: 'text.end' }
  | { type: 'reasoning.start' }
  | { type: 'reasoning.delta'; text: string }
  | { type: 'reasoning.end' }
  /** A finished tool call. `arguments` is the parsed value; where the model wrote no JSON object it is undefined and `argumentsText` holds what came. */
  | { type: 'call'; modelCallId: string; wireName: string; arguments: Record<string, unknown> | undefined; argumentsText: string }
  /** Always the last event of a request that succeeded. */
  | {
      type: 'finish';
      reason: 'stop' | 'calls' | 'length' | 'filtered' | 'other';
      usage?: { inputTokens: number; outputTokens: number } | undefined;
      providerData?: { provider: string; messages: unknown } | undefined;
    };

export type ModelFailureCode =
  | 'keyMissing'
  | 'keyWrong'
  | 'quota'
  | 'rateLimited'
  | 'modelGone'
  | 'contextTooLong'
  | 'refusedRequest'
  | 'offline'
  | 'disconnected'
  | 'timedOut'
  | 'providerError'
  | 'badScript';

/** A model request that failed. `message` is a sentence for the person. A request stopped by its signal throws `signal.reason` instead. */
export class ModelFailure extends Error {
  readonly code: ModelFailureCode;
  /** Worth trying again without a change (used for the automatic retry before the first event). */
  readonly retryable: boolean;
  readonly detail: string | undefined;

  constructor(code: ModelFailureCode, message: string, options: { retryable?: boolean; detail?: string | undefined } = {}) {
    super(message);
    this.name = 'ModelFailure';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail;
  }
}

/** What a provider's API bears. */
export interface ModelLimits {
  /** Most tools in one request. */
  maxTools: number;
  /** Context window in tokens, a cautious guess where it is not known. */
  contextTokens: number;
  /** Whether images may stand in tool results or user messages. */
  images: boolean;
  /** Which projection of names and schemas it needs. */
  dialect: 'anthropic' | 'openai' | 'google' | 'plain';
}

/** One model, ready to be asked. */
export interface Model {
  /** As in the contract's ModelRef. */
  readonly ref: string;
  readonly provider: string;
  readonly limits: ModelLimits;
  /** True when the prompt leaves this computer. */
  readonly leavesComputer: boolean;
  stream(request: StepRequest): AsyncIterable<ModelEvent>;
}
