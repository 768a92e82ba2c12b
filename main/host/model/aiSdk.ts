import { InvalidResponseDataError, isStepCount, streamText } from 'ai';
import type { LanguageModel, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import { callInput, promptMessages, promptTools } from './aiSdkPrompt.ts';
import { ModelFailure } from './model.ts';
import type { Model, ModelEvent, ModelLimits, StepRequest } from './model.ts';
import { factsOf, modelFailureOf } from './modelErrors.ts';
import type { RequestTarget } from './modelErrors.ts';

type CallEvent = Extract<ModelEvent, { type: 'call' }>;
type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>;

export interface AiSdkModelOptions {
  ref: string;
  provider: string;
  /** The provider's own name of the model. */
  modelName: string;
  providerName: string;
  address: string;
  local: boolean;
  limits: ModelLimits;
  imagesInResults: boolean;
  /** Needed where the API demands it; else the provider's own limit holds. */
  maxOutputTokens?: number | undefined;
  providerOptions?: ProviderOptions | undefined;
  /** Called once a request, so that a key is held no longer than it is used. */
  key(): Promise<string | undefined>;
  /** A model object, never a name: the SDK sends names to a gateway of its own. */
  languageModel(key: string | undefined): Exclude<LanguageModel, string>;
}

// Warnings about settings that a provider ignores would go to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * A model behind the AI SDK: one request a step, tools that only the host can run, no retry of its own.
 * Calls are given out when the answer is complete: of an answer that breaks off nothing is run.
 */
export function createAiSdkModel(options: AiSdkModelOptions): Model {
  return {
    ref: options.ref,
    provider: options.provider,
    limits: options.limits,
    leavesComputer: !options.local,
    stream: (request) => streamStep(options, request),
  };
}

async function* streamStep(options: AiSdkModelOptions, request: StepRequest): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  const key = await options.key();
  const target: RequestTarget = {
    providerName: options.providerName,
    modelName: options.modelName,
    address: options.address,
    local: options.local,
    hasKey: key !== undefined,
    secrets: key === undefined ? [] : [key],
  };
  const silence = new AbortController();
  const giveUp = (): void => silence.abort();
  let timer = setTimeout(giveUp, request.timeoutMs);
  let begun = false;
  const calls: CallEvent[] = [];
  const argumentTexts = new Map<string, string>();
  const known = new Set(
    request.messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map((call) => call.modelCallId) : [])),
  );
  const renamed = new Map<string, string>();
  const failed = (thrown: unknown): unknown => {
    if (request.signal.aborted) return request.signal.reason;
    if (thrown instanceof ModelFailure) return thrown;
    if (silence.signal.aborted) {
      return new ModelFailure(
        'timedOut',
        `${options.providerName} said nothing for ${seconds(request.timeoutMs)}. Try again, or choose another model.`,
        {
          retryable: true,
          detail: `Address: ${options.address}`,
        },
      );
    }
    // How the SDK says that a stream came to its end before the answer did.
    if (InvalidResponseDataError.isInstance(thrown) && thrown.data === undefined) return disconnected(options);
    return modelFailureOf(factsOf(thrown, begun), target);
  };

  try {
    const result = streamText({
      model: options.languageModel(key),
      // An empty one is refused by some APIs.
      ...(request.system === '' ? {} : { instructions: request.system }),
      messages: promptMessages(request.messages, {
        provider: options.provider,
        images: options.limits.images,
        imagesInResults: options.imagesInResults,
      }),
      tools: promptTools(request.tools),
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: AbortSignal.any([request.signal, silence.signal]),
      ...limitOf(options.maxOutputTokens, request.maxOutputTokens),
      ...(request.toolChoice === undefined || request.tools.length === 0 ? {} : { toolChoice: request.toolChoice }),
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
      // Failures come as parts of the stream; without this the SDK prints them.
      onError: () => {},
    });
    let finish: Extract<TextStreamPart<ToolSet>, { type: 'finish-step' }> | undefined;
    for await (const part of result.stream) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, request.timeoutMs);
      switch (part.type) {
        case 'start':
        case 'start-step':
          break;
        case 'error':
          throw part.error;
        case 'abort':
          throw new Error(part.reason ?? 'The request was stopped.');
        case 'text-start':
          yield { type: 'text.start' };
          break;
        case 'text-delta':
          begun = true;
          if (part.text !== '') yield { type: 'text.delta', text: part.text };
          break;
        case 'text-end':
          yield { type: 'text.end' };
          break;
        case 'reasoning-start':
          yield { type: 'reasoning.start' };
          break;
        case 'reasoning-delta':
          begun = true;
          if (part.text !== '') yield { type: 'reasoning.delta', text: part.text };
          break;
        case 'reasoning-end':
          yield { type: 'reasoning.end' };
          break;
        case 'tool-input-start':
          begun = true;
          argumentTexts.set(part.id, '');
          break;
        case 'tool-input-delta':
          argumentTexts.set(part.id, (argumentTexts.get(part.id) ?? '') + part.delta);
          break;
        case 'tool-call': {
          if (part.providerExecuted === true) break;
          const id = unusedId(part.toolCallId, known);
          if (id !== part.toolCallId) renamed.set(part.toolCallId, id);
          calls.push(callEvent(id, part.toolName, part.input, argumentTexts.get(part.toolCallId)));
          break;
        }
        case 'finish-step':
          finish = part;
          break;
        default:
          break;
      }
    }
    request.signal.throwIfAborted();
    if (finish === undefined || brokeOff(finish)) throw disconnected(options);
    if (finish.finishReason === 'error') {
      throw new ModelFailure('providerError', `${options.providerName} ended its answer with an error. Try again.`, {
        retryable: true,
        detail: `Reason: ${finish.rawFinishReason}\nAddress: ${options.address}`,
      });
    }
    const reason = finishReason(finish.finishReason, calls.length > 0);
    const last = calls.at(-1);
    // An answer cut off at its length limit may end in a call whose arguments never came; empty is not what the model meant.
    if (reason === 'length' && last !== undefined && last.argumentsText.trim() === '')
      calls[calls.length - 1] = { ...last, arguments: undefined };
    yield* calls;
    const { inputTokens, outputTokens } = finish.usage;
    yield {
      type: 'finish',
      reason,
      usage:
        inputTokens === undefined && outputTokens === undefined
          ? undefined
          : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 },
      providerData: { provider: options.provider, messages: ownMessages(await result.responseMessages, renamed, calls) },
    };
  } catch (error) {
    throw failed(error);
  } finally {
    clearTimeout(timer);
    // Frees the connection when the reader stops early.
    silence.abort();
  }
}

function disconnected(options: AiSdkModelOptions): ModelFailure {
  return new ModelFailure('disconnected', `The connection to ${options.providerName} broke off in the middle of the answer. Try again.`, {
    retryable: true,
    detail: `Address: ${options.address}`,
  });
}

/** A finished call. The text is what the model wrote, where the provider streams it. */
function callEvent(modelCallId: string, wireName: string, input: unknown, streamed: string | undefined): CallEvent {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return {
    type: 'call',
    modelCallId,
    wireName,
    arguments: isObject ? (input as Record<string, unknown>) : undefined,
    argumentsText: streamed ?? (typeof input === 'string' ? input : JSON.stringify(input ?? null)),
  };
}

/** Some providers count their calls anew in each answer; the conversation needs every id once. */
function unusedId(id: string, known: Set<string>): string {
  let unused = id;
  for (let attempt = 2; known.has(unused); attempt += 1) unused = `${id}_${attempt}`;
  known.add(unused);
  return unused;
}

/** A stream that simply ends, without a reason, was cut off on its way. */
function brokeOff(finish: { finishReason: string; rawFinishReason: string | undefined }): boolean {
  return finish.rawFinishReason === undefined && finish.finishReason !== 'stop' && finish.finishReason !== 'tool-calls';
}

function finishReason(reason: string, hasCalls: boolean): Extract<ModelEvent, { type: 'finish' }>['reason'] {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content-filter':
      return 'filtered';
    case 'stop':
    case 'tool-calls':
      return hasCalls ? 'calls' : 'stop';
    default:
      return hasCalls ? 'calls' : 'other';
  }
}

/** The provider's own messages of this step as plain JSON, without the results that the SDK writes for calls it could not read. */
function ownMessages(messages: readonly ModelMessage[], renamed: ReadonlyMap<string, string>, calls: readonly CallEvent[]): unknown {
  const inputOf = (id: string, input: unknown): unknown => {
    const call = calls.find(({ modelCallId }) => modelCallId === id);
    // The SDK puts an empty object in place of what it could not read.
    return callInput(call !== undefined && call.arguments === undefined ? call.argumentsText : input);
  };
  const own = messages
    .filter((message) => message.role === 'assistant')
    .map((message) => ({
      ...message,
      content:
        typeof message.content === 'string'
          ? message.content
          : message.content
              .filter((part) => part.type !== 'tool-result')
              .map((part) => {
                if (part.type !== 'tool-call') return part;
                const toolCallId = renamed.get(part.toolCallId) ?? part.toolCallId;
                return { ...part, toolCallId, input: inputOf(toolCallId, part.input) };
              }),
    }));
  return JSON.parse(JSON.stringify(own));
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}

/** The smaller of the model's own limit and that of the request. */
function limitOf(ofModel: number | undefined, ofRequest: number | undefined): { maxOutputTokens?: number } {
  const limit = Math.min(ofModel ?? Infinity, ofRequest ?? Infinity);
  return limit === Infinity ? {} : { maxOutputTokens: limit };
}
